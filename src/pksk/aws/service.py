"""A client of one of DynamoDB's two services, as botocore or aiobotocore made it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from pksk.client import ServiceError
from pksk.errors import quote

from .addressed import addressed
from .exchange import watch
from .expected import Expected

__all__ = ["Service", "service_of"]

_STREAMS: Final = ("DescribeStream", "GetRecords", "GetShardIterator", "ListStreams")


def service_of(operation: object) -> str:
    """The service that has an operation, by botocore's name of it.

    Example:
        >>> service_of("GetItem"), service_of("GetRecords")
        ('dynamodb', 'dynamodbstreams')
    """
    if not isinstance(operation, str):
        raise _unknown(f"<{type(operation).__name__}>")
    return "dynamodbstreams" if operation in _STREAMS else "dynamodb"


class Service:
    """The operations of a client by their names in the API."""

    def __init__(self, client: Any) -> None:
        watch(client)
        self.client = client
        self._methods = {name: method for method, name in client.meta.method_to_api_mapping.items()}
        self._expected: dict[str, Expected] = {}

    def prepared(self, operation: str, request: object) -> Callable[[], Any]:
        """The call that sends a request; an error where the library's model of the service lacks the operation."""
        method = self._methods.get(operation)
        if method is None:
            raise _unknown(quote(operation))
        model = self.client.meta.service_model.operation_model(operation)
        members = model.input_shape.members if model.input_shape else ()
        return partial(getattr(self.client, method), **addressed(request, members))

    def expected(self, operation: str) -> Expected:
        """What the answers to an operation look like, which must be one that was prepared."""
        found = self._expected.get(operation)
        if found is None:
            model = self.client.meta.service_model.operation_model(operation)
            found = self._expected[operation] = Expected(operation, model.output_shape)
        return found


def _unknown(shown: str) -> ServiceError:
    from botocore import __version__ as version

    return ServiceError(
        "UnknownOperationException",
        f"botocore {version} does not know the operation {shown}. "
        "Fix: check its name; if it is new, pip install --upgrade botocore aiobotocore.",
    )
