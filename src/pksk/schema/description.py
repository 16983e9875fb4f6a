"""A table as it was declared, read from a CreateTable request or a DescribeTable answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.errors import SchemaError, quote
from pksk.schema.billing import Billing, billing_from_wire, effective_billing
from pksk.schema.create_request import TABLE_CLASSES
from pksk.schema.index import GSI, LSI
from pksk.schema.key_attribute import KeyAttribute, attribute_of_type
from pksk.schema.projection import projection_from_wire
from pksk.schema.settings import encryption_from_wire, stream_from_wire, tags_from_wire
from pksk.schema.vector_index import DISTANCES, VectorIndex

Wire = Mapping[str, Any]


def table_arguments(description: Wire) -> dict[str, Any]:
    """The arguments of `Table` that make the described table.

    Example:
        >>> key = [{"AttributeName": "pk", "KeyType": "HASH"}]
        >>> types = [{"AttributeName": "pk", "AttributeType": "N"}]
        >>> request = {"TableName": "t-1", "KeySchema": key, "AttributeDefinitions": types}
        >>> table_arguments(request | {"BillingMode": "PAY_PER_REQUEST"})["pk"]
        [N('pk')]
    """
    try:
        return _table(description.get("Table") or description.get("TableDescription") or description)
    except KeyError as missing:
        raise _description_error(f"It lacks {missing}, which every table has.") from missing
    except (AttributeError, IndexError, TypeError) as wrong:
        raise _description_error("A part of it has another shape.") from wrong


def ttl_attribute(answer: Wire | None) -> str | None:
    """The TTL attribute of a DescribeTimeToLive answer or an UpdateTimeToLive request, where it is on.

    Example:
        >>> on = {"TimeToLiveStatus": "ENABLED", "AttributeName": "expires"}
        >>> ttl_attribute({"TimeToLiveDescription": on})
        'expires'
    """
    if not isinstance(answer, Mapping | None):
        raise _description_error("The TTL is told by a mapping.")
    answer = answer or {}
    ttl = answer.get("TimeToLiveDescription") or answer.get("TimeToLiveSpecification") or answer
    enabled = ttl.get("Enabled") or ttl.get("TimeToLiveStatus") in {"ENABLED", "ENABLING"}
    if enabled and "AttributeName" not in ttl:
        raise _description_error("The TTL is on, and its attribute is not named.")
    return str(ttl["AttributeName"]) if enabled else None


def _description_error(problem: str) -> SchemaError:
    return SchemaError(
        "schema-description",
        f"This is not the description of a table. {problem}",
        expected="It is a CreateTable request, or a DescribeTable response.",
        fix="pass the response of DynamoDB unchanged.",
    )


def _table(wire: Wire) -> dict[str, Any]:
    types = {each["AttributeName"]: each["AttributeType"] for each in wire["AttributeDefinitions"]}
    billing = billing_from_wire(wire, on_demand=_is_on_demand(wire))
    partition, sort = _keys(wire, types)
    return {
        "name": wire["TableName"].rpartition("table/")[2],  # a request may contain the ARN
        "pk": partition,
        "sk": sort or None,
        "indexes": [*_lsis(wire, types), *_gsis(wire, types, billing), *_vectors(wire, types)],
        "stream": stream_from_wire(wire),
        "billing": billing,
        "table_class": _table_class(wire),
        "deletion_protection": bool(wire.get("DeletionProtectionEnabled", False)),
        "tags": tags_from_wire(wire),
        "encryption": encryption_from_wire(wire),
    }


def _is_on_demand(wire: Wire) -> bool:
    """Descriptions of tables that were always provisioned have no billing mode at all."""
    mode = wire.get("BillingMode") or (wire.get("BillingModeSummary") or {}).get("BillingMode")
    units = (wire.get("ProvisionedThroughput") or {}).get("ReadCapacityUnits")
    return mode == "PAY_PER_REQUEST" or units == 0


def _table_class(wire: Wire) -> str:
    word = wire.get("TableClass") or (wire.get("TableClassSummary") or {}).get("TableClass", "STANDARD")
    return _our_word(TABLE_CLASSES, word)


def _our_word(words: dict[str, str], theirs: str) -> str:
    return next((ours for ours, word in words.items() if word == theirs), theirs)


def _lsis(wire: Wire, types: dict[str, str]) -> list[LSI]:
    indexes = wire.get("LocalSecondaryIndexes") or ()
    return [
        LSI(
            each["IndexName"],
            sk=_keys(each, types)[1][0],
            projection=projection_from_wire(each["Projection"]),
        )
        for each in indexes
    ]


def _gsis(wire: Wire, types: dict[str, str], table: Billing) -> list[GSI]:
    found = []
    for each in wire.get("GlobalSecondaryIndexes") or ():
        partition, sort = _keys(each, types)
        billing = billing_from_wire(each, on_demand=_is_on_demand(wire))
        projection = projection_from_wire(each["Projection"])
        stated = None if billing == effective_billing(None, table) else billing
        found.append(
            GSI(each["IndexName"], pk=partition, sk=sort or None, projection=projection, billing=stated)
        )
    return found


def _vectors(wire: Wire, types: dict[str, str]) -> list[VectorIndex]:
    return [_vector(each, types) for each in wire.get("VectorIndexes") or ()]


def _vector(wire: Wire, types: dict[str, str]) -> VectorIndex:
    schema = wire.get("SearchSchema") or ()
    partition, filters = (
        [_typed(each, types) for each in schema if each["SearchSchemaElementType"] == role]
        for role in ("HASH", "INLINE_FILTER")
    )
    return VectorIndex(
        wire["IndexName"],
        attribute=wire["VectorAttribute"]["AttributeName"],
        dimensions=wire["Dimensions"],
        distance=_our_word(DISTANCES, wire["DistanceFunction"]),
        pk=partition[0] if partition else None,
        filters=filters,
        projection=projection_from_wire(wire["Projection"]),
    )


def _keys(wire: Wire, types: dict[str, str]) -> tuple[list[KeyAttribute], list[KeyAttribute]]:
    partition, sort = (
        [_typed(each, types) for each in wire["KeySchema"] if each["KeyType"] == role]
        for role in ("HASH", "RANGE")
    )
    return partition, sort


def _typed(element: Wire, types: dict[str, str]) -> KeyAttribute:
    name = element["AttributeName"]
    if name not in types:
        raise _description_error(
            f"A key names attribute {quote(name)}, which AttributeDefinitions does not define."
        )
    return attribute_of_type(name, types[name])
