"""The Nearest request: a vector search, with the results and their scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, SupportsFloat, TypeVar, cast

from pksk.dataclass import dataclass, field
from pksk.errors import InvalidValue, quote
from pksk.model.planning import Plan
from pksk.model.request_values import FrozenValues
from pksk.model.requests.nearest_plan import VectorKey, plan_nearest, search_vector, vector_index
from pksk.model.requests.query import M, M_co, checked_model
from pksk.model.requests.request import Request

if TYPE_CHECKING:
    from pksk.model.entity import Entity

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
class Nearest(Request[list[SearchResult[M_co]]], Generic[M_co]):
    """The items of an entity whose vectors are nearest to this one; immutable, planned on first use.

    A search does not return vectors. Add `.hydrate()` to read whole items from the table, or `.into(Model)` to read
    fewer fields.

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
    # An index is updated with a delay.
    consistent: ClassVar[bool] = False
    names_partition = False

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
        """The search by a key; raises if its index cannot be searched by these parts."""
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
        """Read the whole items from the table, with their exact vectors."""
        return self.replace(whole_items=True)

    def into(self, model: type[M]) -> Nearest[M]:
        """The same results as a smaller model; a vector in it has the 32-bit floats of the index."""
        return cast("Nearest[M]", self.replace(model=checked_model(model)))

    @cached_property
    def plan(self) -> Plan:
        """How the search runs; raises if the index lacks an attribute that it needs."""
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
            expected=f"A search returns 1 to {_MAX_RESULTS} results.",
            fix="write nearest(vector, 10), for example.",
        )
    return k
