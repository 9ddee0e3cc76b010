"""Lists in pages, as the Relay connection specification has them: a cursor says where one ends."""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final

from msgspec import Struct

from spades.refusals import RefusalCode, Refused, require
from spades_service.ports import Listed
from spades_service.tables import Loaded

USUAL: Final = 20
MOST: Final = 100
PLACE: Final = re.compile(r"(\d{1,13}):([a-z2-7]{16})", re.ASCII)


class Part(Struct, frozen=True):
    """A part of a list: so many beyond a place, towards its end or, `backwards`, its beginning."""

    count: int = USUAL
    beyond: Listed | None = None
    backwards: bool = False


class Page(Struct, frozen=True):
    """Tables in the order of the list, and whether there are more before and after them.

    `start` and `end` are where the next page begins in either direction. They are there also where
    the search was cut short before it had found as many as were asked for.
    """

    tables: tuple[Loaded, ...]
    before: bool
    after: bool
    start: str | None
    end: str | None


def part(first: int | None, after: str | None, last: int | None, before: str | None) -> Part:
    """The part that a client asks for; raises Refused with BAD_COMMAND."""
    backwards = last is not None or before is not None
    require(
        not backwards or (first is None and after is None),
        RefusalCode.BAD_COMMAND,
        "a page is `first` so many `after` a cursor, or `last` so many `before` one: not both",
    )
    count, cursor = (last, before) if backwards else (first, after)
    require(
        count is None or 1 <= count <= MOST,
        RefusalCode.BAD_COMMAND,
        f"a page has 1 to {MOST} tables: `{'last' if backwards else 'first'}` cannot be {count}",
    )
    beyond = None if cursor is None else read_cursor(cursor)
    return Part(USUAL if count is None else count, beyond, backwards)


def cursor_of(loaded: Loaded) -> str:
    """Where a table stands in every list."""
    return written_cursor(Listed(loaded.opened, loaded.id))


def written_cursor(listed: Listed) -> str:
    """A place as clients hand it back; what it says is no matter of theirs."""
    return urlsafe_b64encode(f"{listed.place}:{listed.table}".encode()).decode().rstrip("=")


def read_cursor(cursor: str) -> Listed:
    """The place behind a cursor; raises Refused with BAD_COMMAND for one that is none of ours."""
    try:
        text = urlsafe_b64decode(cursor.encode("ascii") + b"==").decode("ascii")
    except ValueError:
        text = ""
    found = PLACE.fullmatch(text)
    if found is None or written_cursor(listed := Listed(int(found[1]), found[2])) != cursor:
        raise Refused(
            RefusalCode.BAD_COMMAND,
            f"{cursor!r:.60} is no cursor: send back a `cursor`, `endCursor` or `startCursor` as "
            "it came",
        )
    return listed
