"""Says of a token that was used before why DynamoDB does not take it again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from pksk.errors import Refused, quote
from pksk.model import Put, Update
from pksk.store.writes.marks import marks_of

if TYPE_CHECKING:
    from pksk.store.writes.prepared import Prepared

__all__ = ["token_used"]

_MISMATCH: Final = "IdempotentParameterMismatchException"


def token_used(about: Any, prepared: Sequence[Prepared], token: str | None, refused: Refused) -> Refused:
    """The error for a token under which something else was sent; the refusal as it is where it is about no token."""
    if refused.service_code != _MISMATCH:
        return refused
    differing = "; ".join(dict.fromkeys(text for each in prepared for text in _differing(each)))
    made = Refused(
        "store-token-used",
        refused.problem,
        expected=f"Under the token {quote(token)} another request was done in the last ten minutes; this one was not."
        + (f" Of these writes no two requests are the same: {differing}." if differing else ""),
        fix="where it is the same transaction once more, take it as done; for another one give another token.",
    )
    made.request, made.service_code = about, refused.service_code
    return made


def _differing(prepared: Prepared) -> Iterator[str]:
    """What makes two requests of one write differ."""
    write, marks = prepared.write, marks_of(prepared.write.declaration)
    name = marks.declaration.name
    if isinstance(write, Put | Update):
        for field in (marks.created, marks.updated):
            if field is not None:
                yield f"{name}.{field} is the time of each"
    if marks.ends:
        yield f"{name}.{marks.expiry or marks.declaration.table.ttl} is compared with the time of each"
    if prepared.reads:
        yield f"{name} is read first, and what was read is part of each"
