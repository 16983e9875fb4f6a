"""What is sent over a connection, and the expected responses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, TypeAlias

__all__ = ["ANY", "REJECTED", "Act", "Exchange", "Expected", "Step"]


class Act(Enum):
    """What is done to a connection beside sending."""

    WAIT = "let others have their turn"
    HALF_CLOSE = "close the sending half"
    CLOSE = "close it"
    RESET = "close it at once, answers unread"


Step: TypeAlias = bytes | Act


@dataclass(frozen=True, slots=True)
class Expected:
    """An expected response: its statuses, the errors of its operation or all of its body; and the request's body."""

    kind: str
    statuses: frozenset[int]
    operation: str = ""
    body: bytes | None = None
    has_body: bool = True  # answers to HEAD have none
    request_body: bytes = b""


_REJECTIONS: Final = frozenset(range(400, 500))
REJECTED: Final = Expected("rejected", _REJECTIONS)
ANY: Final = Expected("any", _REJECTIONS | {200})


@dataclass(slots=True)
class Exchange:
    """Steps on one connection, and the answers to them, in their order.

    The last answers may be missing, down to `least`. `ends` says whether the server closes the
    connection afterwards; None, that it may.
    """

    kind: str
    steps: Sequence[Step]
    expected: list[Expected] = field(default_factory=list)
    least: int = 0
    ends: bool | None = None
    is_alone: bool = True  # on a connection of its own
    number: int = 0

    @classmethod
    def in_order(cls, kind: str, steps: Sequence[Step], expected: list[Expected]) -> Exchange:
        """An exchange in which every request has a response and the connection stays open."""
        return cls(kind, steps, expected, len(expected), ends=False, is_alone=False)
