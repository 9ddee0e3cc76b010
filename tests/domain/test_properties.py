"""Laws of every game: random rule sets, random players, attempts legal and not, every viewer."""

from collections import Counter
from collections.abc import Iterator
from inspect import signature
from itertools import chain, product
from random import Random
from typing import Any, Final

import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st
from msgspec import json, to_builtins
from msgspec.structs import replace

from spades.bidding import legal_bids, may_still_bid_blind
from spades.cards import Card, Hand
from spades.commands import (
    AskRedeal,
    Command,
    DrawCard,
    ExchangeCards,
    LeaveSeat,
    LookAtHand,
    OpenTable,
    PlaceBid,
    PlayCard,
    StartGame,
    TakeSeat,
)
from spades.events import (
    CardDrawn,
    CardPlayed,
    Event,
    GameFinished,
    RoundDealt,
    RoundScored,
    TrickTaken,
)
from spades.history import only
from spades.pack import best, pack
from spades.play import legal_plays
from spades.refusals import Refused
from spades.rules import PRESETS, Game, Rules
from spades.scoring import Tally, end, score
from spades.seats import LAYOUTS, Seat
from spades.state import (
    Bid,
    Bidding,
    Drawing,
    Exchanging,
    Finished,
    Playing,
    Standing,
    Table,
    Unopened,
    opened,
)
from spades.table import decide, replay
from spades.view import Viewer, event_view, view
from support import second_opinion
from support.games import commands, steps
from support.hidden import otherwise
from support.leaks import leaks
from support.referee import Referee
from support.rule_sets import RULE_SETS
from support.second_opinion import BLIND_NIL
from support.table_spec import SEED

SEEDS: Final = st.integers(0, 2**32 - 1)
NAMES: Final = {f"player-{seat}": f"Player {seat}" for seat in range(6)}
FEW: Final = settings(max_examples=40)
MORE: Final = settings(max_examples=200)
MANY: Final = settings(max_examples=400)


def answer(table: Table, command: Command) -> Refused | None:
    """The refusal of a command, or None; what is carried out makes something happen."""
    try:
        assert decide(table, command)
    except Refused as refused:
        return refused
    return None


def refusal(table: Table, command: Command) -> str | None:
    """The code with which a command is refused, or None."""
    refused = answer(table, command)
    return None if refused is None else refused.code


def told(table: Table, command: Command) -> str:
    """All that a player who asks this is told, where it is refused."""
    return str(answer(table, command) or "")


def viewers(table: Table) -> tuple[Viewer, ...]:
    """Every seat, and who only watches."""
    return (None, *range(opened(table).match.layout.seats))


# The second opinion


@FEW
@for_all(RULE_SETS, SEEDS)
def test_the_second_opinion_shares_every_outcome(rules: Rules, seed: int) -> None:
    referee = Referee(rules)
    for step in steps(rules, seed):
        for event in step.events:
            referee.watch(event)
        if isinstance(step.after, Playing):
            assert step.after.broken == referee.broken


@FEW
@for_all(RULE_SETS, SEEDS)
def test_the_second_opinion_shares_the_answer_to_every_bid(rules: Rules, seed: int) -> None:
    referee, chance = Referee(rules), Random(seed)
    for step in steps(rules, seed):
        if isinstance(step.before, Bidding):
            for seat, tricks in product(range(referee.seats), range(-1, 19)):
                code = refusal(step.before, PlaceBid(seat, tricks))
                assert code == referee.on_bid(seat, tricks), (seat, tricks)
            for seat in range(referee.seats):
                code = refusal(step.before, PlaceBid(seat, 0, blind=True))
                assert code == referee.on_bid(seat, BLIND_NIL), seat
                code = refusal(step.before, PlaceBid(seat, chance.randint(1, 20), blind=True))
                assert code in ("NOT_YOUR_TURN", "BID_OUT_OF_RANGE")
        for event in step.events:
            referee.watch(event)


@FEW
@for_all(RULE_SETS, SEEDS)
def test_the_second_opinion_shares_the_answer_to_every_play(rules: Rules, seed: int) -> None:
    referee, chance = Referee(rules), Random(seed)
    for step in steps(rules, seed):
        if isinstance(step.before, Playing):
            for seat, hand in enumerate(step.before.hands):
                for card in (*hand, chance.choice(list(Card))):
                    code = refusal(step.before, PlayCard(seat, card, SEED))
                    assert code == referee.on_play(seat, str(card)), (seat, card)
        for event in step.events:
            referee.watch(event)


@MORE
@for_all(RULE_SETS, SEEDS)
def test_the_second_opinion_shares_any_sheet(rules: Rules, seed: int) -> None:
    chance = Random(seed)
    for _ in range(20):
        bids = tuple(any_bid(rules, chance) for _ in LAYOUTS[rules.game].sides[0])
        taken = tuple(chance.choice((0, 0, 1, 5, 6, 13)) for _ in bids)
        before = Standing(chance.randint(-300, 500), chance.randint(0, 9))
        sheet = score(Tally(rules, bids, taken, before.bags), before)
        second = second_opinion.score_side(
            to_builtins(rules), [in_words(bid) for bid in bids], list(taken), before.bags
        )
        assert (sheet.contract, sheet.taken) == (second["contract"], second["taken"])
        assert [(line.what, line.points) for line in sheet.lines] == second["lines"]
        assert (sheet.score - before.score, sheet.bags) == (second["change"], second["bags_after"])


def any_bid(rules: Rules, chance: Random) -> Bid:
    tricks = chance.choice((0, 0, 1, 5, 10, 13))
    blind = tricks == 0 and rules.blind_nil is not None and chance.random() < 0.5
    return Bid(tricks, blind)


def in_words(bid: Bid) -> second_opinion.Bid:
    return BLIND_NIL if bid.blind else bid.tricks


@MORE
@for_all(RULE_SETS, SEEDS)
def test_the_second_opinion_shares_any_end(rules: Rules, seed: int) -> None:
    chance = Random(seed)
    floor = rules.floor or 0
    edges = (rules.target, rules.target - 1, rules.target + 1, floor, floor + 1, floor - 1, 40)
    for rounds in range(1, rules.max_rounds + 1):
        scores = [chance.choice(edges) for _ in LAYOUTS[rules.game].sides]
        ended = end(rules, tuple(map(Standing, scores)), rounds)
        second = second_opinion.game_over(to_builtins(rules), scores, rounds)
        assert second == (ended and [winner for winner in ended[:1] if winner is not None])


@MORE
@for_all(RULE_SETS, SEEDS)
def test_the_second_opinion_shares_the_winner_of_any_trick(rules: Rules, seed: int) -> None:
    chance, plain = Random(seed), to_builtins(rules)
    for _ in range(20):
        trick = tuple(chance.sample(pack(rules), LAYOUTS[rules.game].seats))
        assert best(rules, trick) == second_opinion.winner(plain, list(map(str, trick)), 2)


# The cards


@FEW
@for_all(RULE_SETS, SEEDS)
def test_the_pack_is_whole_after_every_event(rules: Rules, seed: int) -> None:
    whole = Counter(map(Card, second_opinion.pack(to_builtins(rules))))
    away: list[Card] = []
    for step in steps(rules, seed):
        table = step.before
        for event in step.events:
            table = replay((event,), table)
            match event:
                case RoundDealt():
                    away = []
                case CardPlayed(card=card) | CardDrawn(discarded=card):
                    away.append(card)
                case _:
                    pass
            if isinstance(table, Drawing):
                assert Counter(chain(*table.hands, table.stock, away)) == whole
            elif isinstance(table, Bidding | Exchanging | Playing):
                assert Counter(chain(*table.hands, table.rest, away)) == whole


@FEW
@for_all(RULE_SETS, SEEDS)
def test_there_is_always_a_legal_play_and_it_is_one_that_is_not_refused(
    rules: Rules, seed: int
) -> None:
    for step in steps(rules, seed):
        table = step.before
        if isinstance(table, Playing) and table.turn is not None:
            allowed = {
                card
                for card in table.hands[table.turn]
                if refusal(table, PlayCard(table.turn, card, SEED)) is None
            }
            assert set(legal_plays(table)) == allowed != set()


@FEW
@for_all(RULE_SETS, SEEDS)
def test_there_is_always_a_legal_bid_and_it_is_one_that_is_not_refused(
    rules: Rules, seed: int
) -> None:
    for step in steps(rules, seed):
        table = step.before
        if isinstance(table, Bidding):
            seat = table.turn
            allowed = [n for n in range(18) if refusal(table, PlaceBid(seat, n)) is None]
            blind = refusal(table, PlaceBid(seat, 0, blind=True)) is None
            assert list(legal_bids(table, seat)) == allowed != []
            assert may_still_bid_blind(table, seat) == blind


# The game


@FEW
@for_all(RULE_SETS, SEEDS)
def test_every_game_ends_scored_and_after_its_last_round_at_the_latest(
    rules: Rules, seed: int
) -> None:
    *_, last = steps(rules, seed)
    assert isinstance(last.after, Finished)
    assert isinstance(last.history[-2], RoundScored)
    assert isinstance(last.history[-1], GameFinished)
    assert len(only(RoundScored, last.history)) <= rules.max_rounds
    tricks = LAYOUTS[rules.game].tricks
    assert len(only(TrickTaken, last.history)) == tricks * len(only(RoundScored, last.history))


@FEW
@for_all(RULE_SETS, SEEDS)
def test_a_replay_is_the_live_table_at_every_moment(rules: Rules, seed: int) -> None:
    for step in steps(rules, seed):
        assert replay(step.history) == step.after


@FEW
@for_all(RULE_SETS, SEEDS)
def test_the_lines_of_a_sheet_add_up_to_the_change_of_the_score(rules: Rules, seed: int) -> None:
    *_, last = steps(rules, seed)
    scores = [0] * len(LAYOUTS[rules.game].sides)
    for scored in only(RoundScored, last.history):
        for number, side in enumerate(scored.sides):
            scores[number] += sum(line.points for line in side.lines)
            assert side.score == scores[number]
            assert side.bags >= 0
    assert isinstance(last.after, Finished)
    assert [standing.score for standing in last.after.match.standings] == scores


@FEW
@for_all(SEEDS)
def test_with_lowest_clubs_the_last_digit_of_score_and_bags_is_one(seed: int) -> None:
    rules = replace(PRESETS["lowest-club"].rules, max_rounds=6)
    *_, last = steps(rules, seed)
    for scored in only(RoundScored, last.history):
        assert all(side.score % 10 == side.bags % 10 for side in scored.sides)


@FEW
@for_all(RULE_SETS, SEEDS)
def test_whatever_is_asked_and_refused_the_table_is_as_it_was(rules: Rules, seed: int) -> None:
    chance = Random(seed)
    for step in steps(rules, seed):
        before = json.encode(step.before)
        refused = [refusal(step.before, command) for command in attempts(chance)]
        assert any(refused)
        assert json.encode(step.before) == before


def attempts(chance: Random) -> tuple[Command, ...]:
    """Anything that a client could think of, most of it wrong."""
    seat = chance.randrange(6)
    cards = tuple(chance.sample(list(Card), chance.choice((1, 2, 2, 3))))
    return (
        OpenTable(PRESETS["classic"].rules, "eve"),
        TakeSeat(seat, "eve"),
        LeaveSeat(seat),
        StartGame(SEED),
        LookAtHand(seat),
        PlaceBid(seat, chance.randint(-1, 18), blind=chance.random() < 0.5),
        ExchangeCards(seat, cards),
        DrawCard(seat, keep=chance.random() < 0.5),
        PlayCard(seat, cards[0], SEED),
        AskRedeal(seat, SEED),
    )


# Turned by a seat


@FEW
@for_all(RULE_SETS, SEEDS)
def test_turning_the_table_by_a_seat_turns_the_result(rules: Rules, seed: int) -> None:
    asked = with_set_deals(rules, seed)
    seats = LAYOUTS[rules.game].seats
    history = carried_out(asked)
    turned = carried_out(tuple(turned_by_a_seat(command, seats) for command in asked))
    assert sheets(turned) == [(sides[-1], *sides[:-1]) for sides in sheets(history)]
    assert taken(turned) == [(seat + 1) % seats for seat in taken(history)]
    assert winner(turned) == {(seat + 1) % seats for seat in winner(history)}


def with_set_deals(rules: Rules, seed: int) -> tuple[Command, ...]:
    """A game whose first dealer and deals are chosen by who opens the table."""
    *_, last = steps(rules, seed)
    deals = {dealt.number: dealt for dealt in reversed(only(RoundDealt, last.history))}
    hands = tuple(
        (dealt.rest,) if rules.game is Game.TWO_HANDED else dealt.hands
        for _, dealt in sorted(deals.items())
    )
    opening = OpenTable(rules, "player-0", deals[1].dealer, hands)
    return (opening, *commands(rules, seed)[1:])


def turned_by_a_seat(command: Any, seats: int) -> Command:
    """The same, asked by the next seat."""
    if isinstance(command, OpenTable):
        turned = tuple(hands[-1:] + hands[:-1] for hands in command.deals)
        return replace(command, dealer=((command.dealer or 0) + 1) % seats, deals=turned)
    if isinstance(command, StartGame):
        return command
    return replace(command, seat=(command.seat + 1) % seats)  # type: ignore[no-any-return]


def carried_out(asked: tuple[Command, ...]) -> tuple[Event, ...]:
    table: Table = Unopened()
    history: tuple[Event, ...] = ()
    for command in asked:
        events = decide(table, command)
        table = replay(events, table)
        history += events
    return history


def sheets(history: tuple[Event, ...]) -> list[tuple[Any, ...]]:
    """Each round's sheets; two nils stand in the order of their seats, which turns with them."""
    return [
        tuple(
            (side.contract, side.taken, sorted(map(str, side.lines)), side.score, side.bags)
            for side in scored.sides
        )
        for scored in only(RoundScored, history)
    ]


def taken(history: tuple[Event, ...]) -> list[Seat]:
    return [trick.seat for trick in only(TrickTaken, history)]


def winner(history: tuple[Event, ...]) -> set[Seat]:
    return set(only(GameFinished, history)[0].winner)


# What viewers may know


@FEW
@for_all(RULE_SETS, SEEDS)
def test_no_view_shows_a_card_that_its_viewer_may_not_know(rules: Rules, seed: int) -> None:
    chance = Random(seed)
    for history, table in moments(rules, seed):
        viewer = chance.choice(viewers(table))
        shown = view(opened(table), viewer, id="t", version=len(history), names=NAMES)
        assert leaks(json.encode(shown), history, viewer) == []


@FEW
@for_all(RULE_SETS, SEEDS)
def test_no_event_shows_a_card_that_its_viewer_may_not_know(rules: Rules, seed: int) -> None:
    chance = Random(seed)
    for history, table in moments(rules, seed):
        viewer = chance.choice(viewers(table))
        assert leaks(json.encode(event_view(history[-1], viewer)), history, viewer) == []


@FEW
@for_all(RULE_SETS, SEEDS)
def test_no_answer_tells_a_card_that_the_player_may_not_know(rules: Rules, seed: int) -> None:
    chance = Random(seed)
    for history, table in moments(rules, seed):
        viewer = chance.choice(viewers(table))
        for command in asked_by(viewer, table, chance)[-5:]:
            words = told(table, command)
            for card in named_in(command):
                words = words.replace(card, "")
            assert leaks(words, history, viewer) == []


def named_in(command: Command) -> Hand:
    """The cards that a player names may be named in the answer."""
    match command:
        case PlayCard(card=card):
            return (card,)
        case ExchangeCards(cards=cards):
            return cards
        case _:
            return ()


@FEW
@for_all(RULE_SETS, SEEDS)
def test_with_other_hidden_cards_a_viewer_sees_the_same_and_is_told_the_same(
    rules: Rules, seed: int
) -> None:
    chance = Random(seed)
    for step in steps(rules, seed):
        viewer = chance.choice(viewers(step.after))
        asked = asked_by(viewer, step.after, chance)
        for _ in range(5 if isinstance(step.after, Bidding) else 1):
            other = otherwise(step.after, viewer, chance)
            assert shown_to(viewer, step.after) == shown_to(viewer, other)
            for command in asked:
                assert told(step.after, command) == told(other, command)


def shown_to(viewer: Viewer, table: Table) -> object:
    return view(opened(table), viewer, id="t", version=1, names=NAMES)


def asked_by(viewer: Viewer, table: Table, chance: Random) -> list[Command]:
    """What a player may ask in this phase, to find out what the answers tell."""
    if viewer is None:
        return []
    match table:
        case Bidding():
            bids = [PlaceBid(viewer, tricks) for tricks in range(-1, 19)]
            blind = PlaceBid(viewer, 0, blind=True)
            return [*bids, blind, LookAtHand(viewer), AskRedeal(viewer, SEED)]
        case Playing():
            return [PlayCard(viewer, card, SEED) for card in chance.sample(list(Card), 6)]
        case Exchanging():
            chosen = (tuple(chance.sample(list(Card), 2)) for _ in range(4))
            return [ExchangeCards(viewer, cards) for cards in chosen]
        case _:
            return [DrawCard(viewer, keep=True)]


def moments(rules: Rules, seed: int) -> Iterator[tuple[tuple[Event, ...], Table]]:
    """Every table of a game with the history that led to it, also within one command; of every
    other game the deals are set.
    """
    asked = with_set_deals(rules, seed) if seed % 2 else commands(rules, seed)
    table: Table = Unopened()
    history: tuple[Event, ...] = ()
    for command in asked:
        for event in decide(table, command):
            table = replay((event,), table)
            history += (event,)
            yield history, table


# The same with many more games

LAWS: Final = [
    value
    for name, value in list(globals().items())
    if name.startswith("test_") and hasattr(value, "hypothesis")
]


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__.removeprefix("test_"))
def test_in_very_many_games(law: Any) -> None:
    check = law.hypothesis.inner_test
    drawn = (RULE_SETS, SEEDS)[-len(signature(check).parameters) :]
    MANY(for_all(*drawn)(check))()
