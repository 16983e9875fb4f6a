"""Runs the operation that a request names. Every call goes through here, traced or not."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from re import sub
from typing import Any, Final

from pksk.client import ServiceError

from .core import Answer, Core, Operation
from .heat.trace import Trace, current_call
from .request import OPERATIONS, OlderRequest, read_request
from .request.attribute_values import with_older_wording
from .service_errors import InvalidRequest, service_error, validation
from .storage import SpaceMissing, StorageClosed, StorageProblem
from .texts.items import PREFIX
from .texts.tables import NO_TABLE

_LOG: Final = logging.getLogger("pksk.engine")
# These put a prefix before the message of an invalid request.
_PREFIXED: Final = frozenset({"PutItem", "UpdateItem", "DeleteItem"})
# Control-plane operations share a module for each resource; data-plane operations have a module each.
_CONTROL_PLANE: Final = {
    "backups": "CreateBackup DescribeBackup ListBackups DeleteBackup",
    "continuous_backups": "DescribeContinuousBackups UpdateContinuousBackups",
    "contributor_insights": "DescribeContributorInsights ListContributorInsights UpdateContributorInsights",
    "kinesis_destinations": "DescribeKinesisStreamingDestination DisableKinesisStreamingDestination "
    "EnableKinesisStreamingDestination UpdateKinesisStreamingDestination",
    "resource_policies": "DeleteResourcePolicy GetResourcePolicy PutResourcePolicy",
    "restore": "RestoreTableFromBackup RestoreTableToPointInTime",
    "streams": "DescribeStream ListStreams",
    "tables": "CreateTable DeleteTable DescribeEndpoints DescribeLimits DescribeTable ListTables",
    "tags": "ListTagsOfResource TagResource UntagResource",
    "time_to_live": "DescribeTimeToLive UpdateTimeToLive",
    "update_table": "UpdateTable",
}
_RESOURCES: Final = {name: module for module, names in _CONTROL_PLANE.items() for name in names.split()}
_operations: dict[str, Operation] = {}


def dispatch(core: Core, operation: str, raw: object) -> Answer:
    """The answer to a request; raises `ServiceError`, or an interrupt as it is."""
    request: dict[str, Any] = {}
    try:
        if core.closed:
            raise StorageClosed
        try:
            run = _operations[operation]
        except (KeyError, TypeError):  # first call of the operation, or not the name of one
            run = _load(operation)
        request = read_request(operation, raw)
        return run(core, request)
    except InvalidRequest as refusal:
        if type(request) is OlderRequest:
            raise with_older_wording(refusal) from None
        if operation in _PREFIXED:
            raise validation(f"{PREFIX}{refusal.message}") from None
        raise
    except ServiceError:
        raise
    except SpaceMissing:
        # The table or the index was deleted during the call.
        raise service_error("ResourceNotFoundException", NO_TABLE) from None
    except StorageProblem as problem:
        raise service_error("InternalServerError", str(problem), status=500) from problem
    except Exception as bug:
        _LOG.exception("%s failed", operation)
        raise service_error("InternalServerError", f"{type(bug).__name__}: {bug}", status=500) from bug
    except BaseException:  # an interrupt, perhaps while a block began or ended
        core.storage.abandon()
        raise


def _load(operation: str) -> Operation:
    """Import the function of an operation, from the module of its resource or of its own name."""
    if not isinstance(operation, str) or operation not in OPERATIONS:
        raise service_error("UnknownOperationException")
    name = sub(r"(?<!^)(?=[A-Z])", "_", operation).lower()
    resource = _RESOURCES.get(operation)
    module = f"operations.{name}" if resource is None else f"control_plane.{resource}"
    run: Operation = getattr(import_module(f"pksk.engine.{module}"), name)
    _operations[operation] = run
    return run


@contextmanager
def record_calls(core: Core, path: str | os.PathLike[str]) -> Iterator[None]:
    """Record the calls made in a block."""
    trace = Trace(path, core.settings.clock)
    with core.meter.lock:
        core.meter.traces += (trace,)
    try:
        yield
    finally:
        with core.meter.lock:
            core.meter.traces = tuple(each for each in core.meter.traces if each is not trace)
        trace.close()


def dispatch_traced(core: Core, operation: str, raw: object) -> Answer:
    """Run an operation and give its name to the traces."""
    current_call.operation = operation
    try:
        return dispatch(core, operation, raw)
    finally:
        current_call.operation = None
