"""A DynamoDB behind botocore: takes and gives its JSON, as `Engine.call` does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from botocore.exceptions import ClientError
from botocore.model import Shape

from pksk.client import ServiceError
from tests.engine.botocore_model import NOT_IN_THE_MODEL

from .botocore_values import from_botocore
from .exact_clients import Clients, Exchange

__all__ = ["BotocoreTransport", "UnlikeTheModel", "differences"]

_ABSENT = object()
_MESSAGES = ("message", "Message")


class UnlikeTheModel(AssertionError):
    """An answer that botocore's model of the service does not have."""


class BotocoreTransport:
    """A `Client` on top of clients of botocore."""

    def __init__(self, clients: Clients, url: str | None = None) -> None:
        self._clients = clients
        self._url = url

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """The answer in DynamoDB's JSON; raises `ServiceError`."""
        try:
            exchange, parsed = self._clients.send(operation, request, self._url)
        except ClientError as error:
            raise self._error_of(self._clients.latest(), error.response) from None
        assert parsed.pop("ResponseMetadata")["HTTPStatusCode"] == 200
        model = self._clients.model(operation)
        return _compared(exchange, parsed, model and model.output_shape, exchange.answer)

    def _error_of(self, exchange: Exchange, response: Mapping[str, Any]) -> ServiceError:
        error, metadata = response["Error"], response["ResponseMetadata"]
        model = self._clients.model(exchange.operation)
        shape = model and model.service_model.shape_for_error_code(error["Code"])
        parsed = {name: each for name, each in response.items() if name not in {"Error", "ResponseMetadata"}}
        shown = {name: each for name, each in exchange.answer.items() if name != "__type"}
        if shape is None:  # botocore parses nothing but the message
            parsed = {name: each for name, each in shown.items() if name in _MESSAGES}
        fields = _compared(exchange, parsed, shape, shown)
        messages = [fields.pop(name) for name in _MESSAGES if name in fields]
        assert messages in ([], [error["Message"]])
        status = metadata["HTTPStatusCode"]
        return ServiceError(error["Code"], messages[0] if messages else None, status, fields)


def _compared(exchange: Exchange, parsed: dict[str, Any], shape: Shape | None, came: Any) -> dict[str, Any]:
    """The response, all of which botocore has parsed except members that its model lacks."""
    known = from_botocore(parsed, shape) if shape else parsed
    if known != came:
        missed = [
            path for path in differences(came, known) if path.rpartition(".")[2] not in NOT_IN_THE_MODEL
        ]
        if missed:
            raise UnlikeTheModel(f"{exchange.operation} answered what botocore does not know: {missed}")
    answer: dict[str, Any] = came
    return answer


def differences(one: Any, other: Any, path: str = "") -> Iterator[str]:
    """The paths at which two values in JSON are not the same."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in one.keys() | other.keys():
            yield from differences(one.get(name, _ABSENT), other.get(name, _ABSENT), f"{path}.{name}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for place, (each, its) in enumerate(zip(one, other, strict=True)):
            yield from differences(each, its, f"{path}[{place}]")
    elif one != other:
        yield path
