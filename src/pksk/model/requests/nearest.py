"""The Nearest request: a vector search, with the results and their scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, SupportsFloat, TypeVar

from pydantic import BaseModel

from pksk.dataclass import dataclass
from pksk.errors import InvalidValue, quote
from pksk.model.frozen_values import FrozenValues
from pksk.model.planning.query_plan import Plan
from pksk.model.requests.nearest_plan import VectorKey, search_vector
from pksk.model.requests.query import checked_model
from pksk.model.requests.request import Request
from pksk.model.vector_keys import vector_index

if TYPE_CHECKING:
    from pksk.model.entity import Entity

M = TypeVar("M", bound=BaseModel)
M_co = TypeVar("M_co", bound=BaseModel, covariant=True)
E = TypeVar("E", bound="Entity")

# https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_SearchVectors.html
_MAX_RESULTS = 100


@dataclass(frozen=True)
class SearchResult(Generic[M_co]):
    """One result of a search: what was found, and how near it is.

    By cosine and euclidean distance the nearest have the lowest score, by dot product the highest.

    Example:
        >>> from pydantic import BaseModel
        >>> class Title(BaseModel):
        ...     title: str
        >>> SearchResult(0.25, Title(title="At sea")).value.title
        'At sea'
    """

    score: float
    value: M_co


@dataclass(frozen=True)
class Nearest(Request, Generic[M_co]):
    """The items of an entity whose vectors are nearest to a given one; immutable, planned on first use.

    What a search gives back lacks the vector, so that whole entities are read from the table: say `.hydrate()`, or
    do with less by `.into(Model)`.

    Example:
        >>> from pksk import Entity, Key, Table, VectorIndex
        >>> near = VectorIndex("by-meaning", attribute="embedding", dimensions=2, pk="tenant", filters=["lang"])
        >>> class Note(Entity, table=Table("notes", indexes=[near])):
        ...     tenant: str
        ...     id: str
        ...     lang: str
        ...     embedding: list[float]
        ...     primary = Key("{tenant}#{id}", "NOTE")
        ...     by_meaning = Key("{tenant}", index="by-meaning")
        >>> request = Note.by_meaning.nearest([1, 0], 5, tenant="acme", lang="en").hydrate().request
        >>> request["TopK"], request["SearchConditionExpression"], request["ExpressionAttributeValues"]
        (5, 'tenant = :v0 AND lang = :v1', {':v0': {'S': 'acme'}, ':v1': {'S': 'en'}})
    """

    kind = "nearest"
    operation = "SearchVectors"
    reads = True
    example = "{}.by_embedding.nearest(...)"
    run_by = "nearest(...)"
    # An index follows its table with a delay.
    consistent: ClassVar[bool] = False

    entity: type[Entity]
    key: str
    vector: tuple[float, ...] = field(repr=False)
    k: int
    key_values: FrozenValues
    whole_items: bool = False
    model: type[M_co] | None = None

    @classmethod
    def for_vector(
        cls,
        entity: type[E],
        key: str,
        vector: Iterable[SupportsFloat],
        k: int,
        key_values: Mapping[str, Any],
    ) -> Nearest[E]:
        """The search by a key; raises here if its index cannot be searched by these parts."""
        declaration = entity.__pksk__
        searched = VectorKey(declaration, declaration.key(key), vector_index(declaration, key))
        numbers = search_vector(searched.where, vector, searched.index.dimensions)
        return Nearest(entity, key, numbers, _checked_count(searched.where, k), searched.parts(key_values))

    @property
    def searched(self) -> VectorKey:
        """The key, with what its index can be searched by."""
        declaration = self.entity.__pksk__
        return VectorKey(declaration, declaration.key(self.key), vector_index(declaration, self.key))

    def hydrate(self) -> Nearest[M_co]:
        """Read the whole items from the table, the vectors as they were written included."""
        return self.replace(whole_items=True)

    def into(self, model: type[M]) -> Nearest[M]:
        """The same results as a smaller model; a vector in it is of the 32-bit floats that the index keeps."""
        made: Nearest[Any] = self.replace(model=checked_model(model))
        return made

    @cached_property
    def plan(self) -> Plan:
        """How the search is made; raises if the index lacks what it needs."""
        from pksk.model.requests.nearest_plan import plan_nearest

        return plan_nearest(self)

    @property
    def request(self) -> dict[str, Any]:
        """The SearchVectors request."""
        return self.plan.requests[0]

    @property
    def reads_table(self) -> bool:
        """Whether the items are read from the table after the search."""
        return self.plan.reads_table


def _checked_count(where: str, k: object) -> int:
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= _MAX_RESULTS:
        raise InvalidValue(
            "nearest-count",
            f"{where}: {quote(k)} is not a number of results.",
            expected=f"A search gives from 1 to {_MAX_RESULTS} of them.",
            fix="write nearest(vector, 10), for example.",
        )
    return k
