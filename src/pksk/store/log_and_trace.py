"""Ready-made hooks: one writes each request to a log, one makes OpenTelemetry spans."""

from __future__ import annotations

from collections.abc import Callable
from logging import DEBUG, WARNING, Logger, getLogger
from typing import Protocol

from pksk.errors import PkskError
from pksk.sending import Finish, Hook, RequestFinished, RequestStarted, consumed_capacity
from pksk.sending.hooks import HANDLE_CHANGES


def log_to(logger: Logger | None = None, *, level: int = DEBUG) -> Hook:
    """A hook that logs every call to DynamoDB: its operation, entity and pattern, and how long it took.

    Failed calls are logged as warnings. Keys and values are never logged.

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
    log = logger or getLogger("pksk.store")

    def hook(started: RequestStarted) -> Finish:
        def finish(finished: RequestFinished) -> None:
            if finished.error is None:
                units = consumed_capacity(started.operation, finished.answer or {})
                consumed = f", {units}" if units.charges else ""
                log.log(level, "%s in %.2f ms%s", _log_text(started), finished.seconds * 1000, consumed)
            else:
                name = getattr(finished.error, "code", type(finished.error).__name__)
                log.log(WARNING, "%s failed: %s", _log_text(started), name)

        return finish

    return hook


def _log_text(started: RequestStarted) -> str:
    words = [started.operation, ", ".join(started.tables)]
    if started.pattern:
        words.append(f"by {started.pattern}")
    elif started.entities:
        words.append(f"for {', '.join(started.entities)}")
    if started.attempt > 1:
        words.append(f"(attempt {started.attempt})")
    return " ".join(word for word in words if word)


class Span(Protocol):
    """The part of an OpenTelemetry span that `trace_with` uses."""

    def set_attribute(self, name: str, value: str | list[str], /) -> object:
        """Set one attribute."""

    def record_exception(self, error: BaseException, /) -> object:
        """Attach an error."""

    @property
    def set_status(self) -> Callable[..., object]:
        """Sets the status code and its description."""

    def end(self) -> object:
        """End the span now."""


class Tracer(Protocol):
    """The part of an OpenTelemetry tracer that `trace_with` uses."""

    @property
    def start_span(self) -> Callable[..., Span]:
        """Starts a span with a name and attributes."""


def trace_with(tracer: Tracer | None = None) -> Hook:
    """A hook that makes a span for every call, with the attribute names that OpenTelemetry defines for DynamoDB.

    Without a tracer, it uses the one of the program's provider. The span is a child of the current span.

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
    span_tracer, client = _tracer(tracer)

    def hook(started: RequestStarted) -> Finish:
        if started.operation == HANDLE_CHANGES:
            span = span_tracer.start_span(f"pksk.{HANDLE_CHANGES}", attributes=_batch_attributes(started))
        else:
            span = span_tracer.start_span(
                f"DynamoDB.{started.operation}", attributes=_attributes(started), **client
            )

        def finish(finished: RequestFinished) -> None:
            cost = consumed_capacity(started.operation, finished.answer or {})
            if cost.charges:
                span.set_attribute("aws.dynamodb.consumed_capacity", [str(cost)])
            if finished.error is not None:
                span.set_attribute(
                    "error.type", getattr(finished.error, "code", type(finished.error).__name__)
                )
                span.record_exception(finished.error)
                span.set_status(*_error_status(finished.error))
            span.end()

        return finish

    return hook


def _batch_attributes(started: RequestStarted) -> dict[str, str | int]:
    """The attributes that OpenTelemetry defines for a batch of messages."""
    return {
        "messaging.system": "aws.dynamodb_streams",
        "messaging.operation.type": "process",
        "messaging.destination.name": started.parameters["TableName"],
        "messaging.consumer.group.name": started.parameters["Consumer"],
        "messaging.batch.message_count": started.parameters["Changes"],
    }


def _attributes(started: RequestStarted) -> dict[str, str | int | list[str]]:
    attributes: dict[str, str | int | list[str]] = {
        "db.system.name": "aws.dynamodb",
        "db.operation.name": started.operation,
        "aws.dynamodb.table_names": list(started.tables),
        "rpc.system": "aws-api",
        "rpc.method": started.operation,
    }
    index = started.parameters.get("IndexName")
    if index:
        attributes["aws.dynamodb.index_name"] = index
    if started.entities:
        attributes["pksk.entities"] = list(started.entities)
    if started.pattern:
        attributes["pksk.pattern"] = started.pattern
    if started.attempt > 1:
        attributes["pksk.attempt"] = started.attempt
    return attributes


def _tracer(tracer: Tracer | None) -> tuple[Tracer, dict[str, object]]:
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
    own_tracer = trace.get_tracer("pksk") if tracer is None else tracer
    return own_tracer, {"kind": trace.SpanKind.CLIENT}


def _error_status(error: BaseException) -> tuple[object, str]:
    try:
        from opentelemetry.trace import StatusCode
    except ImportError:
        return ("ERROR", str(error))
    return (StatusCode.ERROR, str(error))
