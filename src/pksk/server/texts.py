"""What the service says about requests that do not reach an operation, word for word."""

from __future__ import annotations

from typing import Final

__all__ = ["NO_SUCH_PAGE", "TOO_LARGE", "healthy"]

NO_SUCH_PAGE: Final = "<UnknownOperationException/>\n"
TOO_LARGE: Final = "<RequestEntityTooLargeException/>\n"


def healthy(region: str) -> str:
    """What a region's endpoint says of itself; the space at its end is AWS's too.

    Example:
        >>> healthy("eu-west-1")
        'healthy: dynamodb.eu-west-1.amazonaws.com '
    """
    return f"healthy: dynamodb.{region}.amazonaws.com "
