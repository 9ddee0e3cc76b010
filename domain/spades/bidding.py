"""What may be bid, and who may bid blind."""

from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct

from spades.pack import spades_in
from spades.refusals import RefusalCode, require
from spades.rules import BidRule, Rules
from spades.seats import LAYOUTS, Seat
from spades.state import Bid, Bidding, Bids, Match, Standing


class Auction(Struct, frozen=True):
    """What a house rule looks at: the spades held, the partner's bid, and the tricks in a round."""

    spades: int
    partner: Bid | None
    tricks: int


def free(auction: Auction) -> tuple[int, ...]:
    """Anything from nil to every trick."""
    return tuple(range(auction.tricks + 1))


def suicide(auction: Auction) -> tuple[int, ...]:
    """Exactly one of two partners bids nil, and the second sees to it."""
    if auction.partner is None:
        return free(auction)
    return free(auction)[1:] if auction.partner.nil else (0,)


def mirror(auction: Auction) -> tuple[int, ...]:
    """The number of spades held."""
    return (auction.spades,)


def whiz(auction: Auction) -> tuple[int, ...]:
    """The number of spades held, or nil."""
    return (0, auction.spades) if auction.spades else (0,)


HOUSE_RULES: Final[Mapping[BidRule, Callable[[Auction], tuple[int, ...]]]] = {
    BidRule.FREE: free,
    BidRule.SUICIDE: suicide,
    BidRule.MIRROR: mirror,
    BidRule.WHIZ: whiz,
}
BY_HAND: Final = frozenset({BidRule.MIRROR, BidRule.WHIZ})
"""House rules that look at the cards held."""


def may_bid_blind(rules: Rules, standings: tuple[Standing, ...], seat: Seat) -> bool:
    """Whether the score lets this seat bid blind nil; its hand is then withheld (section 4)."""
    if rules.blind_nil is None:
        return False
    if rules.blind_nil_behind is None:
        return True
    own = LAYOUTS[rules.game].side_of(seat)
    rivals = max(standing.score for side, standing in enumerate(standings) if side != own)
    return standings[own].score <= rivals - rules.blind_nil_behind


def withheld(match: Match) -> tuple[Seat, ...]:
    """The seats that are not shown their cards when they are dealt."""
    return tuple(
        seat
        for seat in range(match.layout.seats)
        if may_bid_blind(match.rules, match.standings, seat)
    )


def _auction(state: Bidding, seat: Seat) -> Auction:
    layout = state.match.layout
    partner = layout.partner(seat)
    return Auction(
        spades=spades_in(state.match.rules, state.hands[seat]),
        partner=None if partner is None else state.bids[partner],
        tricks=layout.tricks,
    )


def by_house_rule(state: Bidding, seat: Seat) -> tuple[int, ...]:
    """The bids that the rule set's way of bidding leaves this seat."""
    return HOUSE_RULES[state.match.rules.bidding](_auction(state, seat))


def _reaches(minimum: int, tricks: int, partner: Bid | None, *, alone: bool) -> bool:
    """Whether a bid keeps the side at its minimum; the first of two partners is never bound."""
    if alone:
        return tricks == 0 or tricks >= minimum
    if partner is None or (partner.nil and tricks == 0):
        return True
    return partner.tricks + tricks >= minimum


def above_minimum(state: Bidding, seat: Seat) -> tuple[int, ...]:
    """The bids that the house rule and the minimum side bid leave.

    Where no bid meets both (a forced nil on a low bid), the minimum does not bind: a player can
    always bid.
    """
    allowed = by_house_rule(state, seat)
    partner_seat = state.match.layout.partner(seat)
    partner = None if partner_seat is None else state.bids[partner_seat]
    minimum = state.match.rules.minimum_side_bid
    meeting = tuple(
        tricks
        for tricks in allowed
        if _reaches(minimum, tricks, partner, alone=partner_seat is None)
    )
    return meeting or allowed


def legal_bids(state: Bidding, seat: Seat) -> tuple[int, ...]:
    """What this seat may bid now, by what it may know: a hand that is withheld tells nothing."""
    if seat != state.turn:
        return ()
    if _hides_spades(state, seat):
        return (0,)
    return above_minimum(state, seat)


def may_still_bid_blind(state: Bidding, seat: Seat) -> bool:
    """Whether a blind nil is open to this seat at this moment."""
    return seat == state.turn and not state.seen[seat] and 0 in above_minimum(state, seat)


def _hides_spades(state: Bidding, seat: Seat) -> bool:
    """Whether a refusal here would tell a player about cards they have not looked at."""
    return state.match.rules.bidding in BY_HAND and not state.seen[seat]


def check_bid(state: Bidding, seat: Seat, tricks: int, *, blind: bool) -> None:
    """Raises Refused for the first rule broken: turn, range, blind, looked, house rule, minimum."""
    match = state.match
    name, rules = match.name(seat), match.rules
    require(
        seat == state.turn,
        RefusalCode.NOT_YOUR_TURN,
        f"it is {match.name(state.turn)}'s turn to bid, not {name}'s",
    )
    most = match.layout.tricks
    require(
        0 <= tricks <= most,
        RefusalCode.BID_OUT_OF_RANGE,
        f"{name} may bid 0 to {most} tricks, not {tricks}",
    )
    require(
        not blind or tricks == 0,
        RefusalCode.BID_OUT_OF_RANGE,
        f"only nil can be bid blind: 0 tricks, not {tricks}",
    )
    if blind:
        _check_blind(state, seat)
    require(
        tricks == 0 or not _hides_spades(state, seat),
        RefusalCode.BID_NOT_ALLOWED,
        f"{name} must look at the hand first: the bid depends on its spades",
    )
    allowed = by_house_rule(state, seat)
    require(
        tricks in allowed,
        RefusalCode.BID_NOT_ALLOWED,
        f"{name} may not bid {tricks}: {rules.bidding} leaves {_bids(allowed)}",
    )
    allowed = above_minimum(state, seat)
    require(
        tricks in allowed,
        RefusalCode.BID_BELOW_MINIMUM,
        f"{name} may not bid {tricks}: the side must reach {rules.minimum_side_bid}, "
        f"which leaves {_bids(allowed)}",
    )


def _check_blind(state: Bidding, seat: Seat) -> None:
    match = state.match
    rules, name = match.rules, match.name(seat)
    require(
        rules.blind_nil is not None,
        RefusalCode.BLIND_NIL_NOT_ALLOWED,
        f"{name} may not bid blind: this rule set has no blind nil",
    )
    require(
        may_bid_blind(rules, match.standings, seat),
        RefusalCode.BLIND_NIL_NOT_ALLOWED,
        f"{name} may not bid blind: only a side {rules.blind_nil_behind} points or more behind "
        "the best other side may",
    )
    require(
        not state.seen[seat],
        RefusalCode.ALREADY_LOOKED,
        f"{name} has looked at the hand, and may bid nil but not blind",
    )


def _bids(allowed: tuple[int, ...]) -> str:
    if len(allowed) > 2 and allowed == tuple(range(allowed[0], allowed[-1] + 1)):
        return f"{allowed[0]} to {allowed[-1]}"
    return " or ".join("nil" if tricks == 0 else str(tricks) for tricks in allowed)


def with_bid(bids: Bids, seat: Seat, bid: Bid) -> Bids:
    """The bids once this one is made."""
    return (*bids[:seat], bid, *bids[seat + 1 :])
