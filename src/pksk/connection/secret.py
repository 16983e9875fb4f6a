"""The secret that cursors are sealed with."""

from __future__ import annotations

import os
import secrets
from typing import Final

from pksk.errors import PkskError, quote

__all__ = ["VARIABLE", "cursor_secret"]

VARIABLE: Final = "PKSK_CURSOR_SECRET"
_RANDOM: Final = secrets.token_bytes(32)


def cursor_secret(given: str | bytes | None) -> bytes:
    """The secret that is given, else that of the environment, else one of this process alone.

    Example:
        >>> cursor_secret("of all our processes")
        b'of all our processes'
    """
    found = os.environ.get(VARIABLE) or None if given is None else given
    if found is None:
        return _RANDOM
    if not isinstance(found, str | bytes) or not found:
        raise PkskError(
            "connect-secret",
            f"connect(cursor_secret={quote(found)}): a secret is text or bytes, and not empty.",
            fix=f"give one that all processes share, by cursor_secret= or by {VARIABLE}, or leave it out.",
        )
    # A variable may hold bytes that are no text, which Python shows as lone surrogates.
    return found.encode(errors="surrogatepass") if isinstance(found, str) else found
