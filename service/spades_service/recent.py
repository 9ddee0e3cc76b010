"""A memory with an end."""

from collections import OrderedDict
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Recent(Generic[Key, Value]):
    """Remembers so many things, and forgets first what was not asked for the longest."""

    def __init__(self, keep: int) -> None:
        self._keep = keep
        self._kept: OrderedDict[Key, Value] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Key) -> Value | None:
        """What is remembered under a key."""
        if key not in self._kept:
            return None
        self._kept.move_to_end(key)
        return self._kept[key]

    def put(self, key: Key, value: Value) -> None:
        """Remember something."""
        self._kept[key] = value
        self._kept.move_to_end(key)
        while len(self._kept) > self._keep:
            self._kept.popitem(last=False)

    def forget(self, key: Key) -> None:
        """Forget something, remembered or not."""
        self._kept.pop(key, None)
