"""Invitations to private tables: a code that can be read out, and that nobody can work out."""

import hmac
from hashlib import sha256
from typing import Final

ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's: no letter in it can be taken for a digit."""
MISREAD: Final = str.maketrans("OIL", "011", " -")
LENGTH: Final = 10
"""Fifty bits: with a million private tables one guess in a billion finds any of them."""


class Invites:
    """The codes of tables. They follow from a secret of the service and are stored nowhere; without
    a secret there are none.
    """

    def __init__(self, secret: bytes = b"") -> None:
        self._secret = secret

    def code(self, table: str) -> str:
        """The code that lets a player in at a table; empty where there are no invitations."""
        if not self._secret:
            return ""
        # What is asked of the secret elsewhere never begins like this.
        digest = hmac.digest(self._secret, f"invitation\n{table}".encode(), sha256)
        number = int.from_bytes(digest[:8], "big")
        return "".join(ALPHABET[number >> 5 * place & 31] for place in range(LENGTH))

    def admits(self, table: str, code: str | None) -> bool:
        """Whether a code, however it is written, is the table's."""
        if code is None:
            return False
        right = self.code(table)
        return bool(right) and hmac.compare_digest(plain(code).encode(), right.encode())


def plain(code: str) -> str:
    """A code as it is given out, however somebody has written it down."""
    return code.upper().translate(MISREAD)
