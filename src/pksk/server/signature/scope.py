"""The credential of a request: which key it names, and for which day, region and service."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from .claim import incomplete, invalid
from .texts import wrong_credential, wrong_date, wrong_region, wrong_service, wrong_terminator

__all__ = ["Scope", "check_scope", "read_scope"]

_TERMINATOR: Final = "aws4_request"
_PARTS: Final = 5


class Scope(NamedTuple):
    """The parts of a credential."""

    key_id: str
    day: str
    region: str
    service: str
    terminator: str

    @property
    def text(self) -> str:
        """All but the key, as it is signed."""
        return f"{self.day}/{self.region}/{self.service}/{self.terminator}"


@lru_cache(maxsize=256)
def read_scope(credential: bytes) -> Scope:
    """The parts of a credential; slashes at its end are not counted."""
    text = credential.decode("latin-1")
    parts = text.rstrip("/").split("/")
    if len(parts) != _PARTS:
        raise incomplete(wrong_credential(text))
    return Scope(*parts)


def check_scope(scope: Scope, date: str, region: str | None, service: str) -> None:
    """Refuse a scope of another day, region or service, with all that is wrong in it.

    Without a `region`, any that is not empty will do.
    """
    problems = ""
    if not scope.region or (region is not None and scope.region != region):
        problems += wrong_region(scope.region)
    if scope.service != service:
        problems += wrong_service(service)
    if scope.terminator != _TERMINATOR:
        problems += wrong_terminator(scope.terminator)
    if scope.day != date[:8]:
        problems += wrong_date(scope.day, date[:8], date)
    if problems:
        raise invalid(problems)
