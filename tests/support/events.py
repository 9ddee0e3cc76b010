"""Events of every type for properties, drawn from what their types allow."""

import types
from collections.abc import Mapping
from enum import Enum
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st
from msgspec import Meta, Struct

from spades.events import EVENTS, Event

WHOLE: Final = st.integers(-(2**31), 2**31 - 1)


def values(kind: Any) -> st.SearchStrategy[Any]:
    """Whatever a field of this type may hold."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _within(*(meta for meta in inner[1:] if isinstance(meta, Meta)))
    if origin is Literal:
        return st.sampled_from(inner)
    if origin in (Union, types.UnionType):
        return st.one_of(*map(values, inner))
    if origin is tuple:
        return _tuples(inner)
    return _plain(kind)


def _plain(kind: Any) -> st.SearchStrategy[Any]:
    if kind is bool:
        return st.booleans()
    if kind is int:
        return WHOLE
    if kind is str:
        return st.text()
    if kind is type(None):
        return st.none()
    if issubclass(kind, Enum):
        return st.sampled_from(kind)
    assert issubclass(kind, Struct)
    return structs(kind)


def _tuples(inner: tuple[Any, ...]) -> st.SearchStrategy[tuple[Any, ...]]:
    if inner[-1] is Ellipsis:
        return st.lists(values(inner[0]), max_size=4).map(tuple)
    return st.tuples(*map(values, inner))


def _within(meta: Meta) -> st.SearchStrategy[int]:
    low = meta.ge if meta.gt is None else meta.gt + 1
    high = meta.le if meta.lt is None else meta.lt - 1
    assert low is None or isinstance(low, int)
    assert high is None or isinstance(high, int)
    return st.integers(low, high)


def structs(kind: type[Any]) -> st.SearchStrategy[Any]:
    """A struct with whatever its fields may hold."""
    fields = get_type_hints(kind, include_extras=True)
    names = kind.__struct_fields__
    return st.builds(kind, **{name: values(fields[name]) for name in names})


EVENTS_OF: Final[Mapping[str, st.SearchStrategy[Event]]] = {
    name: structs(kind) for name, kind in EVENTS.items()
}
"""A strategy for each type of event, by its name."""
