"""Reads a CreateTable request: all checks that need no other table, and the definition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from pksk.engine.service_errors import validation
from pksk.engine.texts import indexes as index_texts
from pksk.engine.texts import tables as texts
from pksk.schema.quotas import GSI_COUNT, LSI_COUNT

from ..state.table_record import IndexRecord, TableDefinition, key_names
from .encryption import read_encryption
from .resource_policies import check_policy
from .schema_checks import (
    Schema,
    check_defined,
    check_definitions,
    check_global_key,
    check_key,
    check_projected_count,
    check_projection,
    check_unused,
    check_vector_indexes,
    search_attributes,
)
from .streams import check_created_stream
from .tags import add_tags
from .throughput import (
    PROVISIONED,
    billing_mode,
    check_bounds,
    check_created_throughput,
    check_index_throughput,
    new_units,
    on_demand_limits,
    warm_throughput,
)

_PAIR: Final = 2
_REQUIRED: Final = {"AttributeDefinitions": "attributeDefinitions", "KeySchema": "keySchema"}
_LISTS: Final = {
    "LocalSecondaryIndexes": index_texts.NO_LOCAL_INDEXES,
    "GlobalSecondaryIndexes": index_texts.NO_GLOBAL_INDEXES,
    "VectorIndexes": index_texts.NO_VECTOR_INDEXES,
}


def read_definition(name: str, request: Mapping[str, Any]) -> TableDefinition:
    """The definition in a CreateTable request."""
    _check_members(request)
    mode = billing_mode(request) or PROVISIONED
    check_created_throughput(mode, request.get("ProvisionedThroughput"))
    _check_bounds(name, request)
    _check_keys_and_indexes(mode, request)
    check_created_stream(request.get("StreamSpecification"))
    key = read_encryption(request.get("SSESpecification"))
    tags = add_tags({}, request.get("Tags", ()))
    if "ResourcePolicy" in request:
        check_policy(request["ResourcePolicy"])
    record = _record(mode, request)
    if key is not None:
        record["encryption"] = key
    if tags:
        record["Tags"] = tags
    return record


def _check_members(request: Mapping[str, Any]) -> None:
    if "GlobalTableSourceArn" in request:
        raise validation(texts.GLOBAL_TABLES)
    missing = [path for member, path in _REQUIRED.items() if member not in request]
    if missing:
        raise validation(texts.missing_members(missing))


def _check_bounds(name: str, request: Mapping[str, Any]) -> None:
    check_bounds(name, request.get("ProvisionedThroughput"))
    for index in request.get("GlobalSecondaryIndexes", ()):
        check_bounds(name, index.get("ProvisionedThroughput"), index["IndexName"])


def _check_keys_and_indexes(mode: str, request: Mapping[str, Any]) -> None:
    schema, definitions = request["KeySchema"], request["AttributeDefinitions"]
    check_key(schema)
    check_definitions(definitions)
    check_defined(schema, definitions, of_table=True)
    for member, text in _LISTS.items():
        if member in request and not request[member]:
            raise validation(text)
    local, others, vectors = (request.get(member, ()) for member in _LISTS)
    _check_local_indexes(schema, definitions, local)
    _check_global_indexes(mode, definitions, others)
    indexes = (*local, *others, *vectors)
    _check_names(indexes)
    check_projected_count((*local, *others))
    keys = [name for each in (request, *local, *others) for name in key_names(each["KeySchema"])]
    if vectors:
        check_vector_indexes(mode, vectors, key_names(definitions), keys)
    check_unused(definitions, (*keys, *search_attributes(vectors)), indexed=bool(indexes))


def _check_local_indexes(table: Schema, definitions: Schema, indexes: Sequence[Mapping[str, Any]]) -> None:
    if indexes and len(table) < _PAIR:
        raise validation(index_texts.LSI_NEEDS_RANGE)
    for index in indexes:
        schema, name = index["KeySchema"], index["IndexName"]
        check_key(schema)
        check_defined(schema, definitions)
        if len(schema) < _PAIR:
            raise validation(index_texts.index_needs_range(name))
        own, tables = schema[0]["AttributeName"], table[0]["AttributeName"]
        if own != tables:
            raise validation(index_texts.index_hash_differs(name, own, tables))
        check_projection(index["Projection"])
    if len(indexes) > LSI_COUNT:
        raise validation(index_texts.too_many_local(LSI_COUNT))


def _check_global_indexes(mode: str, definitions: Schema, indexes: Sequence[Mapping[str, Any]]) -> None:
    for index in indexes:
        check_global_key(index["KeySchema"])
        check_defined(index["KeySchema"], definitions)
        check_projection(index["Projection"])
        check_index_throughput(mode, index, created=True)
    if len(indexes) > GSI_COUNT:
        raise validation(index_texts.too_many_global(GSI_COUNT))


def _check_names(indexes: Iterable[Mapping[str, Any]]) -> None:
    seen = set()
    for index in indexes:
        if index["IndexName"] in seen:
            raise validation(index_texts.name_twice(index["IndexName"]))
        seen.add(index["IndexName"])


def _record(mode: str, request: Mapping[str, Any]) -> TableDefinition:
    units = new_units(request.get("ProvisionedThroughput"))
    record: TableDefinition = {
        "AttributeDefinitions": request["AttributeDefinitions"],
        "KeySchema": request["KeySchema"],
        "BillingMode": mode,
        "ProvisionedThroughput": units,
        "OnDemandThroughput": on_demand_limits(mode, request.get("OnDemandThroughput")),
        "WarmThroughput": warm_throughput(mode, units, request.get("WarmThroughput")),
        "DeletionProtectionEnabled": request.get("DeletionProtectionEnabled", False),
    }
    if "TableClass" in request:
        record["TableClass"] = request["TableClass"]
    if "GlobalSecondaryIndexes" in request:
        record["GlobalSecondaryIndexes"] = [
            new_global_index(mode, index) for index in request["GlobalSecondaryIndexes"]
        ]
    if "LocalSecondaryIndexes" in request:
        record["LocalSecondaryIndexes"] = [index.copy() for index in request["LocalSecondaryIndexes"]]
    if "VectorIndexes" in request:
        record["VectorIndexes"] = [index.copy() for index in request["VectorIndexes"]]
    return record


def new_global_index(mode: str, index: Mapping[str, Any]) -> IndexRecord:
    """The record of a new global index, as yet without a space."""
    name, units = index["IndexName"], new_units(index.get("ProvisionedThroughput"))
    return {
        "IndexName": name,
        "KeySchema": index["KeySchema"],
        "Projection": index["Projection"],
        "ProvisionedThroughput": units,
        "OnDemandThroughput": on_demand_limits(mode, index.get("OnDemandThroughput"), index=name),
        "WarmThroughput": warm_throughput(mode, units, index.get("WarmThroughput"), index=name),
    }
