"""What mutations take."""

from collections.abc import Mapping

import strawberry
from strawberry import UNSET

from spades import rules
from spades.events import BotLevel
from spades.rules import SCHEMA, Option
from spades_schema.scalars import CardCode


@strawberry.input(description="A preset, and the options that differ from it.")
class RulesInput:
    preset: str
    game: rules.Game | None = UNSET
    target: int | None = UNSET
    floor: int | None = UNSET
    max_rounds: int | None = UNSET
    nil: int | None = UNSET
    blind_nil: int | None = UNSET
    blind_nil_behind: int | None = UNSET
    exchange: int | None = UNSET
    failed_nil: rules.FailedNil | None = UNSET
    missed: rules.Missed | None = UNSET
    bags: rules.Bags | None = UNSET
    first_trick: rules.FirstTrick | None = UNSET
    breaks: rules.Breaks | None = UNSET
    minimum_side_bid: int | None = UNSET
    jokers: rules.Jokers | None = UNSET
    bidding: rules.BidRule | None = UNSET
    spade_lead: rules.SpadeLead | None = UNSET
    ten_for_200: rules.TenFor200 | None = UNSET
    double_nil: rules.DoubleNil | None = UNSET
    redeal: rules.Redeal | None = UNSET
    identical: rules.Identical | None = UNSET

    def as_record(self) -> Mapping[str, object]:
        """The same rules in the keys and words of a record."""
        named = {key: getattr(self, key) for key in SCHEMA}
        return {"preset": self.preset} | {
            key: value.value if isinstance(value, Option) else value
            for key, value in named.items()
            if value is not UNSET
        }


@strawberry.input
class OpenTableInput:
    rules: RulesInput
    dealer: int | None = strawberry.field(
        default=None, description="The seat that deals first; drawn at random without one."
    )
    deals: list[list[list[CardCode]]] | None = strawberry.field(
        default=None,
        description="Hands by round and seat, for platforms only; the table says so for ever. "
        "Two-handed: one list, the stock, top card first.",
    )
    turn_seconds: int | None = strawberry.field(
        default=None,
        description="The time for each move, 5 or more; when it is over, a computer moves.",
    )
    private: bool | None = strawberry.field(
        default=False, description="Whether the table is kept out of the lists."
    )
    seat: int | None = strawberry.field(
        default=None, description="A seat for the caller, who sits down at once."
    )
    fill: BotLevel | None = strawberry.field(
        default=None,
        description="Computers of this level take the seats that are left, and the game begins.",
    )
    command_id: str | None = strawberry.field(
        default=None,
        description="A client's own id; a retry with it is answered as the first time.",
    )


@strawberry.input
class TableCommandInput:
    table_id: strawberry.ID
    command_id: str | None = None
    expected_version: int | None = strawberry.field(
        default=None, description="Refused with VERSION_CONFLICT where the table has moved on."
    )


@strawberry.input
class TakeSeatInput(TableCommandInput):
    seat: int
    invite_code: str | None = strawberry.field(
        default=None, description="The code of an invitation, at a private table."
    )


@strawberry.input
class SeatBotInput(TableCommandInput):
    seat: int
    level: BotLevel | None = strawberry.field(
        default=None, description="EASY, the only one there is yet, where none is named."
    )


@strawberry.input
class PlaceBidInput(TableCommandInput):
    tricks: int = strawberry.field(description="0 is nil.")
    blind: bool | None = False


@strawberry.input
class ExchangeCardsInput(TableCommandInput):
    cards: list[CardCode]


@strawberry.input
class DrawCardInput(TableCommandInput):
    keep: bool


@strawberry.input
class PlayCardInput(TableCommandInput):
    card: CardCode
