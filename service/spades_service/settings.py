"""Everything that can be set from outside, in one typed place."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal, TypeVar

from msgspec import Struct

T = TypeVar("T")
DEFAULT_DATA: Final = ".data"


class BadSetting(Exception):
    """A setting that cannot be used; the message names it and says what would be right."""


class Settings(Struct, frozen=True, kw_only=True):
    """How a service runs; each field is set by the environment variable beside it."""

    host: str = "127.0.0.1"  # SPADES_HOST
    port: int = 8000  # SPADES_PORT
    data: Path = Path(DEFAULT_DATA)  # SPADES_DATA: the embedded server's folder
    redis_url: str | None = None  # REDIS_URL: without it, the embedded server
    guests: bool = True  # SPADES_GUESTS: on, off
    platform_key: str | None = None  # SPADES_PLATFORM_KEY: a first platform's key
    secret: str | None = None  # SPADES_SECRET: signs tokens; the same on every replica
    environment: Literal["development", "production"] = "development"  # SPADES_ENV


def read_settings(environ: Mapping[str, str]) -> Settings:
    """Settings from the environment; raises BadSetting for the first that cannot be used."""
    given = {name: value for name, value in environ.items() if value != ""}
    return Settings(
        host=given.get("SPADES_HOST", "127.0.0.1"),
        port=_port(given.get("SPADES_PORT", "8000")),
        data=Path(given.get("SPADES_DATA", DEFAULT_DATA)),
        redis_url=given.get("REDIS_URL"),
        guests=_choice(given, "SPADES_GUESTS", {"on": True, "off": False}, default="on"),
        platform_key=_long_enough(given, "SPADES_PLATFORM_KEY", 8),
        secret=_long_enough(given, "SPADES_SECRET", 32),
        environment=_choice(
            given,
            "SPADES_ENV",
            {"development": "development", "production": "production"},
            default="development",
        ),
    )


def _port(text: str) -> int:
    if text.isdecimal() and 1 <= int(text) <= 65535:
        return int(text)
    raise BadSetting(f"SPADES_PORT is {text!r}, and a port is a number from 1 to 65535")


def _choice(environ: Mapping[str, str], name: str, choices: Mapping[str, T], default: str) -> T:
    text = environ.get(name, default).lower()
    if text not in choices:
        raise BadSetting(f"{name} is {text!r}, and can be {' or '.join(choices)}")
    return choices[text]


def _long_enough(environ: Mapping[str, str], name: str, length: int) -> str | None:
    text = environ.get(name)
    if text is not None and len(text) < length:
        raise BadSetting(f"{name} is too short to be a secret: give it {length} characters or more")
    return text
