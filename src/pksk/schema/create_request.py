"""A table as a CreateTable request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pksk.schema.billing import OnDemand, throughput_to_wire
from pksk.schema.index import GSI, LSI, Index
from pksk.schema.key_attribute import KeyAttribute
from pksk.schema.projection import projection_to_wire
from pksk.schema.settings import encryption_to_wire, stream_to_wire, tags_to_wire
from pksk.schema.vector_index import DISTANCES, VectorIndex

if TYPE_CHECKING:
    from pksk.schema.table import Table

# Our word -> DynamoDB's.
TABLE_CLASSES: Final = {"standard": "STANDARD", "infrequent-access": "STANDARD_INFREQUENT_ACCESS"}


def create_request(table: Table) -> dict[str, Any]:
    """The request that creates the table with all its indexes; settings with DynamoDB's defaults are left out.

    Example:
        >>> from pksk.schema import Table
        >>> create_request(Table("orders", sk=None))["KeySchema"]
        [{'AttributeName': 'pk', 'KeyType': 'HASH'}]
    """
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
        **throughput_to_wire(table.billing),
        **stream_to_wire(table.stream),
        **encryption_to_wire(table.encryption),
        **({} if table.table_class == "standard" else {"TableClass": TABLE_CLASSES[table.table_class]}),
        **({"DeletionProtectionEnabled": True} if table.deletion_protection else {}),
        **tags_to_wire(tuple(table.tags.items())),
    }


def _indexes(table: Table) -> dict[str, Any]:
    lists = {
        "LocalSecondaryIndexes": [_named(index) for index in table.indexes if isinstance(index, LSI)],
        "GlobalSecondaryIndexes": [
            _named(index) | throughput_to_wire(table.billing_of(index))
            for index in table.indexes
            if isinstance(index, GSI)
        ],
        "VectorIndexes": [_vector(index) for index in table.indexes if isinstance(index, VectorIndex)],
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


def _vector(index: VectorIndex) -> dict[str, Any]:
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
