"""What the service says about requests that do not reach an operation, word for word."""

from __future__ import annotations

from typing import Final

__all__ = ["NO_SUCH_PAGE", "TOO_LARGE"]

NO_SUCH_PAGE: Final = "<UnknownOperationException/>\n"
TOO_LARGE: Final = "<RequestEntityTooLargeException/>\n"
