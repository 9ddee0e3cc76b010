"""A client of the API as small as a demonstration needs: one bearer, one connection."""

from collections.abc import Callable, Mapping, Sequence
from secrets import token_hex
from ssl import PROTOCOL_TLS_CLIENT, SSLContext
from types import TracebackType
from typing import Any, Final, Self

import httpx
import msgspec
from msgspec import Struct

from spades.events import BidPlaced, CardDrawn, CardPlayed, CardsOffered, HandSeen
from spades.record_export import spelled
from spades.rules import Rules
from spades_service.cli.demo_words import Move

TRIES: Final = 3
"""How often a request is sent at most. A command carries an id, and is carried out once."""
PATIENCE: Final = 10.0
"""Seconds to wait for an answer."""
NO_TLS: Final = SSLContext(PROTOCOL_TLS_CLIENT)
"""The service speaks plain HTTP: a client need not read every certificate of the system."""

INPUTS: Final[Mapping[str, str]] = {
    "openTable": "OpenTableInput",
    "takeSeat": "TakeSeatInput",
    "startGame": "TableCommandInput",
    "lookAtHand": "TableCommandInput",
    "drawCard": "DrawCardInput",
    "placeBid": "PlaceBidInput",
    "exchangeCards": "ExchangeCardsInput",
    "playCard": "PlayCardInput",
}
"""What each mutation takes."""

DOCUMENT: Final = """
mutation Command($input: %s!) {
  outcome: %s(input: $input) {
    ... on Accepted { version table { id } events { __typename ... on TrickTaken { seat } } }
    ... on Refused { code message }
  }
}
"""

MUTATIONS: Final[Mapping[type[Move], tuple[str, Callable[[Any], Mapping[str, Any]]]]] = {
    HandSeen: ("lookAtHand", lambda _: {}),
    CardDrawn: ("drawCard", lambda drawn: {"keep": drawn.looked}),
    BidPlaced: ("placeBid", lambda bid: {"tricks": bid.tricks, "blind": bid.blind}),
    CardsOffered: ("exchangeCards", lambda offer: {"cards": offer.cards}),
    CardPlayed: ("playCard", lambda play: {"card": play.card}),
}
"""The mutation that makes a recorded move happen again, and what it takes."""


class Unanswered(Exception):
    """The service did not do what it was asked; the message is one sentence."""


class Happened(Struct, frozen=True):
    """An event in an answer; `seat` is who took a trick."""

    type: str = msgspec.field(name="__typename")
    seat: int | None = None


class TableId(Struct, frozen=True):
    """A table in an answer."""

    id: str


class Accepted(Struct, frozen=True):
    """A command that was carried out."""

    version: int
    table: TableId
    events: Sequence[Happened]

    @property
    def taker(self) -> int | None:
        """The seat that took a trick with it."""
        return next((event.seat for event in self.events if event.type == "TrickTaken"), None)


class Client:
    """Speaks to the service at `url` for the bearer of a token or a key."""

    def __init__(self, url: str, bearer: str) -> None:
        self._url = url
        self._http = httpx.AsyncClient(
            base_url=url,
            headers={"Authorization": f"Bearer {bearer}"},
            timeout=PATIENCE,
            trust_env=False,
            verify=NO_TLS,
        )

    async def __aenter__(self) -> Self:
        """Nothing is sent yet."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the connection."""
        await self._http.aclose()

    async def sign_in(self, external_id: str, name: str) -> "Player":
        """A player of the platform whose key this client bears."""
        body = {"externalId": external_id, "name": name}
        signed = await self._asked("POST", "/v1/players", body)
        return Player(self._url, signed["token"], signed["player"]["id"], name)

    async def command(self, mutation: str, **given: Any) -> Accepted:
        """Carry out a command over GraphQL; raises Unanswered, also where it is refused."""
        body = {
            "query": DOCUMENT % (INPUTS[mutation], mutation),
            "variables": {"input": {**given, "commandId": token_hex(8)}},
        }
        answer = await self._asked("POST", "/graphql", body)
        if answer.get("errors"):
            raise Unanswered(f"{mutation} failed: {answer['errors'][0]['message']}")
        outcome = answer["data"]["outcome"]
        if "code" in outcome:
            raise Unanswered(f"{mutation} was refused, {outcome['code']}: {outcome['message']}")
        return msgspec.convert(outcome, Accepted)

    async def move(self, table: str, move: Move) -> Accepted:
        """Make a recorded move."""
        mutation, given = MUTATIONS[type(move)]
        return await self.command(mutation, tableId=table, **given(move))

    async def table(self, table: str) -> Any:
        """The table as the service shows it to this bearer, in JSON."""
        return await self._asked("GET", f"/v1/tables/{table}")

    async def _asked(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        response = await self._sent(method, path, body)
        if response.status_code == httpx.codes.UNAUTHORIZED:
            raise Unanswered(
                f"the service at {self._url} has another platform key: "
                "set SPADES_PLATFORM_KEY to the one it has"
            )
        try:
            answer = response.json()
        except ValueError:
            raise Unanswered(f"the service at {self._url} answers {path} with no JSON") from None
        if response.is_error:
            raise Unanswered(f"the service at {self._url} refuses {path}: {_reason(answer)}")
        return answer

    async def _sent(self, method: str, path: str, body: Mapping[str, Any] | None) -> httpx.Response:
        failure: httpx.TransportError | None = None
        for _ in range(TRIES):
            try:
                return await self._http.request(method, path, json=body)
            except httpx.TransportError as error:
                failure = error
        raise Unanswered(f"the service at {self._url} does not answer any more") from failure


class Player(Client):
    """A client that plays."""

    def __init__(self, url: str, bearer: str, player: str, name: str) -> None:
        super().__init__(url, bearer)
        self.player = player
        self.name = name


def graphql_rules(rules: Rules) -> dict[str, object]:
    """Rules as a mutation takes them: camelCase, and the words of the options in capitals."""
    options = spelled(rules)
    preset = options.pop("preset", "classic")
    return {"preset": preset, **{_camel(key): _enum(value) for key, value in options.items()}}


def _camel(key: str) -> str:
    head, *rest = key.split("_")
    return head + "".join(map(str.title, rest))


def _enum(value: object) -> object:
    return value.upper().replace("-", "_") if isinstance(value, str) else value


def _reason(answer: Any) -> str:
    """What a problem document or a GraphQL answer says."""
    if "detail" in answer:
        return str(answer["detail"])
    return "; ".join(str(error["message"]) for error in answer.get("errors", ()))
