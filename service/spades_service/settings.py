"""Everything that can be set from outside, in one typed place."""

import re
from collections.abc import Mapping
from ipaddress import ip_network
from pathlib import Path
from typing import Final, Literal, TypeVar

from msgspec import Struct

T = TypeVar("T")
DEFAULT_DATA: Final = ".data"
ORIGIN: Final = re.compile(r"https?://(\[[0-9a-f:]+\]|[a-z0-9.-]+)(:\d{1,5})?", re.IGNORECASE)
MOST_HOURS: Final = 10 * 366 * 24


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
    admin_key: str | None = None  # SPADES_ADMIN_KEY: without it nobody administers over HTTP
    secret: str | None = None  # SPADES_SECRET: signs tokens; the same on every replica
    token_hours: int = 720  # SPADES_TOKEN_HOURS: how long a token is good
    jwt_issuer: str | None = None  # SPADES_JWT_ISSUER: whose tokens are let in, beside our own
    jwt_audience: str | None = None  # SPADES_JWT_AUDIENCE: for whom they must be meant
    jwks_url: str | None = None  # SPADES_JWKS_URL: where the issuer publishes its keys
    origins: tuple[str, ...] = ()  # SPADES_ORIGINS: whose pages may ask, or `*`; the own always may
    trusted_proxies: str = ""  # SPADES_TRUSTED_PROXIES: whose word on a client's address is taken
    rate_limits: bool = True  # SPADES_RATE_LIMITS: on, off
    environment: Literal["development", "production"] = "development"  # SPADES_ENV


def read_settings(environ: Mapping[str, str]) -> Settings:
    """Settings from the environment; raises BadSetting for the first that cannot be used."""
    given = {name: value for name, value in environ.items() if value != ""}
    settings = Settings(
        host=given.get("SPADES_HOST", "127.0.0.1"),
        port=_port(given.get("SPADES_PORT", "8000")),
        data=Path(given.get("SPADES_DATA", DEFAULT_DATA)),
        redis_url=given.get("REDIS_URL"),
        guests=_choice(given, "SPADES_GUESTS", {"on": True, "off": False}, default="on"),
        platform_key=_long_enough(given, "SPADES_PLATFORM_KEY", 8),
        admin_key=_long_enough(given, "SPADES_ADMIN_KEY", 16),
        secret=_long_enough(given, "SPADES_SECRET", 32),
        token_hours=_hours(given.get("SPADES_TOKEN_HOURS", "720")),
        jwt_issuer=given.get("SPADES_JWT_ISSUER"),
        jwt_audience=given.get("SPADES_JWT_AUDIENCE"),
        jwks_url=given.get("SPADES_JWKS_URL"),
        origins=_origins(given.get("SPADES_ORIGINS", "")),
        trusted_proxies=_proxies(given.get("SPADES_TRUSTED_PROXIES", "")),
        rate_limits=_choice(given, "SPADES_RATE_LIMITS", {"on": True, "off": False}, default="on"),
        environment=_choice(
            given,
            "SPADES_ENV",
            {"development": "development", "production": "production"},
            default="development",
        ),
    )
    if settings.admin_key is not None and settings.admin_key == settings.platform_key:
        raise BadSetting("SPADES_ADMIN_KEY is SPADES_PLATFORM_KEY, too: give each a key of its own")
    _check_issuer(settings)
    return settings


def _port(text: str) -> int:
    if text.isdecimal() and 1 <= int(text) <= 65535:
        return int(text)
    raise BadSetting(f"SPADES_PORT is {text!r}, and a port is a number from 1 to 65535")


def _hours(text: str) -> int:
    if text.isascii() and text.isdecimal() and 1 <= int(text) <= MOST_HOURS:
        return int(text)
    raise BadSetting(f"SPADES_TOKEN_HOURS is {text!r}, and can be 1 to {MOST_HOURS}")


def _origins(text: str) -> tuple[str, ...]:
    origins = tuple(origin for part in text.split(",") if (origin := part.strip().rstrip("/")))
    for origin in origins:
        if origin != "*" and not ORIGIN.fullmatch(origin):
            raise BadSetting(
                f"SPADES_ORIGINS names {origin!r}, and an origin is like https://play.example.com, "
                "or * for all"
            )
    return origins


def _proxies(text: str) -> str:
    proxies = [proxy for part in text.split(",") if (proxy := part.strip())]
    for proxy in proxies:
        try:
            ip_network(proxy)
        except ValueError:
            raise BadSetting(
                f"SPADES_TRUSTED_PROXIES names {proxy!r}, and a proxy is an address like 10.0.0.7 "
                "or a network like 10.0.0.0/8"
            ) from None
    return ",".join(proxies)


def _check_issuer(settings: Settings) -> None:
    parts = (settings.jwt_issuer, settings.jwt_audience, settings.jwks_url)
    if any(part is not None for part in parts) and None in parts:
        raise BadSetting(
            "an issuer of tokens needs SPADES_JWT_ISSUER, SPADES_JWT_AUDIENCE and SPADES_JWKS_URL: "
            "set all three, or none"
        )
    if settings.jwks_url is not None and not settings.jwks_url.startswith(("https://", "http://")):
        raise BadSetting("SPADES_JWKS_URL is where the issuer's keys are: an https:// address")


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
