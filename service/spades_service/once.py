"""What many would be told alike is written once."""

from collections.abc import Hashable
from typing import Final, Generic, TypeVar

from spades_service.ports import Recorded
from spades_service.recent import Recent
from spades_service.tables import Update

KEPT: Final = 4096
"""An update goes out to all of its viewers at about the same time; it need not be kept for long."""

Written = TypeVar("Written")


class Once(Generic[Written]):
    """Remembers how updates were written, by whatever a reader's copy depends on."""

    def __init__(self, keep: int = KEPT) -> None:
        self._kept: Recent[Hashable, tuple[Recorded, Written]] = Recent(keep)

    def get(self, update: Update, key: Hashable) -> Written | None:
        """What was written of this very update: another of the same version is none.

        A table restored from an older copy has versions a second time, with other events.
        """
        found = self._kept.get(key)
        return found[1] if found is not None and found[0] is update.recorded else None

    def put(self, update: Update, key: Hashable, written: Written) -> Written:
        """Remember what was written of an update."""
        self._kept.put(key, (update.recorded, written))
        return written
