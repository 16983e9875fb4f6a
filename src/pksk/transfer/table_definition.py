"""The definition of a table: its CreateTable request and its TTL attribute."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from pksk.client import Client
from pksk.dataclass import dataclass

_ON_DEMAND: Final = "PAY_PER_REQUEST"
_STREAM: Final = "StreamSpecification"
_PROTECTED: Final = "DeletionProtectionEnabled"
_GLOBAL: Final = "GlobalSecondaryIndexes"
_LISTS: Final = {
    "LocalSecondaryIndexes": ("IndexName", "KeySchema", "Projection"),
    _GLOBAL: ("IndexName", "KeySchema", "Projection"),
    "VectorIndexes": (
        "IndexName",
        "SearchSchema",
        "Projection",
        "VectorAttribute",
        "Dimensions",
        "DistanceFunction",
    ),
}


@dataclass(frozen=True)
class TableDefinition:
    """A table without its items: the request that creates it, and its TTL attribute.

    Example:
        >>> orders = TableDefinition.of_keys("orders", {"pk": "S", "at": "N"})
        >>> orders.name, orders.keys
        ('orders', {'pk': 'S', 'at': 'N'})
    """

    create: Mapping[str, Any]
    ttl: str | None = None

    @classmethod
    def of_keys(cls, name: str, keys: Mapping[str, str]) -> TableDefinition:
        """An on-demand table with one or two key attributes, the partition key first.

        Example:
            >>> TableDefinition.of_keys("orders", {"id": "S"}).create["KeySchema"]
            [{'AttributeName': 'id', 'KeyType': 'HASH'}]
        """
        roles = zip(keys, ("HASH", "RANGE"), strict=False)
        create = {
            "TableName": name,
            "KeySchema": [{"AttributeName": key, "KeyType": role} for key, role in roles],
            "AttributeDefinitions": [{"AttributeName": key, "AttributeType": keys[key]} for key in keys],
            "BillingMode": _ON_DEMAND,
        }
        return cls(create)

    @classmethod
    def of_description(cls, described: Mapping[str, Any], ttl: str | None = None) -> TableDefinition:
        """The definition in a description of DescribeTable, without the indexes that are being deleted.

        Example:
            >>> orders = TableDefinition.of_keys("orders", {"id": "S"})
            >>> described = {**orders.create, "TableStatus": "ACTIVE", "ItemCount": 0}
            >>> TableDefinition.of_description(described) == orders
            True
        """
        on_demand = _is_on_demand(described)
        create = {
            "TableName": described["TableName"],
            "KeySchema": described["KeySchema"],
            "AttributeDefinitions": [],
            "BillingMode": _ON_DEMAND if on_demand else "PROVISIONED",
            **_throughput(described, on_demand=on_demand),
            **_indexes(described, on_demand=on_demand),
            **_settings(described),
        }
        used = _key_names(create)
        create["AttributeDefinitions"] = [
            each for each in described["AttributeDefinitions"] if each["AttributeName"] in used
        ]
        return cls(create, ttl)

    @property
    def name(self) -> str:
        """The name of the table."""
        return str(self.create["TableName"])

    @property
    def types(self) -> dict[str, str]:
        """The types of the key attributes of the table and its indexes."""
        return {each["AttributeName"]: each["AttributeType"] for each in self.create["AttributeDefinitions"]}

    @property
    def keys(self) -> dict[str, str]:
        """The types of the table's own key attributes, the partition key first."""
        return {name: self.types[name] for name in _names(self.create["KeySchema"])}

    @property
    def initial_request(self) -> dict[str, Any]:
        """The CreateTable request without the stream and the deletion protection, which come after the items."""
        return {name: part for name, part in self.create.items() if name not in (_STREAM, _PROTECTED)}

    @property
    def later_requests(self) -> list[dict[str, Any]]:
        """The UpdateTable requests for what `initial_request` leaves out."""
        members = [name for name in (_STREAM, _PROTECTED) if self.create.get(name)]
        return [{"TableName": self.name, name: self.create[name]} for name in members]

    def with_name(self, name: str) -> TableDefinition:
        """The same table under another name.

        Example:
            >>> TableDefinition.of_keys("orders", {"id": "S"}).with_name("copy").name
            'copy'
        """
        return replace(self, create={**self.create, "TableName": name})


def fetch_definition(client: Client, described: Mapping[str, Any]) -> TableDefinition:
    """The definition of a described table, with its TTL attribute."""
    answer = client.call("DescribeTimeToLive", {"TableName": described["TableName"]})
    ttl = answer["TimeToLiveDescription"]
    enabled = ttl.get("TimeToLiveStatus") in ("ENABLED", "ENABLING")
    return TableDefinition.of_description(described, ttl["AttributeName"] if enabled else None)


def _is_on_demand(described: Mapping[str, Any]) -> bool:
    """Whether a table is on demand; the description of one that always was provisioned has no billing mode."""
    summary = described.get("BillingModeSummary") or described
    return summary.get("BillingMode") == _ON_DEMAND


def _throughput(described: Mapping[str, Any], *, on_demand: bool) -> dict[str, Any]:
    if on_demand:
        limits = described.get("OnDemandThroughput")
        return {"OnDemandThroughput": limits} if limits else {}
    units = described["ProvisionedThroughput"]
    return {
        "ProvisionedThroughput": {name: units[name] for name in ("ReadCapacityUnits", "WriteCapacityUnits")}
    }


def _indexes(described: Mapping[str, Any], *, on_demand: bool) -> dict[str, Any]:
    indexes: dict[str, Any] = {}
    for member, parts in _LISTS.items():
        staying = [each for each in described.get(member) or () if each.get("IndexStatus") != "DELETING"]
        if staying:
            indexes[member] = [{part: each[part] for part in parts if part in each} for each in staying]
        if member == _GLOBAL:
            for index, each in zip(indexes.get(member, ()), staying, strict=True):
                index.update(_throughput(each, on_demand=on_demand))
    return indexes


def _settings(described: Mapping[str, Any]) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    stream = described.get(_STREAM) or {}
    if stream.get("StreamEnabled"):
        settings[_STREAM] = stream
    encryption = described.get("SSEDescription") or {}
    if encryption.get("Status") in ("ENABLED", "ENABLING", "UPDATING"):
        key = encryption.get("KMSMasterKeyArn")
        settings["SSESpecification"] = {"Enabled": True, "SSEType": encryption.get("SSEType", "KMS")}
        settings["SSESpecification"].update({"KMSMasterKeyId": key} if key else {})
    table_class = (described.get("TableClassSummary") or {}).get("TableClass")
    if table_class:
        settings["TableClass"] = table_class
    if described.get(_PROTECTED):
        settings[_PROTECTED] = True
    return settings


def _key_names(create: Mapping[str, Any]) -> set[str]:
    schemas = [create["KeySchema"]]
    for member in _LISTS:
        for index in create.get(member) or ():
            schemas += [index.get("KeySchema") or (), index.get("SearchSchema") or ()]
    return {name for schema in schemas for name in _names(schema)}


def _names(schema: Iterable[Mapping[str, str]]) -> list[str]:
    return [each["AttributeName"] for each in schema]
