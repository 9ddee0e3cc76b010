"""Queries, mutations and subscriptions: each a line or two on top of a use case."""

from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from typing import Any, Final, cast

import strawberry
from graphql import GraphQLError
from strawberry.exceptions import MissingQueryError
from strawberry.schema.exceptions import CannotGetOperationTypeError, InvalidOperationTypeError

from spades.cards import Card, Hand
from spades.events import BotLevel
from spades.refusals import RefusalCode
from spades.rules import PRESETS
from spades.view import seat_of
from spades_schema import inputs
from spades_schema.answers import CommandResult, answer
from spades_schema.context import Info, fault, known_caller
from spades_schema.events import TableEvent, shown_event
from spades_schema.lobby import LobbyMutation, LobbyQuery
from spades_schema.scalars import CardCode
from spades_schema.types import Accepted, MyTurn, Player, Refused, RuleSet, Table, TableUpdate
from spades_schema.watching import shown_turn, shown_update, turns_of, updates_of
from spades_service import requests

MOST_EVENTS: Final = 1000


@strawberry.type(description="What can be read.")
class Query(LobbyQuery):
    @strawberry.field(
        description="The presets, each with every option resolved and a sentence that says what "
        "sets it apart."
    )
    def rule_sets(self) -> list[RuleSet]:
        return [cast(RuleSet, preset.rules) for preset in PRESETS.values()]

    @strawberry.field(
        description="The table as the caller may see it, now or as it was at a version. Null where "
        "there is none, or none that the caller may see."
    )
    async def table(
        self,
        info: Info,
        id: strawberry.ID,
        at_version: int | None = None,
        invite_code: str | None = None,
    ) -> Table | None:
        services, caller = info.context.services, known_caller(info)
        now = await services.tables.load_for(caller, id, invite_code)
        then = now if at_version is None else await services.tables.at(id, at_version)
        if not now.exists or not then.exists:
            return None
        shown = await services.show(caller, id, then.version, then.table, then.deadline)
        return cast(Table, shown)

    @strawberry.field(
        description="What happened after a version, oldest first, as the caller may see it."
    )
    async def events(
        self,
        info: Info,
        table_id: strawberry.ID,
        after: int = 0,
        first: int = 100,
        invite_code: str | None = None,
    ) -> list[TableEvent]:
        services, caller = info.context.services, known_caller(info)
        now = await services.tables.load_for(caller, table_id, invite_code)
        if not now.exists:
            raise fault(RefusalCode.NOT_FOUND, "there is no such table")
        if after < 0 or not 0 <= first <= MOST_EVENTS:
            raise fault(
                RefusalCode.BAD_COMMAND,
                f"`after` is 0 or more, and `first` 0 to {MOST_EVENTS}",
            )
        names, seat = await services.names_at(now.table), seat_of(now.table, caller.player)
        history = await services.tables.history(table_id, after, first) if first else ()
        return [shown_event(recorded, seat, names) for recorded in history]

    @strawberry.field(description="The player who asks; null for a stranger or a platform.")
    async def me(self, info: Info) -> Player | None:
        player = info.context.caller.player
        if player is None:
            return None
        names = await info.context.services.names.of([player])
        return Player(id=strawberry.ID(player), name=names.get(player, ""))


def _cards(codes: Iterable[CardCode]) -> Hand:
    return tuple(map(Card, codes))


async def _command(
    info: Info,
    input: inputs.TableCommandInput,
    request: requests.TableRequest,
) -> Accepted | Refused:
    outcome = await info.context.services.tables.execute(
        info.context.caller,
        input.table_id,
        request,
        command_id=input.command_id,
        expected_version=input.expected_version,
    )
    return await answer(info, outcome)


@strawberry.type(description="What players do. A refusal is an answer, not an error.")
class Mutation(LobbyMutation):
    @strawberry.mutation(description="Open a table; its rules hold for ever.")
    async def open_table(self, info: Info, input: inputs.OpenTableInput) -> CommandResult:
        deals = input.deals
        request = requests.OpenTable(
            rules=input.rules.as_record(),
            dealer=input.dealer,
            deals=None
            if deals is None
            else tuple(tuple(_cards(hand) for hand in deal) for deal in deals),
            turn_seconds=input.turn_seconds,
            private=bool(input.private),
            seat=input.seat,
            fill=input.fill,
        )
        outcome = await info.context.services.tables.open(
            info.context.caller, request, input.command_id
        )
        return await answer(info, outcome)

    @strawberry.mutation(description="Sit down in an empty seat.")
    async def take_seat(self, info: Info, input: inputs.TakeSeatInput) -> CommandResult:
        return await _command(info, input, requests.TakeSeat(input.seat, input.invite_code))

    @strawberry.mutation(description="Get up, before the game has begun.")
    async def leave_seat(self, info: Info, input: inputs.TableCommandInput) -> CommandResult:
        return await _command(info, input, requests.LeaveSeat())

    @strawberry.mutation(description="Let a computer take an empty seat.")
    async def seat_bot(self, info: Info, input: inputs.SeatBotInput) -> CommandResult:
        level = input.level or BotLevel.EASY
        return await _command(info, input, requests.SeatBot(input.seat, level))

    @strawberry.mutation(description="Play for oneself again, after having been away.")
    async def come_back(self, info: Info, input: inputs.TableCommandInput) -> CommandResult:
        return await _command(info, input, requests.ComeBack())

    @strawberry.mutation(description="Deal the first round, once every seat is taken.")
    async def start_game(self, info: Info, input: inputs.TableCommandInput) -> CommandResult:
        return await _command(info, input, requests.StartGame())

    @strawberry.mutation(
        description="See one's own cards, where the rules withhold them until asked: from then on "
        "no blind bid."
    )
    async def look_at_hand(self, info: Info, input: inputs.TableCommandInput) -> CommandResult:
        return await _command(info, input, requests.LookAtHand())

    @strawberry.mutation(description="Bid a number of tricks; 0 is nil.")
    async def place_bid(self, info: Info, input: inputs.PlaceBidInput) -> CommandResult:
        return await _command(info, input, requests.PlaceBid(input.tricks, bool(input.blind)))

    @strawberry.mutation(description="Choose the cards for the partner, after a blind nil.")
    async def exchange_cards(self, info: Info, input: inputs.ExchangeCardsInput) -> CommandResult:
        return await _command(info, input, requests.ExchangeCards(_cards(input.cards)))

    @strawberry.mutation(description="Two-handed: keep the top card, or discard it for the next.")
    async def draw_card(self, info: Info, input: inputs.DrawCardInput) -> CommandResult:
        return await _command(info, input, requests.DrawCard(input.keep))

    @strawberry.mutation(description="Play a card to the trick.")
    async def play_card(self, info: Info, input: inputs.PlayCardInput) -> CommandResult:
        return await _command(info, input, requests.PlayCard(Card(input.card)))

    @strawberry.mutation(
        description="Ask for a new deal, where the rules grant one to a hand without a spade."
    )
    async def ask_redeal(self, info: Info, input: inputs.TableCommandInput) -> CommandResult:
        return await _command(info, input, requests.AskRedeal())


@strawberry.type(description="What can be watched.")
class Subscription:
    @strawberry.subscription(
        description="Every event after a version (default: from now), then each as it happens; the "
        "same after a reconnect with the last version seen."
    )
    async def table_events(
        self,
        info: Info,
        table_id: strawberry.ID,
        after: int | None = None,
        invite_code: str | None = None,
    ) -> AsyncGenerator[TableUpdate, None]:
        watched = await updates_of(info.context, table_id, after, invite_code)
        async with aclosing(watched) as updates:
            async for update in updates:
                yield await shown_update(info.context, table_id, update)

    @strawberry.subscription(
        description="Every table that waits for the caller's move: at first those that wait now, "
        "then each as it begins to, and when its deadline moves. After a lost connection it begins "
        "anew with all that waits."
    )
    async def my_turns(self, info: Info) -> AsyncGenerator[MyTurn, None]:
        async with aclosing(turns_of(info.context)) as turns:
            async for turn in turns:
                yield await shown_turn(info.context, turn)


BAD_REQUESTS: Final = (
    GraphQLError,
    CannotGetOperationTypeError,
    InvalidOperationTypeError,
    MissingQueryError,
)


def is_expected(error: GraphQLError) -> bool:
    """Whether an error was meant for the client; any other shows nothing of its inside."""
    original: Any = error.original_error
    return original is None or isinstance(original, BAD_REQUESTS)
