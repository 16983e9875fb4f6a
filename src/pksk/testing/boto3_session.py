"""Sessions of boto3 that are cheap to make, many times in one process."""

from __future__ import annotations

from copy import copy
from functools import cache
from os import environ
from typing import TYPE_CHECKING, Any

from pksk.errors import PkskError

from .environment import ACCESS_KEY, SECRET_KEY

if TYPE_CHECKING:
    import boto3

__all__ = ["new_boto3_session"]


def new_boto3_session(region: str) -> boto3.Session:
    """A session with credentials that mean nothing, whose clients know no endpoint but AWS.

    It shares with others of its kind what botocore reads from its files and never changes: reading
    that costs fifty milliseconds, and registering its handlers another six.

    Example:
        >>> new_boto3_session("eu-west-1").client("dynamodb").meta.endpoint_url
        'https://dynamodb.eu-west-1.amazonaws.com'
    """
    try:
        import boto3
        import botocore.session
    except ImportError as error:
        raise PkskError(
            "testing-package",
            f"A session of boto3 needs boto3, which cannot be imported: {error}.",
            fix="pip install boto3; with aiobotocore alone, take the fixture pksk_intercept.",
        ) from None
    session = botocore.session.Session(event_hooks=copy(_handlers()), include_builtin_handlers=False)
    loader = _loader(environ.get("AWS_DATA_PATH"))
    session.register_component("data_loader", loader)
    # What the user's environment says of endpoints is for his own sessions.
    session.set_config_variable("ignore_configured_endpoint_urls", True)
    made = boto3.Session(ACCESS_KEY, SECRET_KEY, region_name=region, botocore_session=session)
    # Every session of boto3 adds the path of its own models.
    loader.search_paths[:] = dict.fromkeys(loader.search_paths)
    return made


@cache
def _handlers() -> Any:
    """The handlers that every session begins with; a session gets a copy, as clients get one of its own."""
    from botocore.hooks import HierarchicalEmitter
    from botocore.session import Session

    emitter = HierarchicalEmitter()
    Session(event_hooks=emitter)
    return emitter


@cache
def _loader(_data_path: str | None) -> Any:
    """Reads botocore's models, each once."""
    from botocore.session import Session

    return Session(include_builtin_handlers=False).get_component("data_loader")
