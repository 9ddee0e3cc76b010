"""Which card may be played, what breaks spades, and who takes the trick."""

from collections.abc import Callable, Mapping
from typing import Final

from spades.cards import Card, Hand, Suit, spoken
from spades.deal import Hands
from spades.pack import RANKINGS, Ranking, best
from spades.refusals import RefusalCode, Refused
from spades.rules import Breaks, FirstTrick, Rules, SpadeLead
from spades.seats import LAYOUTS, Seat
from spades.state import Match, Playing

Lead = Callable[[Ranking, Hand, bool], Hand]


def once_broken(ranking: Ranking, hand: Hand, broken: bool) -> Hand:
    """Spades wait until they are broken, unless there is nothing else to lead."""
    if broken:
        return hand
    return tuple(card for card in hand if card not in ranking.spades) or hand


def at_any_time(ranking: Ranking, hand: Hand, broken: bool) -> Hand:
    """Any card may be led."""
    return hand


LEADS: Final[Mapping[SpadeLead, Lead]] = {
    SpadeLead.BROKEN: once_broken,
    SpadeLead.ANY_TIME: at_any_time,
}


def breaks_by_discard(*, led: bool, only_spades: bool) -> bool:
    """A spade breaks when it is discarded on another suit."""
    return not led


def breaks_by_discard_or_lead(*, led: bool, only_spades: bool) -> bool:
    """That, or led from a hand of only spades."""
    return not led or only_spades


BREAKS: Final[Mapping[Breaks, Callable[..., bool]]] = {
    Breaks.DISCARD: breaks_by_discard,
    Breaks.DISCARD_OR_LEAD: breaks_by_discard_or_lead,
}


def lowest_clubs(ranking: Ranking, hand: Hand) -> Hand:
    """The lowest club; without one anything but a spade; a spade only from a hand of spades."""
    clubs = [card for card in hand if ranking.suit[card] is Suit.CLUBS]
    if clubs:
        lowest = min(clubs, key=ranking.height.__getitem__)
        return tuple(card for card in clubs if card is lowest)
    return tuple(card for card in hand if card not in ranking.spades) or hand


def legal_plays(state: Playing) -> Hand:
    """What the player in turn may play: never nothing, while a card is held."""
    if state.turn is None:
        return ()
    ranking = RANKINGS[state.match.rules.jokers]
    hand = state.hands[state.turn]
    if state.lowest_clubs:
        return lowest_clubs(ranking, hand)
    if not state.trick:
        return LEADS[state.match.rules.spade_lead](ranking, hand, state.broken)
    suit = ranking.suit
    led = suit[state.trick[0]]
    return tuple([card for card in hand if suit[card] is led]) or hand


def check_play(state: Playing, seat: Seat, card: Card) -> None:
    """Raises Refused for the first rule broken: turn, card held, the rule of this trick."""
    match = state.match
    if seat != state.turn:
        turn = "nobody" if state.turn is None else match.name(state.turn)
        raise Refused(
            RefusalCode.NOT_YOUR_TURN, f"it is {turn}'s turn to play, not {match.name(seat)}'s"
        )
    if card not in state.hands[seat]:
        raise Refused(RefusalCode.CARD_NOT_HELD, f"{match.name(seat)} does not hold {card}")
    legal = legal_plays(state)
    if card not in legal:
        raise _against_the_rule(state, match.name(seat), legal)


def _against_the_rule(state: Playing, name: str, legal: Hand) -> Refused:
    ranking = RANKINGS[state.match.rules.jokers]
    if state.lowest_clubs and ranking.suit[legal[0]] is Suit.CLUBS:
        return Refused(
            RefusalCode.MUST_PLAY_LOWEST_CLUB,
            f"{name} must play the lowest club to the first trick: {legal[0]}",
        )
    if state.lowest_clubs:
        return Refused(
            RefusalCode.NO_SPADE_ON_FIRST_TRICK,
            f"{name} may not play a spade to the first trick: holds {spoken(legal)}",
        )
    if state.trick:
        led = ranking.suit[state.trick[0]]
        return Refused(
            RefusalCode.MUST_FOLLOW_SUIT, f"{name} must follow {led.word}: holds {spoken(legal)}"
        )
    return Refused(
        RefusalCode.SPADES_NOT_BROKEN,
        f"{name} may not lead a spade before spades are broken: holds {spoken(legal)}",
    )


def breaks_spades(state: Playing, seat: Seat, card: Card) -> bool:
    """Whether this play breaks them, or they were broken before."""
    if state.broken:
        return True
    ranking = RANKINGS[state.match.rules.jokers]
    if card not in ranking.spades:
        return False
    led = not state.trick
    if not led and state.trick[0] in ranking.spades:
        return False
    only_spades = all(held in ranking.spades for held in state.hands[seat])
    return BREAKS[state.match.rules.breaks](led=led, only_spades=only_spades)


def taker(state: Playing) -> Seat:
    """Who takes the full trick. On a trick of lowest clubs no spade does."""
    trump = None if state.lowest_clubs else Suit.SPADES
    place = best(state.match.rules, state.trick, trump)
    return (state.leader + place) % len(state.hands)


def opens_with_clubs(rules: Rules, hands: Hands) -> bool:
    """Whether the first trick is one of lowest clubs: an ordinary one where nobody holds a club."""
    suit = RANKINGS[rules.jokers].suit
    return rules.first_trick is FirstTrick.LOWEST_CLUBS and any(
        suit[card] is Suit.CLUBS for hand in hands for card in hand
    )


def first_leader(match: Match, dealer: Seat, hands: Hands) -> Seat:
    """Left of the dealer, or who holds the lowest club; of two the same, the first from there."""
    layout = LAYOUTS[match.rules.game]
    ahead = layout.clockwise_from(layout.left_of(dealer))
    if not opens_with_clubs(match.rules, hands):
        return ahead[0]
    ranking = RANKINGS[match.rules.jokers]
    clubs = [
        (ranking.height[card], place)
        for place, seat in enumerate(ahead)
        for card in hands[seat]
        if ranking.suit[card] is Suit.CLUBS
    ]
    return ahead[min(clubs)[1]]
