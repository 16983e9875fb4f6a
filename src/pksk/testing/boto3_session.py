"""Sessions of boto3 that are cheap to create for each test."""

from __future__ import annotations

from copy import copy
from functools import cache
from os import environ
from typing import TYPE_CHECKING, Any

from pksk.errors import PkskError

from .environment import ACCESS_KEY, SECRET_KEY

if TYPE_CHECKING:
    import boto3


def new_boto3_session(region: str) -> boto3.Session:
    """A session with placeholder credentials, whose clients use the endpoints of AWS.

    All sessions share botocore's models, which take 50 milliseconds to read, and its handlers, which take 6.
    """
    try:
        import boto3
        import botocore.session
    except ImportError as error:
        raise PkskError(
            "testing-package",
            f"A session of boto3 needs boto3, which cannot be imported: {error}.",
            fix="pip install boto3; with aiobotocore alone, use the fixture pksk_intercept.",
        ) from None
    session = botocore.session.Session(event_hooks=copy(_handlers()), include_builtin_handlers=False)
    loader = _loader(environ.get("AWS_DATA_PATH"))
    session.register_component("data_loader", loader)
    # The endpoints in the user's environment are not for tests.
    session.set_config_variable("ignore_configured_endpoint_urls", True)
    boto3_session = boto3.Session(ACCESS_KEY, SECRET_KEY, region_name=region, botocore_session=session)
    # Every session of boto3 adds the path of its own models.
    loader.search_paths[:] = dict.fromkeys(loader.search_paths)
    return boto3_session


@cache
def _handlers() -> Any:
    """The handlers of a new session; each session gets a copy."""
    from botocore.hooks import HierarchicalEmitter
    from botocore.session import Session

    emitter = HierarchicalEmitter()
    Session(event_hooks=emitter)
    return emitter


@cache
def _loader(_data_path: str | None) -> Any:
    """The loader that reads each of botocore's models once."""
    from botocore.session import Session

    return Session(include_builtin_handlers=False).get_component("data_loader")
