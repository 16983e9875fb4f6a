"""From the name of a DynamoDB to a store on it."""

from __future__ import annotations

from pksk.connection.connect import connect, connect_async

__all__ = ["connect", "connect_async"]
