"""What a search asks of a vector index beside its vector: the part that it looks into, and values of its filters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NoReturn

from pksk.errors import BoundsError, InvalidValue, did_you_mean, quote
from pksk.keys import Operator
from pksk.model.given import Given
from pksk.model.reads.key_plan import KeyPlan, plan_key
from pksk.model.writes.facts import write_facts
from pksk.values import Wire, to_wire

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.entity_key import EntityKey
    from pksk.schema import VectorIndex

__all__ = ["Searched"]


@dataclass(frozen=True)
class Searched:
    """A key of a vector index, as searches of it see it."""

    declaration: Declaration[Any]
    key: EntityKey
    index: VectorIndex

    @property
    def where(self) -> str:
        """The search for messages: Note.near.nearest."""
        return f"{self.declaration.name}.{self.key.name}.nearest"

    @property
    def filters(self) -> dict[str, str]:
        """The fields that the index filters by, with their attributes."""
        names = {each.name for each in self.index.filters}
        fields = self.declaration.fields.items()
        return {
            name: each.attribute for name, each in fields if not each.computed and each.attribute in names
        }

    def parts(self, given: Mapping[str, Any]) -> Given:
        """The values of a search as the model holds them; what is unknown, missing or no single value is refused."""
        self._check_names(given)
        parts = Given({name: self._validated(name, value) for name, value in given.items()})
        self.equalities(parts)  # what no key can be made of raises now
        return parts

    def _check_names(self, given: Mapping[str, Any]) -> None:
        needed = self.key.partition_fields
        known = list(dict.fromkeys((*needed, *self.filters)))
        unknown = next((name for name in given if name not in known), None)
        missing = [name for name in needed if name not in given]
        if unknown is not None:
            near = did_you_mean(unknown, known)
            raise InvalidValue(
                "nearest-unknown-part",
                f"{self.where}: index {self.index.name!r} cannot be searched by {unknown!r}.",
                expected=f"It is divided by: {', '.join(needed) or 'nothing'}; "
                f"and filters by: {', '.join(self.filters) or 'nothing'}.",
                fix=f"did you mean {near!r}?" if near else self._fix(unknown),
            )
        if missing:
            raise InvalidValue(
                "key-missing-part",
                f"{self.where}: {', '.join(map(repr, missing))} missing.",
                expected=f"Index {self.index.name!r} is divided by: {', '.join(needed)}.",
                fix="give all of them: a search looks into one part of the index.",
            )

    def _fix(self, name: str) -> str:
        each = self.declaration.fields.get(name)
        if each is None or each.computed:
            return "leave it out."
        return f"leave it out and filter the results, or declare the index with filters=[{each.attribute!r}]."

    def _validated(self, name: str, value: Any) -> Any:
        if isinstance(value, Operator) and value.name == "eq":
            (value,) = value.operands
        if isinstance(value, Operator):
            if name in self.key.pieces:
                return value
            self._refuse_equality(name, f"{value!r} is a range", "give a plain value, or filter the results.")
        if value is None:
            self._refuse_equality(name, "None is no value", "leave it out, or give it a value.")
        if self.declaration.fields[name].computed:
            return value
        return write_facts(self.declaration).values.validated(name, value)

    def _refuse_equality(self, name: str, problem: str, fix: str) -> NoReturn:
        raise InvalidValue(
            "nearest-equality",
            f"{self.where}: {problem}, given for field {name!r}.",
            expected="A search finds items in which a field equals one value.",
            fix=fix,
        )

    def equalities(self, parts: Mapping[str, Any]) -> dict[str, Wire]:
        """The attributes that a search asks to equal a value, those that divide the index first."""
        found = {name: to_wire(value) for name, value in self.partition(parts).items()}
        return found | dict(self._filtered(parts))

    def partition(self, parts: Mapping[str, Any]) -> dict[str, Any]:
        """The key attributes of the part that is searched; empty where the key writes none."""
        if not self.key.partition:
            return {}
        given = {name: parts[name] for name in self.key.partition_fields}
        # By a copy: a shape of question that the key itself remembers would be one that a query may ask.
        plan = plan_key(replace(self.key), given, self.where)
        self._check_one_part(plan)
        return plan.partitions[0].attributes

    def _check_one_part(self, plan: KeyPlan) -> None:
        """Refuse a span over several parts of an index, and one that is less than the part that it is in."""
        left = [each.field for each in plan.filters if each.field not in self.filters]
        if len(plan.partitions) == 1 and not left:
            return
        name, fields = repr(self.index.name), ", ".join(map(repr, left))
        several = f"the search is of {len(plan.partitions):,} parts of index {name}"
        piece = f"index {name} is divided by a piece of {fields}, and less than that piece is asked for"
        raise BoundsError(
            "nearest-part",
            f"{self.where}: {piece if left else several}.",
            expected="A search looks into one part of the index, and all of it.",
            fix="give a span that is one whole part, such as begins('2025-06') where months divide the index.",
        )

    def _filtered(self, parts: Mapping[str, Any]) -> Iterator[tuple[str, Wire]]:
        values = write_facts(self.declaration).values
        for name, attribute in self.filters.items():
            if name not in parts or isinstance(parts[name], Operator):
                continue
            wire = values.stored(name, parts[name])
            if wire is None:
                self._refuse_equality(name, f"{quote(parts[name])} is stored as nothing", "give it a value.")
            yield attribute, wire
