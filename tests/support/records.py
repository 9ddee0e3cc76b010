"""The recorded games beside the tests, whole or changed."""

import json
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parent.parent / "records"
NAMES: Final = sorted(path.stem for path in FOLDER.glob("*.json"))

CAMPUS: Final = "campus-one-round"
JOKERS: Final = "jokers-and-deuces-one-round"
BLIND_NIL: Final = "blind-nil-and-exchange-game"
CUTTHROAT: Final = "cutthroat-game"
LOWEST_CLUB: Final = "lowest-club-game"
SIX_HANDED: Final = "six-handed-game"
THREE_HANDED: Final = "three-handed-game"
TWO_HANDED: Final = "two-handed-game"
UNFINISHED: Final = "unfinished-game"


def data(name: str) -> bytes:
    """A record as it lies in the folder."""
    return (FOLDER / f"{name}.json").read_bytes()


def plain(name: str) -> Any:
    """A record as JSON that can be changed."""
    return json.loads(data(name))


def changed(name: str, change: str) -> bytes:
    """A record after a statement that works on `record` and its last round, `last`."""
    record = plain(name)
    exec(change, {"record": record, "last": record["rounds"][-1]})
    return json.dumps(record).encode()
