"""The admin's part of REST: platforms and their keys. Without SPADES_ADMIN_KEY there is none."""

from typing import Any

from litestar import Controller, get, post
from litestar.connection import ASGIConnection
from litestar.exceptions import NotFoundException
from litestar.handlers import BaseRouteHandler
from msgspec import Struct

from spades.refusals import RefusalCode, require
from spades_service.callers import Role
from spades_service.platform_keys import NewKey
from spades_service.platforms import Platform, PlatformKey
from spades_service.services import Services
from spades_service.times import instant_text


async def admin_only(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
    """Lets in nobody but the admin, before anything of the request is read."""
    services: Services = connection.app.state.services
    if not services.identity.administered:
        raise NotFoundException
    caller = await services.identity.caller(connection.headers.get("authorization"))
    require(
        caller.known,
        RefusalCode.UNAUTHENTICATED,
        "nobody is signed in: send the admin's key as `Authorization: Bearer ...`",
    )
    require(
        caller.role is Role.ADMIN, RefusalCode.NOT_ALLOWED, "only the admin's key opens this path"
    )


class NewPlatform(Struct, forbid_unknown_fields=True):
    """A platform has a name."""

    name: str


class Rotation(Struct, forbid_unknown_fields=True, rename="camel"):
    """How long the old key opens beside the new one."""

    grace_seconds: int = 0


class PlatformView(Struct, rename="camel"):
    """A platform."""

    id: str
    name: str
    created_at: str

    @classmethod
    def of(cls, platform: Platform) -> "PlatformView":
        """The platform as it is shown."""
        return cls(platform.id, platform.name, instant_text(platform.created))


class KeyView(Struct, rename="camel"):
    """What can be told of a key: never the key itself."""

    id: str
    platform: str
    last_four: str
    created_at: str
    revoked_at: str | None

    @classmethod
    def of(cls, key: PlatformKey) -> "KeyView":
        """The key as it is shown."""
        revoked = None if key.revoked is None else instant_text(key.revoked)
        return cls(key.id, key.platform, key.last_four, instant_text(key.created), revoked)


class NewKeyView(Struct):
    """A key just made, which is shown this one time; `about` is what lists will show of it."""

    key: str
    about: KeyView

    @classmethod
    def of(cls, new: NewKey) -> "NewKeyView":
        """The key as it is shown."""
        return cls(new.bearer, KeyView.of(new.key))


class NewPlatformView(Struct):
    """A platform just made, with its first key."""

    platform: PlatformView
    key: str
    about: KeyView


class Administration(Controller):
    """Platforms and their keys."""

    path = "/v1/admin"
    guards = (admin_only,)

    @post("/platforms", summary="Make a platform")
    async def create(self, services: Services, data: NewPlatform) -> NewPlatformView:
        """A platform with its first key, which is never shown again."""
        platform, new = await services.identity.platforms.create(data.name)
        return NewPlatformView(PlatformView.of(platform), new.bearer, KeyView.of(new.key))

    @get("/platforms", summary="Every platform")
    async def platforms(self, services: Services) -> list[PlatformView]:
        """The oldest first."""
        return [PlatformView.of(platform) for platform in await services.identity.platforms.all()]

    @get("/platforms/{platform:str}/keys", summary="A platform's keys")
    async def keys(self, services: Services, platform: str) -> list[KeyView]:
        """Revoked or not, the oldest first."""
        return [KeyView.of(key) for key in await services.identity.platforms.keys(platform)]

    @post("/platforms/{platform:str}/keys", summary="One more key for a platform")
    async def add_key(self, services: Services, platform: str) -> NewKeyView:
        """The platform's other keys stay good."""
        return NewKeyView.of(await services.identity.platforms.add(platform))

    @post("/keys/{key:str}/rotate", summary="A new key in place of another")
    async def rotate(self, services: Services, key: str, data: Rotation) -> NewKeyView:
        """The old key opens for `graceSeconds` more, 0 unless said otherwise."""
        return NewKeyView.of(await services.identity.platforms.rotate(key, data.grace_seconds))

    @post("/keys/{key:str}/revoke", summary="End a key", status_code=200)
    async def revoke(self, services: Services, key: str) -> KeyView:
        """At once; other replicas know within seconds."""
        return KeyView.of(await services.identity.platforms.revoke(key))
