"""What players, auditors and platforms may be called."""

from typing import Final

from spades.refusals import RefusalCode, require

LONGEST_NAME: Final = 40


def checked_name(name: str) -> str:
    """A name as it is shown; raises Refused where it cannot be one."""
    name = " ".join(name.split())
    require(
        1 <= len(name) <= LONGEST_NAME and name.isprintable(),
        RefusalCode.BAD_COMMAND,
        f"a name has 1 to {LONGEST_NAME} printable characters",
    )
    return name


def fitting_name(name: str) -> str:
    """As much of somebody else's word for a person as can be shown; perhaps nothing."""
    seen = "".join(character for character in name if character.isprintable())
    return " ".join(seen.split())[:LONGEST_NAME].strip()
