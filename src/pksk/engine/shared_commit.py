"""Answers several requests together, as if each came alone, with one commit for those that write."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from .core import AfterCommit, Core
from .service_errors import error_body, service_error
from .storage import StorageProblem

Request: TypeAlias = tuple[str, bytes]
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
# These can run between writes that share a commit. All others change tables or maintain streams, and commit
# on their own, so that the tables in memory are never ahead of the file.
_ITEM_OPERATIONS: Final = WRITES | {"BatchGetItem", "GetItem", "Query", "Scan", "TransactGetItems"}
_INTERNAL_ERROR: Final = 500


def answer_together(
    core: Core, answer: Callable[[str, bytes], Response], requests: Sequence[Request]
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


def _end_of_writes(requests: Sequence[Request], begin: int) -> int:
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
    core: Core, answer: Callable[[str, bytes], Response], requests: Sequence[Request]
) -> list[Response]:
    shared = AfterCommit()
    try:
        with core.storage.sharing_commit():
            core.after_commit = shared
            try:
                responses = [answer(*request) for request in requests]
            finally:
                core.after_commit = None
    except StorageProblem as problem:
        # Nothing is stored, and a read in between has seen uncommitted items.
        failed = (
            _INTERNAL_ERROR,
            error_body(service_error("InternalServerError", str(problem), status=_INTERNAL_ERROR)),
        )
        return [failed if request[0] in WRITES else answer(*request) for request in requests]
    except BaseException:  # an interrupt, perhaps while the block began or ended
        core.storage.abandon()
        raise
    shared.run()
    return responses
