"""One way to answer a question: a key of the entity, its plan, and what is left to filters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pksk.keys import Filter
from pksk.model.reads.key_plan import KeyPlan

if TYPE_CHECKING:
    from pksk.schema import Index

__all__ = ["Candidate"]

# More attributes than any index can list.
_ALL_ATTRIBUTES = 1000
_KINDS = ("table", "lsi", "gsi")


@dataclass(frozen=True)
class Candidate:
    """A key that can serve a question; `rest` are the attributes asked for that its key condition leaves out."""

    name: str
    index: Index
    keys: KeyPlan
    rest: tuple[Filter, ...] = ()

    @property
    def filters(self) -> tuple[Filter, ...]:
        """Everything that must be filtered after reading."""
        return self.keys.filters + self.rest

    def rank(self, *, reads_table: bool) -> tuple[int, int, int, bool, int, int]:
        """Sorts candidates by what they read: fewer rows, fewer requests, each row once, then smaller entries."""
        projected = self.index.projected
        width = len(projected) if isinstance(projected, frozenset) else _ALL_ATTRIBUTES
        uncovered = len(self.rest), len(self.keys.filters)
        return (*uncovered, len(self.keys.partitions), reads_table, width, _KINDS.index(self.index.kind))
