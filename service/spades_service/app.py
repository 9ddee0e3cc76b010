"""The Litestar application: the faces of the service on top of its use cases."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Final

from litestar import Litestar, Request
from litestar.config.app import AppConfig
from litestar.config.cors import CORSConfig
from litestar.datastructures import State
from litestar.di import Provide
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.plugins import ScalarRenderPlugin, SwaggerRenderPlugin
from litestar.types import ControllerRouterHandler

from spades_service import problems
from spades_service.callers import Caller
from spades_service.guards import TooMany
from spades_service.rest import Face, Healths
from spades_service.rest_admin import Administration
from spades_service.rest_guards import guarded_caller, too_many
from spades_service.rest_lobby import LobbyFace
from spades_service.rest_streams import TurnsFace
from spades_service.services import Services

BODY_BYTES: Final = 64 * 1024
VERSION: Final = "0.1.0"
DESCRIBED: Final = OpenAPIConfig(
    title="spades-service",
    version=VERSION,
    path="/docs",
    render_plugins=[ScalarRenderPlugin(), SwaggerRenderPlugin()],
)


class Resources(Face, LobbyFace, TurnsFace):
    """One controller for what stands side by side: a path belongs to one alone."""


def create_app(
    services: Services,
    *,
    faces: Sequence[ControllerRouterHandler] = (),
    resources: AbstractAsyncContextManager[None] | None = None,
    origins: Sequence[str] = (),
) -> Litestar:
    """The application; `faces` stand beside REST, `resources` live as long as it does.

    Pages of these `origins` may ask, beside the service's own.
    """

    async def provide_services() -> Services:
        return services

    async def provide_caller(request: Request[Any, Any, Any]) -> Caller:
        return await guarded_caller(services, request)

    @asynccontextmanager
    async def listening(_: Litestar) -> AsyncIterator[None]:
        tasks = [
            asyncio.create_task(services.live.run()),
            asyncio.create_task(services.computers.run()),
        ]
        try:
            yield
        finally:
            services.live.stop()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await services.computers.close()
            await services.live.close()

    @asynccontextmanager
    async def holding(_: Litestar) -> AsyncIterator[None]:
        if resources is None:
            yield
        else:
            async with resources:
                yield

    return Litestar.from_config(
        AppConfig(
            route_handlers=[Resources, Healths, Administration, *faces],
            dependencies={
                "services": Provide(provide_services),
                "caller": Provide(provide_caller),
            },
            state=State({"services": services}),
            lifespan=[holding, listening],
            exception_handlers={**problems.HANDLERS, TooMany: too_many},
            cors_config=_cors(origins),
            request_max_body_size=BODY_BYTES,
            logging_config=None,
            openapi_config=DESCRIBED,
        )
    )


def _cors(origins: Sequence[str]) -> CORSConfig | None:
    """Nothing is asked of a page's own origin, so that without others there is nothing to say."""
    if not origins:
        return None
    return CORSConfig(
        allow_origins=list(origins),
        allow_headers=["Authorization", "Content-Type", "If-Match", "Last-Event-ID"],
        expose_headers=["ETag", "Location", "Retry-After"],
        max_age=3600,
    )


def openapi() -> Mapping[str, Any]:
    """The REST face as an OpenAPI document; no store is needed to say what it offers."""
    unbound: Any = None
    return create_app(unbound).openapi_schema.to_schema()
