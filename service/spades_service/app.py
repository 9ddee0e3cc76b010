"""The Litestar application: the faces of the service on top of its use cases."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Any, Final

from litestar import Litestar, Request
from litestar.config.app import AppConfig
from litestar.di import Provide
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.plugins import ScalarRenderPlugin, SwaggerRenderPlugin
from litestar.types import ControllerRouterHandler

from spades_service import problems
from spades_service.callers import Caller
from spades_service.rest import Face, Healths
from spades_service.services import Services

BODY_BYTES: Final = 64 * 1024
VERSION: Final = "0.1.0"
DESCRIBED: Final = OpenAPIConfig(
    title="spades-service",
    version=VERSION,
    path="/docs",
    render_plugins=[ScalarRenderPlugin(), SwaggerRenderPlugin()],
)


def create_app(
    services: Services,
    *,
    faces: Sequence[ControllerRouterHandler] = (),
    resources: AbstractAsyncContextManager[None] | None = None,
) -> Litestar:
    """The application; `faces` stand beside REST, `resources` live as long as it does."""

    async def provide_services() -> Services:
        return services

    async def provide_caller(request: Request[Any, Any, Any]) -> Caller:
        return services.identity.caller(request.headers.get("authorization"))

    @asynccontextmanager
    async def listening(_: Litestar) -> AsyncIterator[None]:
        listener = asyncio.create_task(services.live.run())
        try:
            yield
        finally:
            services.live.stop()
            listener.cancel()
            with suppress(asyncio.CancelledError):
                await listener
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
            route_handlers=[Face, Healths, *faces],
            dependencies={
                "services": Provide(provide_services),
                "caller": Provide(provide_caller),
            },
            lifespan=[holding, listening],
            exception_handlers=dict(problems.HANDLERS),
            request_max_body_size=BODY_BYTES,
            logging_config=None,
            openapi_config=DESCRIBED,
        )
    )


def openapi() -> Mapping[str, Any]:
    """The REST face as an OpenAPI document; no store is needed to say what it offers."""
    unbound: Any = None
    return create_app(unbound).openapi_schema.to_schema()
