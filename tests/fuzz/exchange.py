"""What is sent over a connection, and what must come back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, TypeAlias

__all__ = ["ANY", "REFUSED", "Act", "Exchange", "Expected", "Step"]


class Act(Enum):
    """What is done to a connection beside sending."""

    WAIT = "let others have their turn"
    HALF_CLOSE = "say that nothing further comes"
    CLOSE = "close it"
    RESET = "close it at once, answers unread"


Step: TypeAlias = bytes | Act


@dataclass(frozen=True, slots=True)
class Expected:
    """What one answer may be: its statuses, the errors of its operation, or all of its body; and what was asked."""

    kind: str
    statuses: frozenset[int]
    operation: str = ""
    body: bytes | None = None
    has_body: bool = True  # answers to HEAD have none
    asked: bytes = b""


_REFUSALS: Final = frozenset(range(400, 500))
REFUSED: Final = Expected("refused", _REFUSALS)
ANY: Final = Expected("any", _REFUSALS | {200})


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
        """One whose requests are all answered, over a connection that stays."""
        return cls(kind, steps, expected, len(expected), ends=False, is_alone=False)
