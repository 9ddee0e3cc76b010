"""Settings for the open: what cannot be used is said, by its name."""

import pytest

from spades_service.settings import BadSetting, read_settings


def test_by_default_there_are_limits_no_other_origins_and_no_trusted_proxies() -> None:
    settings = read_settings({})
    assert settings.rate_limits
    assert settings.origins == ()
    assert settings.trusted_proxies == ""


def test_origins_and_proxies_are_lists_with_commas() -> None:
    settings = read_settings(
        {
            "SPADES_ORIGINS": "https://play.example.com, http://localhost:3000/,",
            "SPADES_TRUSTED_PROXIES": "10.0.0.0/8, 2001:db8::1",
            "SPADES_RATE_LIMITS": "off",
        }
    )
    assert settings.origins == ("https://play.example.com", "http://localhost:3000")
    assert settings.trusted_proxies == "10.0.0.0/8,2001:db8::1"
    assert not settings.rate_limits


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SPADES_ORIGINS", "play.example.com"),
        ("SPADES_ORIGINS", "https://play.example.com/table"),
        ("SPADES_ORIGINS", "https://play.example.com, ftp://files.example.com"),
        ("SPADES_TRUSTED_PROXIES", "proxy.internal"),
        ("SPADES_TRUSTED_PROXIES", "10.0.0.1/8"),
        ("SPADES_TRUSTED_PROXIES", "*"),
        ("SPADES_RATE_LIMITS", "some"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(name: str, value: str) -> None:
    with pytest.raises(BadSetting, match=name):
        read_settings({name: value})
