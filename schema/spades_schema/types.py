"""The table as the API shows it.

The types name the fields of the domain's views, and the views themselves are what resolvers return:
nothing is copied, and nothing can be shown that the view has not let through.
"""

from typing import Any, Final, cast

import strawberry

from spades import rules as options
from spades.events import BotLevel
from spades.refusals import RefusalCode
from spades.rule_sheet import rule_sheet
from spades.rules import PRESETS, Rules
from spades.view import Phase, Status
from spades_schema.events import TableEvent
from spades_schema.scalars import CardCode, Instant

PRESET_OF: Final = {preset.rules: name for name, preset in PRESETS.items()}


def preset_name(root: Any) -> str | None:
    """The preset whose options these are, all of them."""
    return PRESET_OF.get(cast(Rules, root))


def preset_sentence(root: Any) -> str | None:
    """What sets the preset apart."""
    name = preset_name(root)
    return None if name is None else PRESETS[name].sentence


def preset_targets(root: Any) -> list[int]:
    """The targets that a client offers."""
    name = preset_name(root)
    return [root.target] if name is None else list(PRESETS[name].targets)


@strawberry.type(description="A part of a rule sheet.")
class RuleSection:
    title: str
    sentences: list[str]


def rule_sections(root: Any) -> list[RuleSection]:
    """The sheet, made from the options."""
    return cast(list[RuleSection], list(rule_sheet(cast(Rules, root))))


@strawberry.type(description="A way to play, every option resolved.")
class RuleSet:
    preset: str | None = strawberry.field(
        resolver=preset_name, description="The preset's name, if no option differs from it."
    )
    sentence: str | None = strawberry.field(
        resolver=preset_sentence, description="What sets the preset apart."
    )
    targets: list[int] = strawberry.field(
        resolver=preset_targets,
        description="The targets that a client offers, the usual one first.",
    )
    sheet: list[RuleSection] = strawberry.field(
        resolver=rule_sections, description="The rules in sentences for people."
    )
    game: options.Game
    target: int
    floor: int | None
    max_rounds: int
    nil: int
    blind_nil: int | None
    blind_nil_behind: int | None
    exchange: int
    failed_nil: options.FailedNil
    missed: options.Missed
    bags: options.Bags
    first_trick: options.FirstTrick
    breaks: options.Breaks
    minimum_side_bid: int
    jokers: options.Jokers
    bidding: options.BidRule
    spade_lead: options.SpadeLead
    ten_for_200: options.TenFor200
    double_nil: options.DoubleNil
    redeal: options.Redeal
    identical: options.Identical


@strawberry.type(description="Someone who plays.")
class Player:
    id: strawberry.ID
    name: str


@strawberry.type(description="A seat, its own bid and its own tricks of this round.")
class Seat:
    number: int
    player: Player | None
    bot: bool
    level: BotLevel | None = strawberry.field(description="A computer's level.")
    away: bool = strawberry.field(
        description="Whether moves were made for this player on end, until they come back."
    )
    card_count: int
    bid: int | None = strawberry.field(description="0 is nil; null until it is said.")
    blind: bool
    taken: int


@strawberry.type(description="A card on the table, and who played it.")
class Play:
    seat: int
    card: CardCode


@strawberry.type(description="The round being played.")
class Round:
    number: int
    spades_broken: bool
    trick: list[Play]
    last_trick: list[Play]
    trick_number: int = strawberry.field(description="From 1; 0 until cards are played.")


@strawberry.type(description="Partners, or one player alone.")
class Side:
    seats: list[int]
    contract: int | None = strawberry.field(description="Null until all of its bids are in.")
    taken: int = strawberry.field(description="The tricks that count towards the contract.")
    score: int
    bags: int


@strawberry.type(description="A table at a version, as the caller may see it.")
class Table:
    id: strawberry.ID
    version: int
    status: Status
    phase: Phase
    rules: RuleSet
    set_deals: bool = strawberry.field(description="Whether a platform has set the deals.")
    private: bool
    opened_at: Instant
    invite_code: str | None = strawberry.field(
        description="The code that lets others in, at a private table."
    )
    rematch: strawberry.ID | None = strawberry.field(
        description="Where a finished game is played again, once somebody has asked for that."
    )
    turn_seconds: int | None = strawberry.field(description="The time for each move.")
    seats: list[Seat] = strawberry.field(description="Clockwise, number 0 first.")
    dealer: int | None
    turn: int | None = strawberry.field(
        description="Whose move it is; null when it is nobody's, or several seats' at once."
    )
    awaited: list[int] = strawberry.field(
        description="Every seat that the table waits for: several while cards are exchanged."
    )
    deadline: Instant | None = strawberry.field(
        description="When the time of the player in turn runs out; null without a clock."
    )
    seat: int | None = strawberry.field(description="The caller's own seat; null for a spectator.")
    hand: list[CardCode] | None = strawberry.field(
        description="The caller's own cards, sorted; null for a spectator, or while the rules "
        "withhold them."
    )
    hand_withheld: bool = strawberry.field(
        description="Whether the caller's cards are withheld until they look or bid."
    )
    legal_plays: list[CardCode] = strawberry.field(
        description="What the caller may play now; empty when it is not their turn."
    )
    legal_bids: list[int] = strawberry.field(
        description="What the caller may bid now, as far as they have seen their cards."
    )
    may_bid_blind: bool = strawberry.field(description="Whether the caller may bid blind nil now.")
    top_card: CardCode | None = strawberry.field(
        description="Two-handed: the card that the caller looks at, to keep or to discard."
    )
    offered: list[CardCode] | None = strawberry.field(
        description="The cards that the caller has chosen for the partner."
    )
    round: Round | None
    sides: list[Side]
    winner: list[int] | None = strawberry.field(
        description="Seats of the winning side, empty for a draw; null before the end."
    )


@strawberry.type(description="A command that was carried out.")
class Accepted:
    version: int
    events: list[TableEvent]
    table: Table


@strawberry.type(
    description="Data, not an error: what the rules or the table said no to, and what would be "
    "right."
)
class Refused:
    code: RefusalCode
    message: str
    version: int | None


@strawberry.type(description="A table that waits for the caller's move.")
class MyTurn:
    table_id: strawberry.ID
    version: int
    seat: int = strawberry.field(description="The caller's own.")
    phase: Phase
    deadline: Instant | None = strawberry.field(
        description="When the time for the move runs out; null without a clock."
    )
    table: Table


@strawberry.type(description="An event, and the table right after it.")
class TableUpdate:
    event: TableEvent
    table: Table
