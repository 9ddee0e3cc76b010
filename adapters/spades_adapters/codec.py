"""How an event is stored: the name of its type, and its fields by position as JSON (`[2,"SA"]`)."""

from collections.abc import Mapping
from typing import Final

from msgspec import MsgspecError
from msgspec.json import Decoder, Encoder
from msgspec.structs import astuple

from spades.events import EVENTS, Event
from spades_service.ports import BrokenHistory

_ENCODER: Final = Encoder()
_NAMES: Final[Mapping[type[Event], bytes]] = {kind: name.encode() for name, kind in EVENTS.items()}
_DECODERS: Final[Mapping[bytes, Decoder[Event]]] = {
    name: Decoder(kind) for kind, name in _NAMES.items()
}


def encode(event: Event) -> tuple[bytes, bytes]:
    """The name of the event's type, and its body without the defaults at its end.

    So a field that a later release adds changes no byte of what is said without it.
    """
    values = astuple(event)
    length = len(values)
    for default in reversed(event.__struct_defaults__):
        if values[length - 1] != default:
            break
        length -= 1
    return _NAMES[type(event)], _ENCODER.encode(values[:length])


def decode(name: bytes, body: bytes) -> Event:
    """The event that was encoded.

    Raises BrokenHistory where no release up to this one writes such an event. Its message never
    holds the body, in which there may be hidden cards.
    """
    decoder = _DECODERS.get(name)
    if decoder is None:
        raise BrokenHistory("it is of a type that this release does not know")
    try:
        return decoder.decode(body)
    except MsgspecError:
        # Not chained: the decoder's own message quotes what it found.
        raise BrokenHistory(f"its body is not that of a {name.decode()}") from None
