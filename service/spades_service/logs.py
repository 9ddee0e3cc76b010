"""Structured logs: readable on a terminal, JSON elsewhere, and never a card that is hidden.

Whatever is logged is named field by field; requests, events and tables are never logged whole.
"""

import logging
import sys

import structlog


def configure(*, json: bool, level: int = logging.INFO) -> None:
    """Send everything, the libraries' own lines too, to standard error in one form."""
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    shown: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if json
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, shown],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for chatty in ("uvicorn.access", "httpx", "strawberry.execution"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    # Strawberry's own line would print a failing operation; ours is written by the schema.
    logging.getLogger("strawberry.execution").setLevel(logging.CRITICAL)
