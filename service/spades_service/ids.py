"""Ids that fit into a URL: 16 letters and digits, 80 bits."""

import re
from base64 import b32encode
from hashlib import blake2b
from typing import Final

from spades_service.callers import CommandKey
from spades_service.ports import Entropy

ID_BYTES: Final = 10
ID: Final = re.compile("[a-z2-7]{16}")


def fresh_id(entropy: Entropy) -> str:
    """An id that nobody has and nobody can guess."""
    return _text(entropy.draw(ID_BYTES))


def id_of(named: bytes, secret: bytes = b"") -> str:
    """The same id for the same bytes; with a secret, nobody else can work it out."""
    return _text(blake2b(named, key=secret[:64], digest_size=ID_BYTES).digest())


def table_id(key: CommandKey) -> str:
    """The same table for the same command, so that opening one can be repeated safely."""
    return id_of(key.id)


def is_id(text: str) -> bool:
    """Whether something can be an id at all; nobody is asked about what cannot."""
    return ID.fullmatch(text) is not None


def _text(raw: bytes) -> str:
    return b32encode(raw).decode().lower()
