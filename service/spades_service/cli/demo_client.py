"""A client of the API as small as a demonstration needs: one bearer, one connection."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import httpx
import msgspec
from msgspec import Struct

TRIES: Final = 3
"""How often a request is sent at most. A command carries an id, so it is carried out once."""
PATIENCE: Final = 10.0
"""Seconds to wait for an answer."""

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


class Unanswered(Exception):
    """The service did not do what it was asked; the message is one sentence."""


class Happened(Struct):
    """An event in an answer; `seat` is who took a trick."""

    kind: str = msgspec.field(name="__typename")
    seat: int | None = None


class TableId(Struct):
    """A table in an answer."""

    id: str


class Accepted(Struct):
    """A command that was carried out."""

    version: int
    table: TableId
    events: Sequence[Happened]


class Client:
    """Speaks to the service at `url` for the bearer of a token or key, until it is closed."""

    def __init__(self, url: str, bearer: str) -> None:
        self._url = url
        self._http = httpx.AsyncClient(
            base_url=url,
            headers={"Authorization": f"Bearer {bearer}"},
            timeout=PATIENCE,
            trust_env=False,
        )

    async def aclose(self) -> None:
        """Close the connection."""
        await self._http.aclose()

    async def sign_in(self, external_id: str, name: str) -> "Player":
        """A player of the platform whose key this client bears."""
        body = {"externalId": external_id, "name": name}
        signed = await self._asked("POST", "/v1/players", body)
        return Player(self._url, signed["token"], signed["player"]["id"], name)

    async def command(self, mutation: str, command_id: str, **given: Any) -> Accepted:
        """Carry out a command over GraphQL; raises Unanswered, also where it is refused."""
        body = {
            "query": DOCUMENT % (INPUTS[mutation], mutation),
            "variables": {"input": {**given, "commandId": command_id}},
        }
        answer = await self._asked("POST", "/graphql", body)
        if answer.get("errors"):
            raise Unanswered(f"{mutation} failed: {answer['errors'][0]['message']}")
        outcome = answer["data"]["outcome"]
        if "code" in outcome:
            raise Unanswered(f"{mutation} was refused, {outcome['code']}: {outcome['message']}")
        return msgspec.convert(outcome, Accepted)

    async def table(self, table: str) -> Any:
        """The table as the service shows it to this bearer."""
        return await self._asked("GET", f"/v1/tables/{table}")

    async def _asked(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        response = await self._sent(method, path, body)
        if response.status_code == httpx.codes.UNAUTHORIZED:
            raise Unanswered(
                f"the service at {self._url} has another platform key: "
                "set SPADES_PLATFORM_KEY to its own"
            )
        try:
            answer = response.json()
        except ValueError:
            raise Unanswered(
                f"what answers at {self._url} is no spades-service: set SPADES_PORT to another port"
            ) from None
        if response.is_error:
            raise Unanswered(f"the service refuses {path}: {answer.get('detail', answer)}")
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
