"""A service that the commands find running."""

from collections.abc import Iterator

import pytest

from support.service import Service, running


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running(tmp_path_factory.mktemp("service")) as service:
        yield service
        assert "Traceback" not in service.log
