"""A hook that makes OpenTelemetry spans of requests, where that library is installed."""

from __future__ import annotations

from typing import Any

from pksk.errors import PkskError
from pksk.store.watching.consumed import consumed
from pksk.store.watching.hook import Done, Finish, Hook, Sending

__all__ = ["trace_with"]


def trace_with(tracer: Any = None) -> Hook:
    """A hook that makes a span of every request, with the names that OpenTelemetry has for DynamoDB.

    Without a tracer it takes that of the program's own provider. The span is a child of the one that is current where
    the request is sent.

    Example:
        >>> class Span:
        ...     def set_attribute(self, name, value): print(name, value)
        ...     def record_exception(self, error): ...
        ...     def set_status(self, *status): ...
        ...     def end(self): print("end")
        >>> class Tracer:
        ...     def start_span(self, name, **options):
        ...         print(name)
        ...         return Span()
        >>> trace_with(Tracer())(Sending("GetItem", {"TableName": "shop"}))(Done({}, None, 0.001))
        DynamoDB.GetItem
        end
    """
    chosen, client = _tracer(tracer)

    def hook(sending: Sending) -> Finish:
        span = chosen.start_span(f"DynamoDB.{sending.operation}", attributes=_attributes(sending), **client)

        def finish(done: Done) -> None:
            cost = consumed(sending.operation, done.answer or {})
            if cost.charges:
                span.set_attribute("aws.dynamodb.consumed_capacity", [str(cost)])
            if done.error is not None:
                span.set_attribute("error.type", getattr(done.error, "code", type(done.error).__name__))
                span.record_exception(done.error)
                span.set_status(*_failed(done.error))
            span.end()

        return finish

    return hook


def _attributes(sending: Sending) -> dict[str, Any]:
    found: dict[str, Any] = {
        "db.system.name": "aws.dynamodb",
        "db.operation.name": sending.operation,
        "aws.dynamodb.table_names": list(sending.tables),
        "rpc.system": "aws-api",
        "rpc.method": sending.operation,
    }
    index = sending.request.get("IndexName")
    if index:
        found["aws.dynamodb.index_name"] = index
    if sending.entities:
        found["pksk.entities"] = list(sending.entities)
    if sending.pattern:
        found["pksk.pattern"] = sending.pattern
    if sending.attempt > 1:
        found["pksk.attempt"] = sending.attempt
    return found


def _tracer(tracer: Any) -> tuple[Any, dict[str, Any]]:
    try:
        from opentelemetry import trace
    except ImportError:
        if tracer is not None:
            return tracer, {}
        raise PkskError(
            "store-no-opentelemetry",
            "trace_with(): OpenTelemetry is not installed.",
            fix="pip install opentelemetry-api, or give a tracer of your own.",
        ) from None
    chosen = trace.get_tracer("pksk") if tracer is None else tracer
    return chosen, {"kind": trace.SpanKind.CLIENT}


def _failed(error: BaseException) -> tuple[Any, ...]:
    try:
        from opentelemetry.trace import StatusCode
    except ImportError:
        return ("ERROR", str(error))
    return (StatusCode.ERROR, str(error))
