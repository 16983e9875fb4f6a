"""Vector indexes, which find items by the distance of their embeddings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Final

from pksk.dataclass import dataclass
from pksk.errors import SchemaError, quote
from pksk.schema.index import Index, Kind, declaration_repr
from pksk.schema.key_attribute import KeyAttribute, KeyDeclaration, key_repr, normalize_key, reject_duplicates
from pksk.schema.options import attribute_name, check_choice, resource_name
from pksk.schema.projection import normalize_projection
from pksk.schema.quotas import VECTOR_DIMENSIONS, VECTOR_FILTERS

# Our word -> DynamoDB's.
DISTANCES: Final = {"cosine": "COSINE", "euclidean": "EUCLIDEAN", "dot": "DOT_PRODUCT"}


@dataclass(frozen=True, init=False, repr=False)
class VectorIndex(Index):
    """A vector index on an attribute with a list of numbers.

    With `pk`, a search is within one partition. `filters` are attributes that a search can compare for equality.
    Vector indexes are read with SearchVectors, never with Query.

    Example:
        >>> VectorIndex("by-meaning", attribute="embedding", dimensions=1024, pk="tenant", filters=["language"])
        VectorIndex('by-meaning', attribute='embedding', dimensions=1024, pk='tenant', filters=('language',))
    """

    kind: ClassVar[Kind] = "vector"

    name: str
    attribute: str
    dimensions: int
    distance: str
    filters: tuple[KeyAttribute, ...]

    def __init__(
        self,
        name: str,
        *,
        attribute: str,
        dimensions: int,
        distance: str = "cosine",
        pk: str | KeyAttribute | None = None,
        filters: KeyDeclaration = (),
        projection: str | Iterable[str] = "all",
    ) -> None:
        name = resource_name("VectorIndex", name)
        where = f"VectorIndex {name!r}"
        partition = () if pk is None else normalize_key(where, "pk", pk)
        self._declare(name, partition, (), normalize_projection(where, projection))
        self._set(
            attribute=attribute_name(f"{where}, attribute", attribute),
            dimensions=_dimensions(where, dimensions),
            distance=check_choice(where, "distance", distance, DISTANCES),
            filters=_filters(where, filters),
        )
        reject_duplicates(where, "pk and filters", self.typed_attributes)

    @property
    def typed_attributes(self) -> tuple[KeyAttribute, ...]:
        return self.partition_key + self.filters

    @property
    def _carried(self) -> tuple[str, ...]:
        return (*self.keys, self.attribute)

    def __repr__(self) -> str:
        return declaration_repr(
            "VectorIndex",
            self.name,
            defaults={"distance": "cosine", "pk": None, "filters": (), "projection": "all"},
            attribute=self.attribute,
            dimensions=self.dimensions,
            distance=self.distance,
            pk=key_repr(self.partition_key),
            filters=self.filters,
            projection=self.projection,
        )


def _dimensions(where: str, dimensions: object) -> int:
    least, most = VECTOR_DIMENSIONS
    if isinstance(dimensions, int) and not isinstance(dimensions, bool) and least <= dimensions <= most:
        return dimensions
    raise SchemaError(
        "schema-vector-dimensions",
        f"{where}: dimensions={quote(dimensions)} is not a number of dimensions.",
        expected=f"It is a whole number from {least} to {most}.",
        fix="write the number of dimensions that your embedding model returns.",
    )


def _filters(where: str, declared: KeyDeclaration) -> tuple[KeyAttribute, ...]:
    attributes = declared if isinstance(declared, str | KeyAttribute) else tuple(declared)
    if attributes == ():
        return ()
    if isinstance(attributes, tuple) and len(attributes) > VECTOR_FILTERS:
        raise SchemaError(
            "schema-vector-filters",
            f"{where}: filters names {len(attributes)} attributes.",
            expected=f"A vector index takes up to {VECTOR_FILTERS}.",
            fix="keep the filters that searches use; filter by others after the search.",
        )
    return tuple(sorted(normalize_key(where, "filters", attributes, at_most=VECTOR_FILTERS), key=_by_name))


def _by_name(attribute: KeyAttribute) -> str:
    return attribute.name
