"""Ready-made hooks: one writes each request to a log, one makes OpenTelemetry spans."""

from __future__ import annotations

from logging import DEBUG, WARNING, Logger, getLogger
from typing import Any

from pksk.errors import PkskError
from pksk.store.hooks import Finish, Hook, RequestFinished, RequestStarted
from pksk.store.meter import consumed_capacity


def log_to(logger: Logger | None = None, *, level: int = DEBUG) -> Hook:
    """A hook that logs every request when it is over: what it was, for which entity and pattern, and how long it took.

    Requests that fail are logged as warnings. Nothing of what is stored is logged, neither keys nor values.

    Example:
        >>> import logging, sys
        >>> from pksk import Entity, Key, Table, connect, log_to
        >>> class Order(Entity, table=Table("shop")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> logger = logging.Logger("shop")
        >>> logger.addHandler(logging.StreamHandler(sys.stdout))
        >>> with connect("memory:", hooks=[log_to(logger)]) as db:
        ...     db.create_tables(Order.__pksk__.table)
        ...     order = db.put(Order(id="7"))
        CreateTable shop in ... ms
        DescribeTable shop in ... ms
        PutItem shop for Order in ... ms
    """
    chosen = logger or getLogger("pksk.store")

    def hook(sending: RequestStarted) -> Finish:
        def finish(done: RequestFinished) -> None:
            if done.error is None:
                units = consumed_capacity(sending.operation, done.answer or {})
                told = f", {units}" if units.charges else ""
                chosen.log(level, "%s in %.2f ms%s", _log_text(sending), done.seconds * 1000, told)
            else:
                name = getattr(done.error, "code", type(done.error).__name__)
                chosen.log(WARNING, "%s failed: %s", _log_text(sending), name)

        return finish

    return hook


def _log_text(sending: RequestStarted) -> str:
    words = [sending.operation, ", ".join(sending.tables)]
    if sending.pattern:
        words.append(f"by {sending.pattern}")
    elif sending.entities:
        words.append(f"for {', '.join(sending.entities)}")
    if sending.attempt > 1:
        words.append(f"(attempt {sending.attempt})")
    return " ".join(word for word in words if word)


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
        >>> trace_with(Tracer())(RequestStarted("GetItem", {"TableName": "shop"}))(RequestFinished({}, None, 0.001))
        DynamoDB.GetItem
        end
    """
    chosen, client = _tracer(tracer)

    def hook(sending: RequestStarted) -> Finish:
        span = chosen.start_span(f"DynamoDB.{sending.operation}", attributes=_attributes(sending), **client)

        def finish(done: RequestFinished) -> None:
            cost = consumed_capacity(sending.operation, done.answer or {})
            if cost.charges:
                span.set_attribute("aws.dynamodb.consumed_capacity", [str(cost)])
            if done.error is not None:
                span.set_attribute("error.type", getattr(done.error, "code", type(done.error).__name__))
                span.record_exception(done.error)
                span.set_status(*_error_status(done.error))
            span.end()

        return finish

    return hook


def _attributes(sending: RequestStarted) -> dict[str, Any]:
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


def _error_status(error: BaseException) -> tuple[Any, ...]:
    try:
        from opentelemetry.trace import StatusCode
    except ImportError:
        return ("ERROR", str(error))
    return (StatusCode.ERROR, str(error))
