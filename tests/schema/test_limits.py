"""Documents that ask for too much are stopped before they cost anything, on every way in."""

import time
from typing import Any, Final

import pytest
from graphql import GraphQLError, get_introspection_query, validate
from strawberry.types import ExecutionResult

from spades_schema import documents
from spades_schema.build import Schema, build_schema
from spades_schema.context import Context
from spades_schema.documents import Documents
from support.client import EVENT, RESULT, SUBSCRIPTION, TABLE
from support.house import PLAYERS, House
from support.on_memory import services_on

PATIENCE: Final = 0.05
"""Seconds of the processor's time."""


def spreading(count: int) -> str:
    return " ".join(f"...F{number}" for number in range(count))


def doubling(count: int) -> str:
    """Each fragment spreads the next one twice, below two fields."""
    fragments = "".join(
        f" fragment F{number} on Query"
        f" {{ a: me {{ ...F{number + 1} }} b: me {{ ...F{number + 1} }} }}"
        for number in range(count)
    )
    return f"{{ ...F0 }}{fragments} fragment F{count} on Query {{ me {{ id }} }}"


HOSTILE: Final = {
    "6 kB of aliases": "{" + " ".join(f"a{n}: ruleSets {{ preset }}" for n in range(260)) + "}",
    "aliases below": "{ ruleSets {" + " ".join(f"a{n}: preset" for n in range(600)) + "} }",
    "a field again and again": "{ ruleSets {" + " preset" * 1900 + "} }",
    "a selection again and again": "{" + " ruleSets { preset }" * 450 + "}",
    "deep": "{ a " * 900 + "}" * 900,
    "deep enough to be read": "{ a " * 150 + "}" * 150,
    "deep in fragments": "{ ...F0 }"
    + "".join(f" fragment F{n} on Query {{ me {{ me {{ ...F{n + 1} }} }} }}" for n in range(20))
    + " fragment F20 on Query { me { id } }",
    "deep in inline fragments": "{" + "... on Query {" * 180 + "me { id }" + "}" * 181,
    "fragments that double": doubling(25),
    "many fragments that double": doubling(60),
    "fragments side by side": "{ table(id: 1) {"
    + spreading(60)
    + "} }"
    + "".join(f" fragment F{n} on Table {{ seats {{ number }} id }}" for n in range(60)),
    "10,000 tokens": "{" + " a" * 10_000 + "}",
    "directives": "{ ruleSets { preset " + "@skip(if: true) " * 200 + "} }",
    "many operations": " ".join(f"query Q{n} {{ me {{ id }} }}" for n in range(200)),
    "many variables": "query (" + " ".join(f"$a{n}: Int" for n in range(300)) + ") { me { id } }",
    "unknown fields": "{ ruleSets {" + " ".join(f"targett{n}" for n in range(900)) + "} }",
    "unknown arguments": "{ ruleSets("
    + " ".join(f"a{n}: 1" for n in range(480))
    + ") { preset } }",
    "an unknown object": "mutation { openTable(input: {"
    + " ".join(f"x{n}: 1" for n in range(480))
    + "}) { __typename } }",
    "brackets": "{ ruleSets(a: " + "[" * 900 + "]" * 900 + ") { preset } }",
    "a fragment in itself": "{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }",
}


@pytest.fixture(scope="module")
def schema() -> Schema:
    return build_schema()


@pytest.mark.parametrize("document", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_document_is_refused_in_no_time(schema: Schema, document: str) -> None:
    spent = []
    for _ in range(3):
        begun = time.process_time()
        prepared = Documents(schema.core).prepare(document)
        spent.append(time.process_time() - begun)
        assert prepared.errors
        assert all(len(error.message) < 300 for error in prepared.errors)
    assert min(spent) < PATIENCE


MUTATION: Final = (
    "mutation($input: PlayCardInput!) { playCard(input: $input) {" + RESULT + "} }" + EVENT + TABLE
)


@pytest.mark.parametrize(
    "document",
    [
        SUBSCRIPTION,
        MUTATION,
        get_introspection_query(),
        get_introspection_query(descriptions=False),
    ],
    ids=["a subscription", "a mutation", "introspection", "introspection without descriptions"],
)
def test_what_clients_usually_ask_is_let_through(schema: Schema, document: str) -> None:
    assert not Documents(schema.core).prepare(document).errors


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ("{" + " ".join(f"a{n}: me {{ id }}" for n in range(11)) + "}", "10 fields at its root"),
        ("{ ...R } fragment R on Query {" + "a: me {id} " * 11 + "}", "10 fields at its root"),
        ("{ ruleSets {" + " ".join(f"a{n}: nil" for n in range(31)) + "} }", "30 aliases"),
        ("{ a " * 17 + "}" * 17, "16 levels deep"),
    ],
)
def test_a_limit_says_what_it_is(schema: Schema, document: str, said: str) -> None:
    (error,) = Documents(schema.core).prepare(document).errors
    assert said in error.message
    assert error.extensions == {"code": "TOO_MUCH"}


async def test_streams_and_sockets_have_the_same_limits(schema: Schema, house: House) -> None:
    context = Context(services_on(house), PLAYERS[0])
    document = HOSTILE["6 kB of aliases"]
    (result,) = [result async for result in await schema.stream(document, {}, context)]
    assert isinstance(result, ExecutionResult)
    assert result.errors is not None
    assert "10 fields at its root" in result.errors[0].message


async def test_a_document_is_checked_once_whoever_asks_and_however(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked = 0

    def counted(*given: Any, **more: Any) -> list[GraphQLError]:
        nonlocal checked
        checked += 1
        return validate(*given, **more)

    monkeypatch.setattr(documents, "validate", counted)
    schema = build_schema()
    for caller in PLAYERS:
        context = Context(services_on(house), caller)
        schema.documents.prepare("{ me { id } }")
        await schema.execute("{ me { id } }", context_value=context)
        async for _ in await schema.stream("{ me { id } }", {}, context):
            pass
    assert checked == 1


def test_a_long_document_is_not_remembered(schema: Schema) -> None:
    long = "{ me { id } }" + " " * documents.LONGEST_KEPT
    assert schema.documents.prepare(long) is not schema.documents.prepare(long)
    assert schema.documents.prepare("{ me { id } }") is schema.documents.prepare("{ me { id } }")
