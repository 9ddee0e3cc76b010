"""The JSON of a record, `spades-record/1`: its keys and their types, not yet what they mean."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import msgspec
from msgspec import DecodeError, Struct, ValidationError, field

from spades.record import RecordFault, bad_record

OptionValue = int | float | str | bool | None
"""An option in JSON. Wrong ones are read too, so that the fault can name the option."""
FORMAT: Final = "spades-record/1"
BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


class RoundFile(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A round's keys, in the order in which they are written. What is empty is left out."""

    dealer: str
    deal: dict[str, str] | None = None
    aside: str | None = None
    draws: list[str] = field(default_factory=list)
    looked: list[str] = field(default_factory=list)
    bids: dict[str, int | str] = field(default_factory=dict)
    exchange: dict[str, str] = field(default_factory=dict)
    tricks: list[str] = field(default_factory=list)


class RecordFile(Struct, forbid_unknown_fields=True):
    """A record's keys, in the order in which they are written."""

    format: str
    rules: dict[str, OptionValue]
    seats: list[str]
    rounds: list[RoundFile]


DECODER: Final = msgspec.json.Decoder(RecordFile)


def read_file(data: bytes) -> RecordFile:
    """The file's keys and values; raises RecordFault where they are not those of a record."""
    data = data.removeprefix(BYTE_ORDER_MARK)
    try:
        file = DECODER.decode(data)
    except ValidationError as error:
        raise _wrong_shape(error) from None
    except (DecodeError, RecursionError) as error:
        raise bad_record("", f"this is not JSON in UTF-8: {error}") from None
    _refuse_doubled_keys(data)
    if file.format != FORMAT:
        raise bad_record("format", f"it must be {FORMAT!r}, not {file.format!r}")
    return file


def write_file(file: RecordFile) -> bytes:
    """Text for people too: the same record is the same bytes, one thing to a line."""
    return msgspec.json.format(msgspec.json.encode(file), indent=2) + b"\n"


def _wrong_shape(error: ValidationError) -> RecordFault:
    """`Expected X - at $.path` as a sentence that begins with the path."""
    reason, _, at = str(error).partition(" - at `$")
    for theirs, ours in WORDS.items():
        if reason.startswith(theirs):
            reason = ours + reason.removeprefix(theirs)
    return bad_record(at.strip("`."), reason)


WORDS: Final = {
    "Expected": "expected",
    "Object contains unknown field": "there is no key",
    "Object missing required field": "there must be a key",
    "Integer value": "number",
    "Number": "number",
}


class _Doubled(dict[str, Any]):
    """An object of which a key stood twice."""

    key = ""


def _refuse_doubled_keys(data: bytes) -> None:
    """Of two equal keys readers of JSON keep the one or the other; a record has none to choose."""
    found: list[_Doubled] = []

    def of_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = dict(pairs)
        if len(keys) == len(pairs):
            return keys
        found.append(_Doubled(keys))
        found[-1].key = Counter(name for name, _ in pairs).most_common(1)[0][0]
        return found[-1]

    tree = json.loads(data.decode(), object_pairs_hook=of_pairs)
    if found:
        # The last one found is the outermost, and not inside a value that a later key replaced.
        path = next(path for path, node in _nodes(tree, "") if node is found[-1])
        raise bad_record(path, f"the key {found[-1].key!r} stands twice")


def _nodes(node: Any, path: str) -> Iterator[tuple[str, object]]:
    yield path, node
    if isinstance(node, dict):
        for key, value in node.items():
            yield from _nodes(value, f"{path}.{key}" if path else key)
    elif isinstance(node, list):
        for place, value in enumerate(node):
            yield from _nodes(value, f"{path}[{place}]")
