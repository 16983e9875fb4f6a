"""SearchVectors: finds the items whose vectors are nearest to one that is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import orjson

from pksk.engine.consumed import wants_capacity
from pksk.engine.core import Answer, Core
from pksk.engine.expressions import SEARCH_VECTORS, read_expressions
from pksk.engine.faults import validation
from pksk.engine.storage import Row, SpaceMissing
from pksk.engine.tables.table import Table
from pksk.engine.texts import indexes as index_texts
from pksk.engine.texts import vectors as texts
from pksk.engine.values import check_value
from pksk.engine.vectors.condition import read_equalities
from pksk.engine.vectors.floats import as_decimal, packed, unpacked
from pksk.engine.vectors.scores import SearchVector
from pksk.engine.vectors.searched import Found, Wanted
from pksk.engine.vectors.vector_index import VectorIndex
from pksk.expressions import Projection, project
from pksk.limits import VECTOR_REQUEST_BYTES

__all__ = ["search_vectors"]

MOST_RESULTS: Final = 100
# So many vectors an approximate search looks at, going by what AWS bills; it does not say.
_LOOKED_AT: Final = 15


def search_vectors(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a SearchVectors request."""
    vector = _search_vector(request)
    expressions = read_expressions(request, SEARCH_VECTORS)
    condition = None if expressions.condition is None else expressions.condition.tree
    equalities = read_equalities(condition, request.get("ExpressionAttributeValues", {}))
    table = core.catalogue.table(request["TableName"])
    index = _index(core, table, request["IndexName"])
    dimensions = len(request["SearchVector"])
    if dimensions != index.dimensions:
        raise validation(texts.dimensions_differ(dimensions, index.dimensions))
    wanted = Wanted(SearchVector(index.distance, vector), request["TopK"], *equalities.of(index))
    try:
        found = table.searched.find(core.storage, index, wanted)
    except SpaceMissing:
        if not table.alive:
            raise
        # The index alone was deleted since it was looked up.
        raise validation(index_texts.no_index(index.name)) from None
    looked = _looked_at(index, found)
    core.meter.searched(table, request["IndexName"], looked)
    projection = expressions.projection
    answer: Answer = {
        "SearchResults": [
            {"Item": _shown(index, row, projection), "Score": nearest.score} for nearest, row in found.nearest
        ]
    }
    if wants_capacity(request):
        answer["ConsumedCapacity"] = {"VectorSearchRequestBytes": looked, "VectorSearchUnits": looked}
    return answer


def _search_vector(request: Mapping[str, Any]) -> bytes:
    if request["TopK"] > MOST_RESULTS:
        raise validation(texts.top_k_range(request["TopK"], MOST_RESULTS))
    numbers = request["SearchVector"]
    if all("N" in number for number in numbers):
        vector = packed([check_value(number) for number in numbers])
        if vector is not None:
            return vector
    raise validation(texts.BAD_SEARCH_VECTOR)


def _index(core: Core, table: Table, name: str) -> VectorIndex:
    """The vector index of this name, if it can be searched by now."""
    index = table.vectors.get(name)
    if index is None:
        raise validation(index_texts.no_index(name))
    if name in table.backfilling or (index.served is not None and core.now() < index.served):
        raise validation(texts.backfilling(name))
    return index


def _shown(index: VectorIndex, row: Row, projection: Projection | None) -> orjson.Fragment | dict[str, Any]:
    """What a result shows of an entry: the vector itself only where it is asked for."""
    if projection is None:
        return orjson.Fragment(row.data[index.vector_size :])
    vector, item = index.read(row.data)
    if any(path.elements[0] == index.attribute for path in projection.paths):
        item = {**item, index.attribute: {"L": [{"N": as_decimal(each)} for each in unpacked(vector)]}}
    return project(projection, item)


def _looked_at(index: VectorIndex, found: Found) -> float:
    """The bytes that a search is billed by: the vectors it looks at, and the rest of what it returns."""
    own = index.vector_size + len(index.attribute.encode())
    returned = sum(row.size - own for _, row in found.nearest)
    return float(max(VECTOR_REQUEST_BYTES, index.vector_size * min(_LOOKED_AT, found.vectors) + returned))
