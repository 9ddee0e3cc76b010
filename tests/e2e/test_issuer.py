"""Players of an identity provider at a running service, which asks it for its keys over HTTP."""

import json
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Final

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519
from jwt.algorithms import OKPAlgorithm

from support.client import User, visiting
from support.service import Service, free_port, running

KEY: Final = ed25519.Ed25519PrivateKey.generate()
ISSUER: Final = "https://people.example"
KEY_SET: Final = {"keys": [{**OKPAlgorithm.to_jwk(KEY.public_key(), as_dict=True), "kid": "k1"}]}


@contextmanager
def publishing(port: int) -> Iterator[list[str]]:
    """A host that publishes the keys; what it was asked for."""
    asked: list[str] = []

    class Published(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(KEY_SET).encode())

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Published)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def trusting(port: int) -> dict[str, str]:
    return {
        "SPADES_JWT_ISSUER": ISSUER,
        "SPADES_JWT_AUDIENCE": "spades",
        "SPADES_JWKS_URL": f"http://127.0.0.1:{port}/keys",
    }


def issued(subject: str = "u-17", **changed: Any) -> str:
    claims = {
        "iss": ISSUER,
        "aud": "spades",
        "sub": subject,
        "name": "Ann",
        "exp": int(time.time()) + 600,
        **changed,
    }
    return jwt.encode(claims, KEY, algorithm="EdDSA", headers={"kid": "k1"})


@pytest.fixture(scope="module")
def port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, port: int) -> Iterator[Service]:
    with running(tmp_path_factory.mktemp("issuer"), **trusting(port)) as service:
        with publishing(port):
            yield service
        assert "Traceback" not in service.log


@pytest.fixture
async def stranger(service: Service) -> AsyncIterator[User]:
    async with visiting(service.url) as stranger:
        yield stranger


async def test_an_issuers_player_plays_over_every_face_under_the_issuers_name(
    stranger: User,
) -> None:
    user = stranger.having(issued())
    me = (await user.query("{ me { id name } }"))["me"]
    assert me["name"] == "Ann"
    guest = await stranger.guest("Bob")
    table = (await guest.open()).id
    assert (await user.over("rest").sit(table, 0)).accepted
    assert (await guest.table(table))["seats"][0]["player"] == me
    async with user.watching(table, 0) as updates:
        assert (await anext(updates))["event"]["version"] == 1


async def test_an_issuers_token_for_somebody_else_is_refused(stranger: User) -> None:
    for token in (
        issued(aud="another-service"),
        issued(iss="https://somebody.example"),
        issued(exp=int(time.time()) - 1),
    ):
        answer = await stranger.having(token).post("/v1/tables", {"rules": {"preset": "campus"}})
        assert answer.status_code == 401


async def test_a_socket_ends_with_an_issuers_token_too(stranger: User) -> None:
    async with stranger.having(issued(exp=int(time.time()) + 2)).socket() as socket:
        assert await socket.closed() == 4403


async def test_while_the_issuer_is_out_of_reach_its_players_are_told_to_try_again(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    port = free_port()
    with running(tmp_path_factory.mktemp("alone"), **trusting(port)) as service:
        async with visiting(service.url) as stranger:
            user, guest = stranger.having(issued()), await stranger.guest("Bob")
            assert (await guest.open()).accepted
            for answer in (
                await user.post("/v1/tables", {"rules": {"preset": "campus"}}),
                await user.ask("{ me { id } }"),
            ):
                assert answer.status_code == 503
                assert "try again" in answer.json()["detail"]
            async with user.socket(init=False) as socket:
                await socket.send({"type": "connection_init", "payload": user.headers})
                assert await socket.closed() == 1013
        assert "Traceback" not in service.log


async def test_an_issuer_that_goes_away_costs_nobody_who_plays(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    port = free_port()
    with running(tmp_path_factory.mktemp("left"), **trusting(port)) as service:
        async with visiting(service.url) as stranger:
            with publishing(port) as asked:
                for _ in range(5):
                    assert (await stranger.having(issued()).open()).accepted
                assert asked == ["/keys"]
            assert (await stranger.having(issued("u-18")).open()).accepted
