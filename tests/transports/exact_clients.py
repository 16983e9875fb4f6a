"""Clients of botocore that send exactly the given request, and keep the response."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from threading import local
from typing import Any
from zlib import crc32

import botocore.session
from botocore import xform_name
from botocore.config import Config
from botocore.handlers import generate_idempotent_uuid
from botocore.model import OperationModel, StructureShape

from .botocore_values import in_json, to_botocore

__all__ = ["Clients", "Exchange"]

_SERVICES = ("dynamodb", "dynamodbstreams")
_REQUEST_ID_LENGTH = 52
# An operation that no service has is sent by the client of another.
_ANY_OPERATION = "ListTables"
_SHORTEST: dict[str, Any] = {
    "structure": {},
    "map": {},
    "list": [],
    "string": "x",
    "integer": 1,
    "boolean": True,
}


@dataclass
class Exchange:
    """One request, and the answer to it as it came."""

    operation: str
    body: bytes
    url: str | None = None
    is_sent: bool = False
    # Whether botocore wrote the request; otherwise its model cannot express it, and it was sent unchanged.
    is_typed: bool = False
    answer: Any = None


class Clients:
    """A client of each of DynamoDB's two services, made once and used for all engines; retries nothing."""

    def __init__(self, **options: Any) -> None:
        self._under_way = local()
        self._by_operation: dict[str, Any] = {}
        for service in _SERVICES:
            client = self._hooked(service, options)
            for operation in client.meta.service_model.operation_names:
                self._by_operation[operation] = client

    def model(self, operation: str) -> OperationModel | None:
        """What botocore knows of an operation."""
        client = self._by_operation.get(operation)
        return client.meta.service_model.operation_model(operation) if client else None

    def send(
        self, operation: str, request: Mapping[str, Any], url: str | None = None
    ) -> tuple[Exchange, Any]:
        """The raw response and botocore's parsed one; raises botocore's errors, which have the exchange."""
        exchange = Exchange(operation, in_json(request), url)
        self._under_way.exchange = exchange
        model = self.model(operation)
        known = operation if model else _ANY_OPERATION
        method = getattr(self._by_operation[known], xform_name(known))
        if model is None:
            return exchange, method()
        try:
            return exchange, method(**to_botocore(request, model.input_shape))
        except Exception:
            if exchange.is_sent:
                raise
        # Botocore's model cannot express it. Whatever it sends instead, the body is replaced on the way.
        return exchange, method(**_required(model.input_shape))

    def latest(self) -> Exchange:
        """The last exchange of this thread."""
        exchange: Exchange = self._under_way.exchange
        return exchange

    def __enter__(self) -> Clients:
        return self

    def __exit__(self, *_: object) -> None:
        for client in set(self._by_operation.values()):
            client.close()

    def _hooked(self, service: str, options: Mapping[str, Any]) -> Any:
        client = _session().create_client(
            service,
            region_name="us-east-1",
            aws_access_key_id="testing",
            aws_secret_access_key="testing",
            config=Config(
                parameter_validation=False,
                retries={"total_max_attempts": 1},
                max_pool_connections=50,
            ),
            **options,
        )
        events = client.meta.events
        events.unregister("before-parameter-build", generate_idempotent_uuid)
        events.register("before-call", self._sending)
        events.register("before-parse", self._received)
        return client

    def _sending(self, params: dict[str, Any], **_: Any) -> None:
        exchange = self.latest()
        exchange.is_sent = True
        exchange.is_typed = _same(params["body"], exchange.body)
        if not exchange.is_typed:
            params["body"] = exchange.body
        if exchange.url is not None:
            params["url"] = exchange.url
        if exchange.operation not in self._by_operation:
            service = params["headers"]["X-Amz-Target"].partition(".")[0]
            params["headers"]["X-Amz-Target"] = f"{service}.{exchange.operation}"

    def _received(self, response_dict: dict[str, Any], **_: Any) -> None:
        headers, body = response_dict["headers"], response_dict["body"]
        assert headers["Content-Type"] == "application/x-amz-json-1.0"
        assert int(headers["Content-Length"]) == len(body)
        assert int(headers["x-amz-crc32"]) == crc32(body)
        assert len(headers["x-amzn-RequestId"]) == _REQUEST_ID_LENGTH
        # Some operations answer nothing at all.
        self.latest().answer = json.loads(body) if body else {}


@cache
def _session() -> botocore.session.Session:
    return botocore.session.Session()


def _same(written: bytes, wanted: bytes) -> bool:
    # Botocore writes whole seconds without a fraction; a number is not the same as a boolean.
    return written == wanted or _shown(written) == _shown(wanted)


def _shown(body: bytes) -> str:
    return repr(json.loads(body, parse_int=float))


def _required(shape: StructureShape) -> dict[str, Any]:
    """What an operation must be given, as short as can be."""
    return {name: _SHORTEST[shape.members[name].type_name] for name in shape.required_members}
