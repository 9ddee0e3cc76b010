"""What the entries behind a version say about a command that was decided on it."""

from collections.abc import Sequence
from itertools import takewhile

from spades_service.ports import Append, Appended, Recorded, VersionConflict


def settle(append: Append, behind: Sequence[Recorded]) -> Appended | None:
    """The answer to a command, where `behind` is all that stands behind its expected version.

    None where nothing does, and the command may be written. Raises VersionConflict where another
    command came first.
    """
    if not behind:
        return None
    first, *later = behind
    if first.command != append.command:
        raise VersionConflict(behind[-1].version)
    brought_about = takewhile(lambda recorded: not recorded.command, later)
    return Appended(first.version + sum(1 for _ in brought_about), repeated=True)
