"""A table as a CreateTable request, and read back from such a request or a DescribeTable answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from pksk.errors import SchemaError, quote
from pksk.schema import settings
from pksk.schema.index import GSI, LSI, Index
from pksk.schema.key_attribute import KeyAttribute, attribute_of_type
from pksk.schema.projection import projection_from_wire, projection_to_wire
from pksk.schema.settings import Billing, OnDemand
from pksk.schema.vector_index import DISTANCES, VectorIndex

if TYPE_CHECKING:
    from pksk.schema.table import Table


# Our word -> DynamoDB's.
TABLE_CLASSES: Final = {"standard": "STANDARD", "infrequent-access": "STANDARD_INFREQUENT_ACCESS"}


def create_request(table: Table) -> dict[str, Any]:
    """The request that creates the table with all its indexes; settings with DynamoDB's defaults are left out."""
    on_demand = isinstance(table.billing, OnDemand)
    return {
        "TableName": table.name,
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": kind}
            for name, kind in sorted(table.attribute_types.items())
        ],
        "KeySchema": _key_schema(table.primary),
        **_indexes(table),
        "BillingMode": "PAY_PER_REQUEST" if on_demand else "PROVISIONED",
        **settings.throughput_to_wire(table.billing),
        **settings.stream_to_wire(table.stream),
        **settings.encryption_to_wire(table.encryption),
        **({} if table.table_class == "standard" else {"TableClass": TABLE_CLASSES[table.table_class]}),
        **({"DeletionProtectionEnabled": True} if table.deletion_protection else {}),
        **settings.tags_to_wire(tuple(table.tags.items())),
    }


def _indexes(table: Table) -> dict[str, Any]:
    lists = {
        "LocalSecondaryIndexes": [_named(index) for index in table.indexes if isinstance(index, LSI)],
        "GlobalSecondaryIndexes": [
            _named(index) | settings.throughput_to_wire(table.billing_of(index))
            for index in table.indexes
            if isinstance(index, GSI)
        ],
        "VectorIndexes": [_vector_member(index) for index in table.indexes if isinstance(index, VectorIndex)],
    }
    return {member: indexes for member, indexes in lists.items() if indexes}


def _named(index: GSI | LSI) -> dict[str, Any]:
    return {
        "IndexName": index.name,
        "KeySchema": _key_schema(index),
        "Projection": projection_to_wire(index.projection),
    }


def _key_schema(index: Index) -> list[dict[str, str]]:
    return _elements(index.partition_key, "KeyType", "HASH") + _elements(index.sort_key, "KeyType", "RANGE")


def _vector_member(index: VectorIndex) -> dict[str, Any]:
    role = "SearchSchemaElementType"
    schema = _elements(index.partition_key, role, "HASH") + _elements(index.filters, role, "INLINE_FILTER")
    return {
        "IndexName": index.name,
        "VectorAttribute": {"AttributeName": index.attribute},
        **({"SearchSchema": schema} if schema else {}),
        "Projection": projection_to_wire(index.projection),
        "Dimensions": index.dimensions,
        "DistanceFunction": DISTANCES[index.distance],
    }


def _elements(attributes: tuple[KeyAttribute, ...], role: str, word: str) -> list[dict[str, str]]:
    return [{"AttributeName": attribute.name, role: word} for attribute in attributes]


Wire = Mapping[str, Any]


def table_arguments(description: Wire) -> dict[str, Any]:
    """The arguments of `Table` that make the described table."""
    try:
        return _table(description.get("Table") or description.get("TableDescription") or description)
    except KeyError as missing:
        raise _description_error(f"It lacks {missing}, which every table has.") from missing
    except (AttributeError, IndexError, TypeError) as wrong:
        raise _description_error("A part of it has another shape.") from wrong


def ttl_attribute(answer: Wire | None) -> str | None:
    """The TTL attribute of a DescribeTimeToLive answer or an UpdateTimeToLive request, where it is on."""
    if not isinstance(answer, Mapping | None):
        raise _description_error("The TTL specification must be a mapping.")
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
    billing = settings.billing_from_wire(wire, on_demand=_is_on_demand(wire))
    partition, sort = _keys(wire, types)
    vectors = [_vector(each, types) for each in wire.get("VectorIndexes") or ()]
    return {
        "name": wire["TableName"].rpartition("table/")[2],  # a request may contain the ARN
        "pk": partition,
        "sk": sort or None,
        "indexes": [*_lsis(wire, types), *_gsis(wire, types, billing), *vectors],
        "stream": settings.stream_from_wire(wire),
        "billing": billing,
        "table_class": _table_class(wire),
        "deletion_protection": bool(wire.get("DeletionProtectionEnabled", False)),
        "tags": settings.tags_from_wire(wire),
        "encryption": settings.encryption_from_wire(wire),
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
    indexes = []
    for each in wire.get("GlobalSecondaryIndexes") or ():
        partition, sort = _keys(each, types)
        billing = settings.billing_from_wire(each, on_demand=_is_on_demand(wire))
        projection = projection_from_wire(each["Projection"])
        stated = None if billing == settings.effective_billing(None, table) else billing
        indexes.append(
            GSI(each["IndexName"], pk=partition, sk=sort or None, projection=projection, billing=stated)
        )
    return indexes


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
