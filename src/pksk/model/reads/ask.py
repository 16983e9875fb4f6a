"""One question about one entity, by parts of a key or by any of its attributes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pksk.model.given import Given
from pksk.model.reads.candidate import Candidate
from pksk.model.reads.key_plan import plan_key

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.entity import Entity

__all__ = ["Ask"]


@dataclass(frozen=True)
class Ask:
    """What is asked of an entity; without a key, the planner chooses one."""

    entity: type[Entity]
    key: str | None
    given: Given

    def __getstate__(self) -> dict[str, Any]:
        """What the question is, without what was worked out from it."""
        return {"entity": self.entity, "key": self.key, "given": self.given}

    @property
    def declaration(self) -> Declaration[Any]:
        """The design of the entity."""
        return self.entity.__pksk__

    @property
    def where(self) -> str:
        """The question for messages: Order.by_day."""
        return f"{self.entity.__name__}.{self.key or 'where'}"

    @cached_property
    def candidates(self) -> tuple[Candidate, ...]:
        """The keys that can serve the question."""
        declaration = self.declaration
        if self.key is None:
            from pksk.model.reads.choice import candidates

            return candidates(declaration, self.given)
        key = declaration.key(self.key)
        return (
            Candidate(key.name, declaration.table.index(key.index), plan_key(key, self.given, self.where)),
        )
