"""Deals from a seed, by an algorithm that anyone can repeat: `spades-deal/1`.

1. The seed is 32 bytes. For a purpose (`deal`, `dealer`) it gives a stream of blocks: block *i* is
   HMAC-SHA-256 with the seed as key over the ASCII text `spades-deal/1:<purpose>:<i>`, *i* in
   decimal from 0.
2. Each block is eight words of 32 bits, big-endian, read in order.
3. A number below *n* is the next word that is below the largest multiple of *n* within 2**32,
   modulo *n*; words at or above that multiple are thrown away, so every number is equally likely.
4. The pack in its standard order (clubs, diamonds, hearts, spades, each from the 2 up, then the
   little and the big joker; six-handed: two packs one after the other) is shuffled by Fisher and
   Yates: for *i* from the last place down to 1, swap place *i* with place *number below i + 1*.
5. Cards are dealt one at a time from the front, clockwise from the dealer's left, until each
   player has all of theirs; what is left stays in this order.
6. Where nobody chose the first dealer, it is the *number below the number of seats* of the purpose
   `dealer`.
"""

import hmac
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Final

from spades.cards import Card, Hand, in_order
from spades.pack import pack
from spades.rules import Game, Rules
from spades.seats import LAYOUTS, Seat

ALGORITHM: Final = "spades-deal/1"
SEED_BYTES: Final = 32
WORDS: Final = 1 << 32

Hands = tuple[Hand, ...]


def _words(seed: bytes, purpose: str) -> Iterator[int]:
    block = 0
    while True:
        digest = hmac.digest(seed, f"{ALGORITHM}:{purpose}:{block}".encode(), sha256)
        for at in range(0, 32, 4):
            yield int.from_bytes(digest[at : at + 4], "big")
        block += 1


def _below(n: int, words: Iterator[int]) -> int:
    limit = WORDS - WORDS % n
    return next(word for word in words if word < limit) % n


def shuffled(cards: Sequence[Card], seed: bytes) -> Hand:
    """The cards in the order that the seed gives them (steps 1 to 4).

    Raises ValueError unless the seed is 32 bytes.
    """
    if len(seed) != SEED_BYTES:
        raise ValueError(f"a seed is {SEED_BYTES} bytes, not {len(seed)}")
    words = _words(seed, "deal")
    order = list(cards)
    for last in range(len(order) - 1, 0, -1):
        other = _below(last + 1, words)
        order[last], order[other] = order[other], order[last]
    return tuple(order)


def first_dealer(rules: Rules, seed: bytes) -> Seat:
    """The seat that deals first, where nobody chose it (step 6)."""
    return _below(LAYOUTS[rules.game].seats, _words(seed, "dealer"))


def deal(rules: Rules, dealer: Seat, seed: bytes) -> tuple[Hands, Hand]:
    """Each seat's hand, and the cards not dealt (step 5).

    Those are the stock, top card first, in two-handed, where nobody is dealt a hand, and the card
    set aside in three-handed.
    """
    layout = LAYOUTS[rules.game]
    order = shuffled(pack(rules), seed)
    if rules.game is Game.TWO_HANDED:
        return ((),) * layout.seats, order
    dealt = layout.cards_each * layout.seats
    hands: list[Hand] = [()] * layout.seats
    for turn, seat in enumerate(layout.clockwise_from(layout.left_of(dealer))):
        hands[seat] = in_order(order[turn : dealt : layout.seats])
    return tuple(hands), order[dealt:]
