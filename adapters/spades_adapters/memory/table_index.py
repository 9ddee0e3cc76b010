"""Shelves of tables in memory."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Collection, Sequence

from spades_service.ports import Listed


class MemoryTableIndex:
    """Each shelf as a sorted list; nothing is forgotten."""

    def __init__(self) -> None:
        self._shelves: dict[str, list[Listed]] = {}

    async def add(
        self, shelves: Collection[str], listed: Listed, *, seconds: int | None = None
    ) -> None:
        for name in shelves:
            shelf = self._shelves.setdefault(name, [])
            if listed not in shelf:
                insort(shelf, listed)

    async def remove(self, shelf: str, listed: Collection[Listed]) -> None:
        kept = [other for other in self._shelves.get(shelf, []) if other not in listed]
        self._shelves[shelf] = kept

    async def page(
        self, shelf: str, count: int, *, beyond: Listed | None = None, ascending: bool = False
    ) -> Sequence[Listed]:
        held = self._shelves.get(shelf, [])
        if ascending:
            start = 0 if beyond is None else bisect_right(held, beyond)
            return held[start : start + count]
        end = len(held) if beyond is None else bisect_left(held, beyond)
        return held[max(end - count, 0) : end][::-1]
