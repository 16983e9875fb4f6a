"""The interface to DynamoDB: an operation and a request in, a response or a ServiceError out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Protocol

__all__ = ["NOT_CONFIGURED", "NOT_SENT", "NO_ANSWER", "AsyncClient", "Client", "ServiceError"]

# Codes of our own, all with status 0, for failures that no service reports. NOT_SENT: no connection was made, so the
# request had no effect. NOT_CONFIGURED: the same, until a setting changes, such as a missing region. NO_ANSWER: the
# request may have been executed or not.
NOT_SENT: Final = "RequestNotSent"
NOT_CONFIGURED: Final = "NotConfigured"
NO_ANSWER: Final = "NoAnswer"


class Client(Protocol):
    """Whatever answers DynamoDB's JSON API: the embedded engine, AWS, a recorder, a fault injector.

    Example:
        >>> class Nothing:
        ...     def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        ...         raise ServiceError("ResourceNotFoundException", "Requested resource not found")
        >>> client: Client = Nothing()
        >>> client.call("GetItem", {"TableName": "orders", "Key": {}})
        Traceback (most recent call last):
        pksk.client.ServiceError: ResourceNotFoundException: Requested resource not found
    """

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """The response in DynamoDB's JSON; raises only `ServiceError`."""


class AsyncClient(Protocol):
    """The same for programs that await.

    Example:
        >>> import asyncio
        >>> class Nothing:
        ...     async def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        ...         return {}
        >>> client: AsyncClient = Nothing()
        >>> asyncio.run(client.call("ListTables", {}))
        {}
    """

    async def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """The response in DynamoDB's JSON; raises only `ServiceError`, and CancelledError if the task is cancelled."""


class ServiceError(Exception):
    """An error of DynamoDB: its code, its message, and further fields.

    Example:
        >>> error = ServiceError("ConditionalCheckFailedException", "The conditional request failed",
        ...                      fields={"Item": {"pk": {"S": "a"}}})
        >>> error.code, error.status, error.fields["Item"]
        ('ConditionalCheckFailedException', 400, {'pk': {'S': 'a'}})
    """

    def __init__(
        self,
        code: str,
        message: str | None = None,
        status: int = 400,
        fields: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(code, message, status, fields)
        self.code = code
        self.message = message
        self.status = status
        self.fields: dict[str, Any] = dict(fields or {})

    def __reduce__(self) -> tuple[type[ServiceError], tuple[object, ...]]:
        # A subclass is pickled as this class, with all fields.
        return ServiceError, (self.code, self.message, self.status, self.fields)

    def __str__(self) -> str:
        return self.code if self.message is None else f"{self.code}: {self.message}"
