"""A client of one of DynamoDB's two services, as botocore or aiobotocore made it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from pksk.client import ServiceError

from .addressed import addressed
from .exchange import watch

__all__ = ["Service"]


class Service:
    """The operations of a client by their names in the API."""

    def __init__(self, client: Any) -> None:
        watch(client)
        self.client = client
        self._methods = {name: method for method, name in client.meta.method_to_api_mapping.items()}

    def prepared(self, operation: str, request: object) -> Callable[[], Any]:
        """The call that sends a request; an error where the library's model of the service lacks the operation."""
        method = self._methods.get(operation) if isinstance(operation, str) else None
        if method is None:
            raise _unknown(operation)
        model = self.client.meta.service_model.operation_model(operation)
        members = model.input_shape.members if model.input_shape else ()
        return partial(getattr(self.client, method), **addressed(request, members))


def _unknown(operation: object) -> ServiceError:
    from botocore import __version__ as version

    return ServiceError(
        "UnknownOperationException",
        f"botocore {version} does not know the operation {operation!r}. "
        "Fix: check its name; if it is new, pip install --upgrade botocore aiobotocore.",
    )
