"""From an operation's name and a request to its answer: every call goes through here."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from re import sub
from typing import Any, Final

from .core import Answer, Core, Operation
from .faults import RequestRefused, ServiceError, fault, validation
from .request import OPERATIONS, OlderRequest, read_request
from .storage import SpaceMissing, StorageClosed, StorageProblem
from .texts.items import PREFIX
from .texts.tables import NO_TABLE
from .values import in_older_words

__all__ = ["as_calls_fail", "dispatch"]

_LOG: Final = logging.getLogger("pksk.engine")
# These put a prefix before what is wrong with a request.
_PREFIXED: Final = frozenset({"PutItem", "UpdateItem", "DeleteItem"})
_loaded: dict[str, Operation] = {}


def dispatch(core: Core, operation: str, raw: object) -> Answer:
    """The answer to a request as it came in; raises `ServiceError`, or an interrupt as it is."""
    request: dict[str, Any] = {}
    try:
        if core.closed:
            raise StorageClosed
        try:
            run = _loaded[operation]
        except (KeyError, TypeError):  # not met before, or nothing that could be a name
            run = _load(operation)
        request = read_request(operation, raw)
        return run(core, request)
    except RequestRefused as refusal:
        if type(request) is OlderRequest:
            raise in_older_words(refusal) from None
        if operation in _PREFIXED:
            raise validation(f"{PREFIX}{refusal.message}") from None
        raise
    except ServiceError:
        raise
    except SpaceMissing:
        # The table, or the index, was deleted while the call was under way.
        raise fault("ResourceNotFoundException", NO_TABLE) from None
    except StorageProblem as problem:
        raise fault("InternalServerError", str(problem), status=500) from problem
    except Exception as bug:
        _LOG.exception("%s failed", operation)
        raise fault("InternalServerError", f"{type(bug).__name__}: {bug}", status=500) from bug
    except BaseException:  # an interrupt, which may have come while a block began or ended
        core.storage.abandon()
        raise


def _load(operation: str) -> Operation:
    """The function of an operation, from the module of its name."""
    if not isinstance(operation, str) or operation not in OPERATIONS:
        raise fault("UnknownOperationException")
    name = sub(r"(?<!^)(?=[A-Z])", "_", operation).lower()
    run: Operation = getattr(import_module(f"pksk.engine.operations.{name}"), name)
    _loaded[operation] = run
    return run


@contextmanager
def as_calls_fail(core: Core) -> Iterator[None]:
    """A block that is no call of an operation, and in which storage that fails is told as calls tell it."""
    try:
        if core.closed:
            raise StorageClosed
        yield
    except SpaceMissing:  # the table, or the index, was deleted meanwhile
        raise fault("ResourceNotFoundException", NO_TABLE) from None
    except StorageProblem as problem:
        raise fault("InternalServerError", str(problem), status=500) from problem
    except Exception:
        raise
    except BaseException:  # an interrupt, which may have come while a block began or ended
        core.storage.abandon()
        raise
