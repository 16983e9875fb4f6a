"""Calls a handler of changes, and rejects what it should not return."""

from __future__ import annotations

from collections.abc import Callable
from inspect import isawaitable
from time import perf_counter
from typing import Any, TypeAlias

from pksk.errors import DesignError, InvalidValue, quote
from pksk.model.changes import Change
from pksk.schema import Table
from pksk.sending import Core, Effect, RequestFinished, RequestStarted, Steps
from pksk.sending.hooks import HANDLE_CHANGES, start_hooks

Handler: TypeAlias = Callable[[list[Change[Any]]], object]


def call_handler(
    core: Core, table: Table, consumer: str, handler: Handler, changes: list[Change[Any]]
) -> Steps[None]:
    """Call a handler; an asynchronous driver awaits it. Hooks see it as the operation `HandleChanges`."""
    about = {"TableName": table.name, "Consumer": consumer, "Changes": len(changes)}
    finishes = start_hooks(core.hooks, RequestStarted(HANDLE_CHANGES, about))
    began = perf_counter()
    error: BaseException | None = None
    try:
        check_result((yield Effect(lambda: handler(changes))))
    except BaseException as raised:
        error = raised
        raise
    finally:
        finished = RequestFinished(None, error, perf_counter() - began)
        for finish in finishes:
            finish(finished)


def check_handler(handler: object) -> None:
    """Reject what is not a function, before it is called with a change."""
    if not callable(handler):
        raise InvalidValue(
            "consumer-option",
            f"The handler is {quote(handler)} of type {type(handler).__name__}, which cannot be called.",
            expected="A handler is a function of a list of changes.",
            fix='write for example db.changes(shop, consumer="audit").run(handle).',
        )


def check_result(result: object) -> None:
    """Reject a handler that returns something: it may be a coroutine that nobody awaits, or an error as a value."""
    if result is None:
        return
    if isawaitable(result):
        close = getattr(result, "close", None)
        if close is not None:
            close()
        what, fix = (
            "a coroutine, which a synchronous store does not await",
            "use connect_async, or a plain function.",
        )
    else:
        what, fix = (
            f"{quote(result)} of type {type(result).__name__}",
            "return nothing, and raise an error to fail.",
        )
    raise DesignError(
        "consumer-handler-result",
        f"The handler returned {what}.",
        expected="A handler returns None once its effects are done; the changes then count as processed.",
        fix=fix,
    )
