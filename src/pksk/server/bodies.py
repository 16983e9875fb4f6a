"""The bodies of requests as they were before their clients compressed them."""

from __future__ import annotations

from typing import Final

from pksk.client import ServiceError
from pksk.engine.wire import error_body

from .compression import BodyTooLarge, BrokenBody, UnknownCoding, unpacked
from .texts import TOO_LARGE

__all__ = ["UNREADABLE", "Unusable", "read_body"]

UNREADABLE: Final = 400, error_body(ServiceError("SerializationException"))
_BROKEN: Final = 500, error_body(ServiceError("InternalFailure"))  # AWS answers so too
_TOO_LARGE: Final = 413, TOO_LARGE.encode()


class Unusable(Exception):
    """A body that cannot be unpacked, with the status and body that answer it."""

    def __init__(self, answer: tuple[int, bytes]) -> None:
        super().__init__(*answer)
        self.answer = answer


def read_body(body: bytes, coding: bytes, limit: int) -> bytes:
    """A body that came in a coding; raises `Unusable`.

    Example:
        >>> import gzip
        >>> read_body(gzip.compress(b"{}"), b"gzip", 100)
        b'{}'
    """
    try:
        return unpacked(body, coding, limit)
    except BrokenBody:
        raise Unusable(_BROKEN) from None
    except BodyTooLarge:
        raise Unusable(_TOO_LARGE) from None
    except UnknownCoding:
        raise Unusable(UNREADABLE) from None
