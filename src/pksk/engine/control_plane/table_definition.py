"""The definition of a table in a CreateTable request, and the checks of its keys, indexes and projections."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias
from uuid import uuid4

from pksk.engine import texts
from pksk.engine.request import Request, messages
from pksk.engine.service_errors import invalid_parameter, validation
from pksk.engine.state import IndexRecord, TableDefinition, table_record
from pksk.schema import quotas

from . import billing
from .resources import add_tags, check_policy
from .streams import check_created_stream

Schema: TypeAlias = Sequence[Request]


def check_key(schema: Schema) -> None:
    """Check the key schema of a table or a local index: a partition key, and perhaps a sort key."""
    names = table_record.key_names(schema)
    if len(set(names)) < len(names):
        raise validation("Both the Hash Key and the Range Key element in the KeySchema have the same name")
    if schema[0]["KeyType"] != "HASH":
        raise validation(texts.FIRST_NOT_HASH)
    if len(schema) == _PAIR and schema[1]["KeyType"] != "RANGE":
        raise validation(f"{texts.KEY_SCHEMA}The second KeySchemaElement is not a RANGE key type")


def check_global_key(schema: Schema) -> None:
    """Check the key schema of a global index, whose keys can have several attributes each."""
    kinds = [element["KeyType"] for element in schema]
    names = table_record.key_names(schema)
    if kinds[0] != "HASH":
        raise validation(texts.FIRST_NOT_HASH)
    if kinds != sorted(kinds):  # HASH sorts before RANGE
        raise validation(
            f"{texts.KEY_SCHEMA}All HASH key attributes must precede RANGE key attributes in the KeySchema"
        )
    for kind in ("HASH", "RANGE"):
        if kinds.count(kind) > quotas.GSI_KEY_ATTRIBUTES:
            raise validation(
                f"{texts.KEY_SCHEMA}The KeySchema exceeds the maximum allowed number of {kind} key attributes"
            )
    if len(set(names)) < len(names):
        raise validation(
            f"{texts.KEY_SCHEMA}The KeySchema contains multiple key attributes with the same name"
        )


def check_definitions(definitions: Schema) -> None:
    """Check that no attribute is defined twice."""
    seen = set()
    for name in table_record.key_names(definitions):
        if name in seen:
            raise validation(f"Attribute Name is duplicated: {name}")
        seen.add(name)


def check_defined(schema: Schema, definitions: Schema) -> None:
    """Check that every attribute of a key is defined."""
    defined = table_record.key_names(definitions)
    names = table_record.key_names(schema)
    if not set(names).issubset(defined):
        raise invalid_parameter(
            "Some index key attributes are not defined in AttributeDefinitions. "
            f"Keys: {texts.set_order(names)}, AttributeDefinitions: {texts.sized_set_order(defined)}"
        )


def check_unused(definitions: Schema, used: Iterable[str], *, indexed: bool) -> None:
    """Check that every defined attribute is part of a key."""
    defined = table_record.key_names(definitions)
    keys = list(dict.fromkeys(used))
    if set(defined).issubset(keys):
        return
    raise invalid_parameter(
        f"Some AttributeDefinitions are not used. AttributeDefinitions: {texts.sized_set_order(defined)}, "
        f"keys used: {texts.set_order(keys)}"
        if indexed
        else "Number of attributes in KeySchema does not exactly match number of attributes defined in "
        "AttributeDefinitions"
    )


_KINDS: Final = frozenset({"ALL", "KEYS_ONLY", "INCLUDE"})


def check_projection(projection: Request) -> None:
    """Check a projection: its type and its attributes."""
    kind = projection.get("ProjectionType")
    if kind not in _KINDS:
        raise invalid_parameter(f"Unknown ProjectionType: {kind or 'null'}")
    names = projection.get("NonKeyAttributes")
    if kind == "INCLUDE":
        if not names:
            raise invalid_parameter(f"ProjectionType is {kind}, but NonKeyAttributes is not specified")
        twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
        if twice is not None:
            raise invalid_parameter(f"Duplicate element in NonKeyAttributes: {twice}")
    elif names is not None:
        raise invalid_parameter(f"ProjectionType is {kind}, but NonKeyAttributes is specified")


def check_projected_count(indexes: Iterable[Request]) -> None:
    """Check how many attributes the projections of all indexes have together."""
    count = sum(len(index["Projection"].get("NonKeyAttributes", ())) for index in indexes)
    if count > quotas.PROJECTED_IN_ALL:
        raise invalid_parameter(
            "Number of NonKeyAttributes in all secondary indexes exceeds "
            f"the per-table limit of {quotas.PROJECTED_IN_ALL}"
        )


def check_vector_indexes(mode: str, indexes: Sequence[Request], defined: frozenset[str]) -> None:
    """Check the vector indexes of a table against its billing mode and its definitions."""
    if mode != billing.ON_DEMAND:
        raise validation(texts.VECTOR_NEEDS_ON_DEMAND)
    if len(indexes) > quotas.VECTOR_INDEX_COUNT:
        raise invalid_parameter(
            f"VectorIndex count exceeds the per-table limit of {quotas.VECTOR_INDEX_COUNT}"
        )
    for index in indexes:
        check_projection(index["Projection"])
        _check_search_schema(index, defined)
        most = quotas.VECTOR_DIMENSIONS[1]
        if index["Dimensions"] > most:
            raise invalid_parameter(f"Number of dimensions must be between 1 and {most} inclusive.")


def check_vectors(indexes: Sequence[Request], defined: frozenset[str]) -> None:
    """Check that vectors are not defined as keys are, and that each has the same dimensions in all indexes."""
    dimensions: dict[str, int] = {}
    for index in indexes:
        attribute = index["VectorAttribute"]["AttributeName"]
        if attribute in defined:
            raise invalid_parameter(
                f"Conflicting attribute definition for '{attribute}'. "
                "An attribute cannot be defined in AttributeDefinitions when used as a VectorAttribute."
            )
        if dimensions.setdefault(attribute, index["Dimensions"]) != index["Dimensions"]:
            raise invalid_parameter(
                f"Conflicting attribute definition for '{attribute}'. "
                "All VectorIndexes on the same vector attribute must use the same dimensions."
            )


def _check_search_schema(index: Request, defined: frozenset[str]) -> None:
    schema = index.get("SearchSchema", ())
    names = table_record.key_names(schema)
    kinds = [element["SearchSchemaElementType"] for element in schema]
    if not defined.issuperset(names):
        raise invalid_parameter("One element in SearchSchema is not defined in attribute definitions")
    if kinds.count("HASH") > 1 or len(set(names)) < len(names):
        raise invalid_parameter(
            "SearchSchema contains more than one HASH element or the same attribute twice "
            f"for index: {index['IndexName']}"
        )
    if kinds.count("INLINE_FILTER") > quotas.VECTOR_FILTERS:
        raise invalid_parameter(
            f"Number of INLINE_FILTER elements in SearchSchema exceeds the limit of {quotas.VECTOR_FILTERS} "
            f"for index: {index['IndexName']}"
        )


def search_attributes(indexes: Iterable[Request]) -> list[str]:
    """The attributes in the search schemas of vector indexes, which must be defined."""
    return [name for index in indexes for name in table_record.key_names(index.get("SearchSchema", ()))]


_PAIR: Final = 2
_REQUIRED: Final = {"AttributeDefinitions": "attributeDefinitions", "KeySchema": "keySchema"}
_LISTS: Final = ("LocalSecondaryIndexes", "GlobalSecondaryIndexes", "VectorIndexes")


def read_definition(name: str, request: Request) -> TableDefinition:
    """The definition in a CreateTable request."""
    _check_members(request)
    mode = billing.billing_mode(request) or billing.PROVISIONED
    billing.check_created_throughput(mode, request.get("ProvisionedThroughput"))
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


def _check_members(request: Request) -> None:
    if "GlobalTableSourceArn" in request:
        raise validation(texts.GLOBAL_TABLES)
    missing = [path for member, path in _REQUIRED.items() if member not in request]
    if missing:
        broken = [messages.broken_constraint_older(path, messages.NOT_NULL, None) for path in missing]
        raise validation(messages.validation_errors(broken))


def _check_bounds(name: str, request: Request) -> None:
    billing.check_bounds(name, request.get("ProvisionedThroughput"))
    for index in request.get("GlobalSecondaryIndexes", ()):
        billing.check_bounds(name, index.get("ProvisionedThroughput"), index["IndexName"])


def _check_keys_and_indexes(mode: str, request: Request) -> None:
    schema, definitions = request["KeySchema"], request["AttributeDefinitions"]
    check_definitions(definitions)
    if len(definitions) < len(schema):
        raise validation(f"{texts.KEY_SCHEMA}Some index key attribute have no definition")
    check_defined(schema, definitions)
    check_key(schema)
    for member in _LISTS:
        if member in request and not request[member]:
            raise invalid_parameter(f"List of {member} is empty")
    local, others, vectors = (request.get(member, ()) for member in _LISTS)
    _check_local_keys(schema, definitions, local)
    for index in others:
        check_defined(index["KeySchema"], definitions)
        check_global_key(index["KeySchema"])
    indexes = (*local, *others, *vectors)
    keys = [name for each in (request, *local, *others) for name in table_record.key_names(each["KeySchema"])]
    if vectors:
        defined = frozenset(table_record.key_names(definitions))
        check_vector_indexes(mode, vectors, defined)
        check_vectors(vectors, defined)
    check_unused(definitions, (*keys, *search_attributes(vectors)), indexed=bool(indexes))
    for index in (*local, *others):
        check_projection(index["Projection"])
    for index in others:
        billing.check_index_throughput(mode, index, created=True)
    if len(local) > quotas.LSI_COUNT:
        raise invalid_parameter(
            f"Number of LocalSecondaryIndexes exceeds per-table limit of {quotas.LSI_COUNT}"
        )
    if len(others) > quotas.GSI_COUNT:
        raise validation(texts.TOO_MANY_GLOBAL)
    _check_names(indexes)
    check_projected_count((*local, *others))


def _check_local_keys(table: Schema, definitions: Schema, indexes: Sequence[Request]) -> None:
    if indexes and len(table) < _PAIR:
        raise invalid_parameter(
            "Table KeySchema does not have a range key, "
            "which is required when specifying a LocalSecondaryIndex"
        )
    for index in indexes:
        schema, name = index["KeySchema"], index["IndexName"]
        check_defined(schema, definitions)
        check_key(schema)
        if len(schema) < _PAIR:
            raise invalid_parameter(f"Index KeySchema does not have a range key for index: {name}")
        own, tables = schema[0]["AttributeName"], table[0]["AttributeName"]
        if own != tables:
            raise invalid_parameter(
                f"Index KeySchema does not have the same leading hash key as table KeySchema for index: {name}. "
                f"index hash key: {own}, table hash key: {tables}"
            )


def _check_names(indexes: Iterable[Request]) -> None:
    seen = set()
    for index in indexes:
        if index["IndexName"] in seen:
            raise invalid_parameter(f"Duplicate index name: {index['IndexName']}")
        seen.add(index["IndexName"])


def _record(mode: str, request: Request) -> TableDefinition:
    units = billing.new_units(request.get("ProvisionedThroughput"))
    record: TableDefinition = {
        "AttributeDefinitions": request["AttributeDefinitions"],
        "KeySchema": request["KeySchema"],
        "BillingMode": mode,
        "ProvisionedThroughput": units,
        "OnDemandThroughput": billing.on_demand_limits(mode, request.get("OnDemandThroughput")),
        "WarmThroughput": billing.warm_throughput(mode, units, request.get("WarmThroughput")),
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


def new_global_index(mode: str, index: Request) -> IndexRecord:
    """The record of a new global index, as yet without a space."""
    name, units = index["IndexName"], billing.new_units(index.get("ProvisionedThroughput"))
    return {
        "IndexName": name,
        "KeySchema": index["KeySchema"],
        "Projection": index["Projection"],
        "ProvisionedThroughput": units,
        "OnDemandThroughput": billing.on_demand_limits(mode, index.get("OnDemandThroughput"), index=name),
        "WarmThroughput": billing.warm_throughput(mode, units, index.get("WarmThroughput"), index=name),
    }


def read_encryption(specification: Request | None) -> str | None:
    """The KMS key of a request; None for the key that AWS owns."""
    specification = specification or {}
    if not specification.get("Enabled", False):
        for member in ("SSEType", "KMSMasterKeyId"):
            if member in specification:
                raise validation(texts.sse_needs_kms(member))
        return None
    if specification.get("SSEType", "KMS") != "KMS":
        raise validation(texts.sse_needs_kms("SSEType"))
    key: str | None = specification.get("KMSMasterKeyId")
    return str(uuid4()) if key is None or "alias/" in key else key
