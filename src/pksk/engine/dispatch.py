"""Runs the operation that a request names: every call goes through here, recorded to a trace or not."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from re import sub
from typing import Any, Final

from .core import Answer, Core, Operation
from .heat.trace import Trace, current_call
from .request import OPERATIONS, OlderRequest, read_request
from .request.attribute_values import with_older_wording
from .service_errors import InvalidRequest, ServiceError, service_error, validation
from .storage import SpaceMissing, StorageClosed, StorageProblem
from .texts.items import PREFIX
from .texts.tables import NO_TABLE

__all__ = ["dispatch", "dispatch_traced", "record_calls"]

_LOG: Final = logging.getLogger("pksk.engine")
# These put a prefix before what is wrong with a request.
_PREFIXED: Final = frozenset({"PutItem", "UpdateItem", "DeleteItem"})
# Operations of the control plane share a module for each resource; every other has a module of its own name.
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
    """The answer to a request as it came in; raises `ServiceError`, or an interrupt as it is."""
    request: dict[str, Any] = {}
    try:
        if core.closed:
            raise StorageClosed
        try:
            run = _operations[operation]
        except (KeyError, TypeError):  # not met before, or nothing that could be a name
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
        # The table, or the index, was deleted while the call was under way.
        raise service_error("ResourceNotFoundException", NO_TABLE) from None
    except StorageProblem as problem:
        raise service_error("InternalServerError", str(problem), status=500) from problem
    except Exception as bug:
        _LOG.exception("%s failed", operation)
        raise service_error("InternalServerError", f"{type(bug).__name__}: {bug}", status=500) from bug
    except BaseException:  # an interrupt, which may have come while a block began or ended
        core.storage.abandon()
        raise


def _load(operation: str) -> Operation:
    """The function of an operation, from the module of its name or of its resource."""
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
    """A block whose calls are recorded."""
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
    """As ever, but that traces can tell the operation."""
    current_call.operation = operation
    try:
        return dispatch(core, operation, raw)
    finally:
        current_call.operation = None
