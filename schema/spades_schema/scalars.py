"""Scalars and enums: the domain's own words, spelled as GraphQL spells them."""

from typing import Final, NewType

import strawberry
from graphql import GraphQLError
from strawberry.types.scalar import ScalarDefinition

from spades import rules, view
from spades.cards import Card
from spades.events import BotLevel, EndReason, Scoring
from spades.refusals import RefusalCode
from spades_service.times import instant_text

CardCode = NewType("CardCode", str)
"""A card as a scalar, not an enum: half the cost of a hand on the wire (a `Card` is a str)."""
Instant = NewType("Instant", int)
"""Milliseconds since 1970 UTC, inside; RFC 3339 outside, as the service's own views have it."""


def read_card(value: object) -> Card:
    """A card from a client, or an error that says how cards are written."""
    try:
        return Card(value)  # type: ignore[arg-type]
    except ValueError:
        raise GraphQLError(
            f"{value!r:.40} is not a card: a card is two letters, suit first, such as SA, C2, DT, "
            "or BJ and LJ for the jokers"
        ) from None


def written_instant(value: int | str) -> str:
    """A time as clients read it."""
    return value if isinstance(value, str) else instant_text(value)


SCALARS: Final[dict[object, ScalarDefinition]] = {
    CardCode: strawberry.scalar(
        name="Card",
        description="A card in two letters, suit first: SA, C2, DT; jokers BJ and LJ.",
        parse_value=read_card,
    ),
    Instant: strawberry.scalar(
        name="Instant",
        description="RFC 3339, UTC, milliseconds: 2026-11-30T22:38:00.000Z.",
        serialize=written_instant,
    ),
}

OPTIONS: Final = tuple(
    strawberry.enum(option, description=f"{(option.__doc__ or '').strip()}")
    for option in (
        rules.Game,
        rules.FailedNil,
        rules.Missed,
        rules.Bags,
        rules.FirstTrick,
        rules.Breaks,
        rules.Jokers,
        rules.BidRule,
        rules.SpadeLead,
        rules.TenFor200,
        rules.DoubleNil,
        rules.Redeal,
        rules.Identical,
    )
)
strawberry.enum(view.Status, name="TableStatus", description="How far a table is.")
strawberry.enum(view.Phase, description="What a table waits for.")
strawberry.enum(BotLevel, description="How well a computer plays.")
strawberry.enum(Scoring, description="The reasons on a score sheet.")
strawberry.enum(EndReason, description="Why a game was over.")
strawberry.enum(
    RefusalCode, description="Why a command was turned down; the message says what would be right."
)
