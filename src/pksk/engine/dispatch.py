"""Runs the operation that a request names, or several requests with one commit."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from re import sub
from typing import Any, Final, TypeAlias

from pksk.client import ServiceError

from . import service_errors as errors
from . import texts
from .core import LOG, AfterCommit, Answer, Core, Operation
from .heat.trace import CallRecorder, Trace, call_numbers, current_call
from .request import OPERATIONS, OlderRequest, messages, read_request
from .storage import SpaceMissing, StorageClosed, StorageProblem

# These put a prefix before the message of an invalid request.
_PREFIXED: Final = frozenset({"PutItem", "UpdateItem", "DeleteItem"})
# Control-plane operations share a module for each resource; data-plane operations have a module each.
CONTROL_PLANE: Final = {
    "backups": "CreateBackup DeleteBackup DescribeBackup DescribeContinuousBackups ListBackups "
    "UpdateContinuousBackups",
    "contributor_insights": "DescribeContributorInsights ListContributorInsights UpdateContributorInsights",
    "kinesis_destinations": "DescribeKinesisStreamingDestination DisableKinesisStreamingDestination "
    "EnableKinesisStreamingDestination UpdateKinesisStreamingDestination",
    "resources": "DeleteResourcePolicy GetResourcePolicy ListTagsOfResource PutResourcePolicy TagResource "
    "UntagResource",
    "restore": "RestoreTableFromBackup RestoreTableToPointInTime",
    "streams": "DescribeStream ListStreams",
    "tables": "CreateTable DeleteTable DescribeEndpoints DescribeLimits DescribeTable ListTables",
    "time_to_live": "DescribeTimeToLive UpdateTimeToLive",
    "update_table": "UpdateTable",
}
_RESOURCES: Final = {name: module for module, names in CONTROL_PLANE.items() for name in names.split()}
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
        request = read_request(operation, raw, core.settings.region)
        return run(core, request)
    except errors.InvalidRequest as error:
        if type(request) is OlderRequest or not messages.wording(operation, core.settings.region).newer:
            raise errors.with_older_wording(error) from None
        if operation in _PREFIXED:
            raise errors.validation(f"{texts.PREFIX}{error.message}") from None
        raise
    except ServiceError:
        raise
    except SpaceMissing:
        # The table or the index was deleted during the call.
        raise errors.resource_not_found() from None
    except StorageProblem as problem:
        raise errors.internal_error(str(problem)) from problem
    except Exception as bug:
        LOG.exception("%s failed", operation)
        raise errors.internal_error(f"{type(bug).__name__}: {bug}") from bug
    except BaseException:  # an interrupt, perhaps while a block began or ended
        core.storage.abandon()
        raise


def _load(operation: str) -> Operation:
    """Import the function of an operation, from the module of its resource or of its own name."""
    if not isinstance(operation, str) or operation not in OPERATIONS:
        raise errors.service_error("UnknownOperationException")
    name = sub(r"(?<!^)(?=[A-Z])", "_", operation).lower()
    resource = _RESOURCES.get(operation)
    module = f"operations.{name}" if resource is None else f"control_plane.{resource}"
    run: Operation = getattr(import_module(f"pksk.engine.{module}"), name)
    _operations[operation] = run
    return run


@contextmanager
def record_calls(core: Core, target: str | os.PathLike[str] | CallRecorder) -> Iterator[None]:
    """Record the calls made in a block, in a file of their own or by a recorder of several engines."""
    trace = target if isinstance(target, CallRecorder) else Trace(target, core.settings.clock)
    with core.meter.lock:
        core.meter.traces += (trace,)
    try:
        yield
    finally:
        with core.meter.lock:
            core.meter.traces = tuple(each for each in core.meter.traces if each is not trace)
        if trace is not target and isinstance(trace, Trace):
            trace.close()


def dispatch_traced(core: Core, operation: str, raw: object) -> Answer:
    """Run an operation and give its name and its number to the traces."""
    current_call.operation, current_call.number = operation, next(call_numbers)
    try:
        return dispatch(core, operation, raw)
    finally:
        current_call.operation = current_call.number = None


# An operation and the body of its request; the status and the body of a response.
Call: TypeAlias = tuple[str, bytes]
Response: TypeAlias = tuple[int, bytes]

# The operations that can write items.
WRITES: Final = frozenset(
    {
        "BatchExecuteStatement",
        "BatchWriteItem",
        "DeleteItem",
        "ExecuteStatement",
        "ExecuteTransaction",
        "PutItem",
        "TransactWriteItems",
        "UpdateItem",
    }
)
# These can run between writes that share a commit. All others change tables, maintain streams or
# use caches of vectors, and commit on their own, so that what is in memory is never ahead of the file.
_ITEM_OPERATIONS: Final = WRITES | {"BatchGetItem", "GetItem", "Query", "Scan", "TransactGetItems"}


def answer_together(
    core: Core, answer: Callable[[str, bytes], Response], requests: Sequence[Call]
) -> list[Response]:
    """The responses to requests, in order. When this returns, their writes are stored."""
    responses: list[Response] = []
    position, shares = 0, _may_share(core)
    while position < len(requests):
        end = _end_of_writes(requests, position) if shares else position + 1
        if end - position == 1:
            responses.append(answer(*requests[position]))
        else:
            responses += _with_one_commit(core, answer, requests[position:end])
        position = end
    return responses


def _may_share(core: Core) -> bool:
    """Whether everything beside storage can wait for the commit: lagging reads and traces cannot."""
    return core.lag is None and not core.meter.traces


def _end_of_writes(requests: Sequence[Call], begin: int) -> int:
    """The end of the writes that share a commit with the write at `begin`."""
    end = begin + 1
    if requests[begin][0] in WRITES:
        for position in range(end, len(requests)):
            operation = requests[position][0]
            if operation in WRITES:
                end = position + 1
            elif operation not in _ITEM_OPERATIONS:
                break
    return end


def _with_one_commit(
    core: Core, answer: Callable[[str, bytes], Response], requests: Sequence[Call]
) -> list[Response]:
    after_commit = AfterCommit()
    try:
        with core.storage.sharing_commit():
            core.after_commit = after_commit
            try:
                responses = [answer(*request) for request in requests]
            finally:
                core.after_commit = None
    except StorageProblem as problem:
        # Nothing is stored, and a read in between has seen uncommitted items.
        error = errors.internal_error(str(problem))
        failed = error.status, errors.error_body(error)
        return [failed if request[0] in WRITES else answer(*request) for request in requests]
    except BaseException:  # an interrupt, perhaps while the block began or ended
        core.storage.abandon()
        raise
    after_commit.run()
    return responses
