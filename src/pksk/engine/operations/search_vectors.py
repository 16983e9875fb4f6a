"""SearchVectors: finds the items with the nearest vectors."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, Final, NamedTuple

import orjson

from pksk.engine import texts
from pksk.engine.core import Answer, Core, Request
from pksk.engine.expressions.parameters import SEARCH_VECTORS
from pksk.engine.expressions.read_expressions import read_expressions
from pksk.engine.items.consumed_capacity import wants_capacity
from pksk.engine.request import check_value
from pksk.engine.service_errors import validation
from pksk.engine.state import Table
from pksk.engine.storage import Row, SpaceMissing
from pksk.engine.vectors.distance import SearchVector, pack_floats, stored_decimal, unpack_floats
from pksk.engine.vectors.vector_cache import SearchResult, VectorQuery
from pksk.engine.vectors.vector_index import VectorIndex, equality_key
from pksk.expressions import And, Between, Compare, Condition, In, Path, Projection, Value, ValueRef, project
from pksk.limits import VECTOR_REQUEST_BYTES
from pksk.values import Wire


class Equalities(NamedTuple):
    """The attributes that a condition compares with values, and these values."""

    values: Mapping[str, Wire]

    def of(self, index: VectorIndex) -> tuple[Hashable, dict[int, Hashable]]:
        """The partition value and the filter values by position; raises for attributes outside of the schema."""
        types = {each.name: each.type for each in index.search_schema}
        for name in self.values:
            if name not in types:
                raise validation(
                    "SearchConditionExpression must not contain any attributes that is not in SearchSchema. "
                    f"Invalid attribute: {name}"
                )
        if index.hash is not None and index.hash.name not in self.values:
            raise validation("SearchConditionExpression must be provided when SearchSchema has a HASH key")
        for name, value in self.values.items():
            if types[name] not in value:
                raise validation(texts.TYPE_MISMATCH)
        part = None if index.hash is None else equality_key(self.values[index.hash.name])
        filters = {
            position: equality_key(self.values[each.name])
            for position, each in enumerate(index.filters)
            if each.name in self.values
        }
        return part, filters


def _read_equalities(condition: Condition | None, values: Mapping[str, Any]) -> Equalities:
    """The equalities of a condition; raises for anything but equalities joined by AND."""
    values_by_name: dict[str, Wire] = {}
    if condition is None:
        return Equalities(values_by_name)
    pending: list[Condition] = [condition]
    while pending:
        each = pending.pop()
        if isinstance(each, And):
            pending.extend(reversed(each.conditions))
            continue
        name, value = _equality(each, values)
        if name in values_by_name:
            raise validation(
                f"{texts.SEARCH_CONDITION}SearchConditionExpressions must only contain one condition per key"
            )
        values_by_name[name] = value
    return Equalities(values_by_name)


def _equality(condition: Condition, values: Mapping[str, Any]) -> tuple[str, Wire]:
    if isinstance(condition, Between | In) or (isinstance(condition, Compare) and condition.operator != "="):
        raise validation(f"{texts.SEARCH_CONDITION}Invalid comparator used in SearchConditionExpression")
    if not isinstance(condition, Compare):
        raise validation(texts.BAD_OPERATOR)
    path, value = condition.left, condition.right
    if not isinstance(path, Path):
        path, value = value, path
    if not isinstance(path, Path) or not isinstance(value, Value | ValueRef):
        raise validation(texts.BAD_OPERATOR)
    if len(path.elements) > 1:
        raise validation(
            f"{texts.SEARCH_CONDITION}SearchConditionExpressions cannot have conditions on nested attributes"
        )
    wire = value.wire if isinstance(value, Value) else check_value(values[value.placeholder])
    return str(path.elements[0]), wire


_MOST_RESULTS: Final = 100
# How many vectors an approximate search compares, inferred from AWS's billing.
_VECTORS_COMPARED: Final = 15


def search_vectors(core: Core, request: Request) -> Answer:
    """Answer a SearchVectors request."""
    vector = _search_vector(request)
    expressions = read_expressions(request, SEARCH_VECTORS)
    condition = None if expressions.condition is None else expressions.condition.tree
    equalities = _read_equalities(condition, request.get("ExpressionAttributeValues", {}))
    table = core.catalogue.table(request["TableName"])
    index = _index(core, table, request["IndexName"])
    dimensions = len(request["SearchVector"])
    if dimensions != index.dimensions:
        raise validation(
            f"Input search vector dimension {dimensions} does not match vector index dimension {index.dimensions}"
        )
    query = VectorQuery(SearchVector(index.distance, vector), request["TopK"], *equalities.of(index))
    try:
        result = table.vector_cache.search(core.storage, index, query)
    except SpaceMissing:
        if not table.exists:
            raise
        # Only the index was deleted since the lookup.
        raise validation(texts.no_index(index.name)) from None
    billed = _billed_bytes(index, result)
    core.meter.record_vector_search(table, request["IndexName"], billed)
    projection = expressions.projection
    answer: Answer = {
        "SearchResults": [
            {"Item": _result_item(index, row, projection), "Score": neighbor.score}
            for neighbor, row in result.neighbors
        ]
    }
    if wants_capacity(request):
        answer["ConsumedCapacity"] = {"VectorSearchRequestBytes": billed, "VectorSearchUnits": billed}
    return answer


def _search_vector(request: Request) -> bytes:
    if request["TopK"] > _MOST_RESULTS:
        raise validation(
            f"Provided TopK value '{request['TopK']}' is out of valid range. "
            f"The value must be between 1 and {_MOST_RESULTS} inclusive"
        )
    numbers = request["SearchVector"]
    if all("N" in number for number in numbers):
        vector = pack_floats([check_value(number) for number in numbers])
        if vector is not None:
            return vector
    raise validation(
        "Search vector contains invalid values. All values in the search vector must be a 32-bit "
        "floating-point number attribute"
    )


def _index(core: Core, table: Table, name: str) -> VectorIndex:
    """The vector index, if it can be searched by now."""
    index = table.vectors.get(name)
    if index is None:
        raise validation(texts.no_index(name))
    if name in table.backfilling or (
        index.searchable_from is not None and core.now() < index.searchable_from
    ):
        raise validation(f"Cannot search backfilling vector index: {name}")
    return index


def _result_item(
    index: VectorIndex, row: Row, projection: Projection | None
) -> orjson.Fragment | dict[str, Any]:
    """The item of a result; it includes the vector only if the projection names it."""
    if projection is None:
        return orjson.Fragment(row.data[index.vector_size :])
    vector, item = index.read(row.data)
    if any(path.elements[0] == index.attribute for path in projection.paths):
        item = {
            **item,
            index.attribute: {"L": [{"N": stored_decimal(each)} for each in unpack_floats(vector)]},
        }
    return project(projection, item)


def _billed_bytes(index: VectorIndex, result: SearchResult) -> float:
    """The billed bytes of a search: the compared vectors, and the other attributes of the results."""
    vector_bytes = index.vector_size + len(index.attribute.encode())
    returned = sum(row.size - vector_bytes for _, row in result.neighbors)
    return float(
        max(VECTOR_REQUEST_BYTES, index.vector_size * min(_VECTORS_COMPARED, result.compared) + returned)
    )
