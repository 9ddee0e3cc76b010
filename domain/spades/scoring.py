"""Score like a scorekeeper: line by line, each with its reason (rules, section 2)."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from msgspec import Struct

from spades.events import EndReason, RoundScored, ScoreLine, Scoring, SideScore
from spades.rules import Bags, DoubleNil, FailedNil, Missed, Rules, TenFor200
from spades.state import Bid, Playing, Standing

BAG_LIMIT: Final = 10
BAG_PENALTY: Final = 100
DOUBLE_NIL: Final = 200
TEN_BONUS: Final = 200


class Tally(Struct, frozen=True):
    """What a side bid and took, seat by seat, and the bags it brought into the round."""

    rules: Rules
    bids: tuple[Bid, ...]
    taken: tuple[int, ...]
    bags_before: int = 0

    @property
    def contract(self) -> int:
        """The sum of the bids that are not nil."""
        return sum(bid.tricks for bid in self.bids)

    @property
    def failed_nil_tricks(self) -> int:
        """The tricks that never fill the contract, by the rule set."""
        if self.rules.failed_nil is FailedNil.FILL:
            return 0
        return sum(took for bid, took in zip(self.bids, self.taken, strict=True) if bid.nil)

    @property
    def counted(self) -> int:
        """The tricks that count towards the contract."""
        return sum(self.taken) - self.failed_nil_tricks

    @property
    def made(self) -> bool:
        """Whether the contract was made."""
        return self.counted >= self.contract

    @property
    def unit(self) -> bool:
        """Whether the side's two nils are settled as one."""
        return (
            self.rules.double_nil is DoubleNil.UNIT
            and len(self.bids) > 1
            and all(bid.nil for bid in self.bids)
        )

    @property
    def bags(self) -> int:
        """Tricks above the contract, and those of a failed nil that fill nothing."""
        if self.unit:
            return 0
        over = self.counted - self.contract if self.made else 0
        return over + self.failed_nil_tricks


MISSED: Final[Mapping[Missed, int]] = {Missed.MINUS: -10, Missed.ZERO: 0}
"""What each trick of a missed contract scores."""


def contract(tally: Tally) -> Iterator[ScoreLine]:
    """Ten for each trick bid, won or lost; a contract of ten may be worth more."""
    bid = tally.contract
    if bid == 0:
        return
    big = tally.rules.ten_for_200 is TenFor200.ON and bid == 10
    if tally.made:
        yield ScoreLine(Scoring.CONTRACT_MADE, TEN_BONUS if big else 10 * bid)
    else:
        lost = -TEN_BONUS if big else MISSED[tally.rules.missed] * bid
        yield ScoreLine(Scoring.CONTRACT_MISSED, lost)


def nils(tally: Tally) -> Iterator[ScoreLine]:
    """Each nil bidder is settled alone, unless two on a side count as a unit."""
    if tally.unit:
        failed = any(tally.taken)
        yield (
            ScoreLine(Scoring.DOUBLE_NIL_FAILED, -DOUBLE_NIL)
            if failed
            else ScoreLine(Scoring.DOUBLE_NIL_MADE, DOUBLE_NIL)
        )
        return
    for bid, took in zip(tally.bids, tally.taken, strict=True):
        if bid.nil and bid.blind:
            yield _nil(took, tally.rules.blind_nil or 0, BLIND)
        elif bid.nil:
            yield _nil(took, tally.rules.nil, SEEN)


SEEN: Final = (Scoring.NIL_MADE, Scoring.NIL_FAILED)
BLIND: Final = (Scoring.BLIND_NIL_MADE, Scoring.BLIND_NIL_FAILED)


def _nil(took: int, points: int, words: tuple[Scoring, Scoring]) -> ScoreLine:
    made, failed = words
    return ScoreLine(failed, -points) if took else ScoreLine(made, points)


def bags(tally: Tally) -> Iterator[ScoreLine]:
    """A point for each bag, and what ten of them cost."""
    if tally.bags:
        yield ScoreLine(Scoring.BAGS, tally.bags)
    penalties, _ = PENALTIES[tally.rules.bags](tally.bags_before + tally.bags)
    if penalties:
        yield ScoreLine(Scoring.BAG_PENALTY, -BAG_PENALTY * penalties)


def carry(count: int) -> tuple[int, int]:
    """A penalty for every ten, and the rest stays: 22 bags are two penalties and leave 2."""
    return divmod(count, BAG_LIMIT)


def reset(count: int) -> tuple[int, int]:
    """One penalty at ten or more, and the count begins again."""
    return (1, 0) if count >= BAG_LIMIT else (0, count)


def off(count: int) -> tuple[int, int]:
    """Bags are counted, and cost nothing."""
    return 0, count


PENALTIES: Final[Mapping[Bags, Callable[[int], tuple[int, int]]]] = {
    Bags.CARRY: carry,
    Bags.RESET: reset,
    Bags.OFF: off,
}
"""From a bag count to the penalties it costs and the bags that stay."""

SHEET: Final = (contract, nils, bags)


def score(tally: Tally, before: Standing) -> SideScore:
    """A side's sheet for one round."""
    lines = tuple(line for rule in SHEET for line in rule(tally))
    _, left = PENALTIES[tally.rules.bags](tally.bags_before + tally.bags)
    return SideScore(
        contract=tally.contract,
        taken=tally.counted,
        lines=lines,
        score=before.score + sum(line.points for line in lines),
        bags=left,
    )


def tallies(state: Playing) -> tuple[Tally, ...]:
    """What each side bid and took, once the round is played."""
    match = state.match
    return tuple(
        Tally(
            rules=match.rules,
            bids=tuple(bid for seat in side if (bid := state.bids[seat]) is not None),
            taken=tuple(state.taken[seat] for seat in side),
            bags_before=standing.bags,
        )
        for side, standing in zip(match.layout.sides, match.standings, strict=True)
    )


def score_round(state: Playing) -> RoundScored:
    """Every side's sheet."""
    return RoundScored(
        tuple(
            score(tally, before)
            for tally, before in zip(tallies(state), state.match.standings, strict=True)
        )
    )


def end(
    rules: Rules, standings: tuple[Standing, ...], rounds: int
) -> tuple[int | None, EndReason] | None:
    """The winning side (None for a draw) and why, or None while the game goes on (section 3).

    The target is looked at first, then the floor, last the number of rounds.
    """
    scores = [standing.score for standing in standings]
    top = max(scores)
    winner = scores.index(top) if scores.count(top) == 1 else None
    if winner is not None and top >= rules.target:
        return winner, EndReason.TARGET
    if winner is not None and rules.floor is not None and min(scores) <= rules.floor:
        return winner, EndReason.FLOOR
    if rounds >= rules.max_rounds:
        return winner, EndReason.ROUNDS
    return None
