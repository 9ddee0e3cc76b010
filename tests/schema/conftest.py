"""The schema without a server."""

import pytest

from support.house import House, house_on_memory


@pytest.fixture
def house() -> House:
    return house_on_memory()
