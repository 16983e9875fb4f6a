"""One question about one entity, by parts of a key or by any of its attributes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pksk.model.given import Given
from pksk.model.reads.candidate import Candidate
from pksk.model.reads.key_plan import known_key_plan, plan_key
from pksk.model.reads.normalised import normalised
from pksk.model.reads.vector_keys import refuse_vector_key

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

    @classmethod
    def about(cls, entity: type[Entity], key: str | None, given: Mapping[str, Any]) -> Ask:
        """The question about an entity; what no key can answer is refused."""
        made = object.__new__(cls)
        # Past the guard of a frozen dataclass, all at once.
        made.__dict__.update(entity=entity, key=key, given=Given(normalised(entity.__pksk__, given)))
        made.__dict__["candidates"] = made._candidates()
        return made

    @cached_property
    def candidates(self) -> tuple[Candidate, ...]:
        """The keys that can serve the question."""
        return self._candidates()

    def _candidates(self) -> tuple[Candidate, ...]:
        declaration = self.entity.__pksk__
        if self.key is None:
            from pksk.model.reads.choice import candidates

            return candidates(declaration, self.given)
        key = declaration.key(self.key)
        keys = known_key_plan(key, self.given)
        if keys is None:
            refuse_vector_key(declaration, key, self.where)
            keys = plan_key(key, self.given, self.where)
        made = object.__new__(Candidate)
        made.__dict__.update(name=key.name, index=declaration.indexes[key.name], keys=keys, rest=())
        return (made,)
