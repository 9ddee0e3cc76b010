"""Writes the schemas that clients build on, or checks that they still are what they were."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
from graphql import lexicographic_sort_schema, print_schema

from spades.events import EVENTS
from spades_schema.build import build_schema
from spades_service.app import openapi

HERE: Final = Path(__file__).parent


def sdl() -> str:
    """The GraphQL schema, sorted, so that a change of order is no change."""
    schema = build_schema()
    return print_schema(lexicographic_sort_schema(schema.core)) + "\n"


def events_schema() -> Mapping[str, Any]:
    """JSON Schema of every event's stored body."""
    _, components = msgspec.json.schema_components(EVENTS.values(), ref_template="#/$defs/{name}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Stored events",
        "description": "The body of each event, by the name of its type.",
        "properties": {name: {"$ref": f"#/$defs/{name}"} for name in EVENTS},
        "$defs": components,
    }


def _json(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value, order="sorted"), indent=2).decode() + "\n"


def snapshots() -> Mapping[str, str]:
    """Every snapshot by its file's name."""
    return {
        "schema.graphql": sdl(),
        "openapi.json": _json(openapi()),
        "events.schema.json": _json(events_schema()),
    }


def main(arguments: list[str]) -> int:
    """Write the snapshots; with `--check`, say which of them differ and return 1."""
    if "--check" not in arguments:
        for name, text in snapshots().items():
            (HERE / name).write_text(text)
        return 0
    stale = [
        name
        for name, text in snapshots().items()
        if not (HERE / name).exists() or (HERE / name).read_text() != text
    ]
    for name in stale:
        print(f"{name} is not what the code says: run `make schema` and review the difference")  # noqa: T201
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
