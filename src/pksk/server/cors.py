"""The headers that let web pages of other origins use a server."""

from __future__ import annotations

import re
from typing import Final

from pksk.errors import PkskError, quote

from .request import Request

_EXPOSED: Final = "x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,x-amz-crc32,Date"
_MAX_AGE_SECONDS: Final = 172_800
# The header of a preflight request, and the one that answers it.
_PREFLIGHT_HEADERS: Final = (
    (b"access-control-request-headers", "Access-Control-Allow-Headers"),
    (b"access-control-request-method", "Access-Control-Allow-Methods"),
)
# As browsers send it: nothing after the port, and in lower case.
_ORIGIN: Final = re.compile(r"\*|null|[a-z][a-z0-9+.-]*://[^\sA-Z/?#@,*]+")


def checked_origin(origin: str | None) -> str | None:
    """The origin, if browsers can send it; any other would silently match no page.

    Example:
        >>> checked_origin("https://app.example:8443")
        'https://app.example:8443'
    """
    if origin is not None and not _ORIGIN.fullmatch(origin):
        raise PkskError(
            "server-origin",
            f"{quote(origin)} is not the origin of web pages.",
            expected="An origin is http:// or https://, a host and optionally a port; or * for all.",
            fix="write --cors https://app.example, --cors '*' or --cors none.",
        )
    return origin


class Cors:
    """Allows web pages of one origin, of all with `*`, or none.

    Example:
        >>> Cors(None).allows
        False
    """

    def __init__(self, origin: str | None) -> None:
        self.allows = origin is not None
        self._lines = (
            f"Access-Control-Allow-Origin: {origin}\r\nAccess-Control-Expose-Headers: {_EXPOSED}\r\n"
        )

    def headers(self, request: Request) -> str:
        """The header lines of a response; empty unless a web page sent the request."""
        return self._lines if self.allows and b"origin" in request.by_name else ""

    def preflight(self, request: Request) -> str:
        """The header lines that answer a preflight request; empty if the page may not send it."""
        lines = self.headers(request)
        if not lines:
            return ""
        for requested, allowed in _PREFLIGHT_HEADERS:
            value = request.by_name.get(requested)
            if value is not None:
                lines += f"{allowed}: {value.decode('latin-1')}\r\n"
        return f"{lines}Access-Control-Max-Age: {_MAX_AGE_SECONDS}\r\n"
