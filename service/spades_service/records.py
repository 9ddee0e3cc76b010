"""A record becomes a table, and a table a record."""

from spades.deal import SEED_BYTES
from spades.record_decoding import decode_record
from spades.record_export import encode_record, to_record
from spades.record_replay import replay_record
from spades.refusals import RefusalCode, Refused
from spades.table import consequence, evolve
from spades_service.callers import Caller, CommandKey
from spades_service.clocks import due
from spades_service.ids import fresh_id, table_id
from spades_service.names import Names
from spades_service.ports import Append, Clock, Entropy, EventStore

IMPORTER = Caller(platform="import")


class Records:
    """Imports and exports, for operators: a record shows every card."""

    def __init__(self, store: EventStore, names: Names, clock: Clock, entropy: Entropy) -> None:
        self._store = store
        self._names = names
        self._clock = clock
        self._entropy = entropy

    async def import_(self, data: bytes) -> str:
        """A new table with the record's events, whole or not at all, and its id.

        The players are new, named as the record labels their seats. A game that is not over can be
        played on: what its last round brings about happens here. Raises RecordFault,
        StoreUnavailable.
        """
        record = decode_record(data)
        players = [fresh_id(self._entropy) for _ in record.labels]
        replayed = replay_record(record, players, opener=IMPORTER.id)
        events, table = list(replayed.events), replayed.table
        seed = self._entropy.draw(SEED_BYTES)
        while (following := consequence(table, seed)) is not None:
            events.append(following)
            table = evolve(table, following)
        key = CommandKey.of(IMPORTER, fresh_id(self._entropy), data)
        id_ = table_id(key)
        for player, label in zip(players, record.labels, strict=True):
            await self._names.save(player, label)
        now = self._clock.now()
        await self._store.append(
            Append(id_, 0, now, key.stored, tuple(events), due(table, now, now))
        )
        return id_

    async def export(self, table: str) -> bytes:
        """The table's game as a record file; raises Refused with NOT_FOUND where there is none."""
        history = await self._store.read(table)
        if not history:
            raise Refused(RefusalCode.NOT_FOUND, f"there is no table {table}")
        return encode_record(to_record([recorded.event for recorded in history]))
