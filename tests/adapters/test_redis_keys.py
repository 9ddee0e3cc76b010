"""Where things are in Redis: a key that moves is a game that is lost."""

from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st
from redis.crc import key_slot

from spades_adapters.redis import keys


def test_the_partition_of_a_table_is_the_first_byte_of_its_ids_sha_256() -> None:
    """The vector can be had anywhere: printf table-1 | sha256sum | cut -c 1-2."""
    assert keys.partition("table-1") == 0x57
    assert keys.partition("") == 0xE3
    assert keys.partition("abc") == 0xBA


def test_the_names_never_change() -> None:
    assert keys.stream("abc") == "spades:{p186}:table:abc"
    assert keys.feed("abc") == "spades:{p186}:feed"
    assert keys.channel("abc") == "spades:{p186}:nudges"
    assert keys.player("abc") == "spades:player:abc"


@given(st.text())
def test_what_one_script_touches_shares_a_slot(table: str) -> None:
    slots = {key_slot(key(table).encode()) for key in (keys.stream, keys.feed, keys.channel)}

    assert len(slots) == 1
    assert 0 <= keys.partition(table) < keys.PARTITIONS


def test_tables_are_spread_over_all_partitions() -> None:
    tables = [sha256(bytes([number % 256, number // 256])).hexdigest() for number in range(4_096)]

    assert len({keys.partition(table) for table in tables}) == keys.PARTITIONS
