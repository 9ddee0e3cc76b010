"""Events as REST shows them: what the viewer may see, its fields by name."""

from typing import Any

from msgspec import Struct

from spades.rules import Rules
from spades.view import Viewer, event_view
from spades_service.ports import Recorded
from spades_service.times import instant_text


def seen_event(recorded: Recorded, viewer: Viewer) -> dict[str, Any]:
    """A recorded event as the viewer may see it, its fields by name in camelCase."""
    event = event_view(recorded.event, viewer)
    return {
        "type": type(recorded.event).__name__,
        "version": recorded.version,
        "at": instant_text(recorded.at),
        **_named(event),
    }


def _named(struct: Struct) -> dict[str, Any]:
    return {_camel(field): _plain(getattr(struct, field)) for field in struct.__struct_fields__}


def _plain(value: Any) -> Any:
    """Events are written by position in the store; a client gets names at every depth."""
    if isinstance(value, Rules):
        return value
    if isinstance(value, Struct):
        return _named(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


def _camel(field: str) -> str:
    head, *rest = field.split("_")
    return head + "".join(word.title() for word in rest)
