"""Opens a store on an embedded engine, AWS, a server or a client."""

from __future__ import annotations

from pksk.connection.open_store import connect, connect_async

__all__ = ["connect", "connect_async"]
