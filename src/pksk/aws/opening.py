"""From options to the arguments with which sessions of botocore and aiobotocore make clients."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, Final

from .aws_options import AwsOptions
from .library import library

__all__ = ["arguments", "configuration", "needs_keys", "session_of"]

# For servers that take any keys, our own among them.
_ANY_KEYS: Final = {"aws_access_key_id": "pksk", "aws_secret_access_key": "pksk"}
_ANY_REGION: Final = "us-east-1"


def session_of(make: Any, options: AwsOptions) -> Any:
    """A session of either library, of which `make` is the class."""
    session = make(profile=options.profile)
    session.register_component("data_loader", _loader(session.get_config_variable("data_path")))
    if options.is_plain:
        # The last place where keys are looked for is the machine itself, which takes a second where it has none.
        session.set_config_variable("metadata_service_num_attempts", 0)
    return session


@cache
def _loader(path: str | None) -> Any:
    """What reads botocore's descriptions of services; shared, since reading them takes most of a client's making."""
    return library("botocore.loaders").create_loader(path)


def needs_keys(options: AwsOptions) -> bool:
    """Whether keys must be made up where the session finds none."""
    return options.endpoint is not None and options.access_key is None


def arguments(session: Any, options: AwsOptions, *, without_keys: bool) -> dict[str, Any]:
    """What `create_client` is given besides the service and the configuration."""
    keys = {
        "aws_access_key_id": options.access_key,
        "aws_secret_access_key": options.secret_key,
        "aws_session_token": options.session_token,
    }
    region = options.region or session.get_config_variable("region")
    return {
        "region_name": region or (options.endpoint and _ANY_REGION),
        "endpoint_url": options.endpoint,
        **(_ANY_KEYS if without_keys else keys),
    }


def configuration(options: AwsOptions) -> dict[str, Any]:
    """The settings of botocore's `Config`; it neither checks requests nor sends them again."""
    settings: dict[str, Any] = {
        "connect_timeout": options.connect_timeout_seconds,
        "read_timeout": options.read_timeout_seconds,
        "max_pool_connections": options.pool,
        "parameter_validation": False,
        # Whoever calls must know of every attempt, since a write without an answer may have been executed.
        "retries": {"total_max_attempts": 1, "mode": "standard"},
        "tcp_keepalive": True,
        # Loaded by name, as the package also leads to what this one must not need.
        "user_agent_extra": f"pksk/{import_module('pksk').__version__}",
    }
    return settings | ({"proxies": {}} if options.is_local else {})  # no proxy has a way to this machine
