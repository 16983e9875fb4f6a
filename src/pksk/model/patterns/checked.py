"""Checks what a call of a pattern returned: requests of the kind that it says, which can be planned."""

from __future__ import annotations

from typing import Any

from pksk.errors import DesignError, quote
from pksk.model.patterns.kinds import Returned

__all__ = ["STRUCTURAL", "checked"]

# A pattern that fails in one of these ways is wrong whatever it is called with.
STRUCTURAL = {
    "key-unknown-part",
    "key-missing-part",
    "plan-missing-part",
    "plan-not-projected",
    "plan-consistent-index",
    "plan-get-index",
    "plan-vector-index",
    "nearest-key",
    "nearest-unknown-part",
    "entity-unknown-field",
    "where-no-index",
    "access-consistent",
    "access-returns",
    "bounds-gap",
    "bounds-unordered",
}


def checked(result: Any, says: Returned, consistent: bool | None) -> tuple[Any, ...]:
    """The requests that a call returned, each planned; or the error that says what is wrong with them."""
    several = isinstance(result, list | tuple)
    requests = tuple(result) if several else (result,)
    if not requests:
        raise DesignError(
            "access-nothing",
            "it returns no request for these arguments, so that nothing is known of it.",
            fix="declare an example for which it returns one: @access(example={...}).",
        )
    for request in requests:
        _check_kind(request, says, several=several)
        _plan(request)
        if consistent is not None:
            _check_consistent(request, consistent)
    return requests


def _check_kind(request: Any, says: Returned, *, several: bool) -> None:
    kind = getattr(request, "kind", None)
    if kind is None:
        raise TypeError(f"{quote(request)} is no request")
    gives = Returned(kind, several)
    if gives != says:
        raise DesignError(
            "access-returns",
            f"it says that it returns {says}, and returns {gives}.",
            fix=f"annotate it with what it returns: {gives}.",
        )


def _plan(request: Any) -> None:
    """Plan the request, so that what it cannot do is known here."""
    if getattr(request, "needs", None):
        return  # a store reads what is missing first
    for attribute in ("plan", "requests", "request"):
        if hasattr(type(request), attribute):
            getattr(request, attribute)
            return


def _fix(request: Any, wanted: bool) -> str:
    if not wanted:
        return "take .consistently() out."
    if not hasattr(request, "consistently"):
        return "take consistent=True out: there is no such read."
    return "return the request with .consistently()."


def _check_consistent(request: Any, wanted: bool) -> None:
    # Reads of a transaction are consistent without being asked.
    members = request.members if request.kind == "batch" else [request]
    for reads in (getattr(each, "consistent", wanted) for each in members):
        if reads != wanted:
            raise DesignError(
                "access-consistent",
                f"it is declared with consistent={wanted}, and its request reads "
                f"{'' if reads else 'not '}consistently.",
                fix=_fix(request, wanted),
            )
