"""When a request was signed, and whether that is near enough to now."""

from __future__ import annotations

import re
import time
from calendar import timegm
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import Final

from .claim import Claim, incomplete, invalid
from .texts import expired, not_iso_8601, not_yet_current, wrong_expiry

__all__ = ["moment_of"]

_SKEW_SECONDS: Final = 15 * 60
_LONGEST_SECONDS: Final = 7 * 24 * 60 * 60
_BASIC: Final = re.compile(r"\d{8}T\d{6}Z", re.ASCII)
_FORMAT: Final = "%Y%m%dT%H%M%SZ"
_MOST_DIGITS: Final = 9


def moment_of(claim: Claim, now: int) -> str:
    """When a request was signed, in ISO 8601's basic format; raises what AWS says where that is not about now."""
    date, seconds = _read(claim.date.decode("latin-1"))
    window = _SKEW_SECONDS if claim.expires is None else _window(claim.expires.decode("latin-1"))
    if seconds < now - window:
        raise invalid(expired(date, _written(now - window), _written(now), window / 60))
    if seconds > now + _SKEW_SECONDS:
        latest = _written(now + _SKEW_SECONDS)
        raise invalid(not_yet_current(date, latest, _written(now), _SKEW_SECONDS / 60))
    return date


@lru_cache(maxsize=64)
def _read(text: str) -> tuple[str, int]:
    """A date, as it stands in what is signed, and its seconds since 1970."""
    try:
        if _BASIC.fullmatch(text):
            return text, timegm(time.strptime(text, _FORMAT))
        moment = parsedate_to_datetime(text)  # of a Date header, as HTTP writes it
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
        return moment.strftime(_FORMAT), int(moment.timestamp())
    except (ValueError, OverflowError, IndexError, TypeError):
        raise incomplete(not_iso_8601(text)) from None


def _window(expires: str) -> int:
    digits = expires.isascii() and expires.isdigit() and len(expires) <= _MOST_DIGITS
    if not digits or int(expires) > _LONGEST_SECONDS:
        raise incomplete(wrong_expiry(expires))
    return int(expires)


def _written(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime(_FORMAT)
