"""What a restored table is to be: its source's definition, and what the request has instead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from pksk.engine.faults import validation
from pksk.engine.tables.billing import ON_DEMAND, PROVISIONED, READ, WRITE
from pksk.engine.tables.definition import read_definition
from pksk.engine.tables.record import Record, key_names
from pksk.engine.tables.vector_indexes import search_names
from pksk.engine.texts import backups as texts

__all__ = ["restored_definition"]

_LOCAL: Final = "LocalSecondaryIndexes"
_GLOBAL: Final = "GlobalSecondaryIndexes"
_VECTOR: Final = "VectorIndexes"
_OVERRIDES: Final = {
    _LOCAL: "LocalSecondaryIndexOverride",
    _GLOBAL: "GlobalSecondaryIndexOverride",
    _VECTOR: "VectorIndexOverride",
}
# What an index has from its source when it is not overridden; the rest is the request's.
_CAPACITY: Final = ("ProvisionedThroughput", "OnDemandThroughput")


def restored_definition(name: str, source: Record, request: Mapping[str, Any]) -> Record:
    """The definition of the table that a restore makes, checked as that of a new one."""
    mode = request.get("BillingModeOverride", source["BillingMode"])
    wanted: dict[str, Any] = {
        "KeySchema": source["KeySchema"],
        "BillingMode": mode,
        **_capacity(mode, source, request, "Override"),
    }
    for member, override in _OVERRIDES.items():
        entries = _indexes(mode, source.get(member, []), request.get(override))
        if entries:
            wanted[member] = entries
    wanted["AttributeDefinitions"] = _used(source, wanted)
    if "TableClass" in source:
        wanted["TableClass"] = source["TableClass"]
    if "SSESpecificationOverride" in request:
        wanted["SSESpecification"] = request["SSESpecificationOverride"]
    definition = read_definition(name, wanted)
    if "SSESpecificationOverride" not in request and "encryption" in source:
        definition["encryption"] = source["encryption"]
    return definition


def _capacity(
    mode: str, source: Mapping[str, Any], given: Mapping[str, Any], suffix: str = ""
) -> dict[str, Any]:
    """Capacity of a table or an index: as given, or as the source has it where it is of this mode."""
    capacity = {member: given[member + suffix] for member in _CAPACITY if member + suffix in given}
    units, limits = source.get("ProvisionedThroughput"), source.get("OnDemandThroughput")
    if mode == PROVISIONED and units and units[READ]:
        capacity.setdefault("ProvisionedThroughput", {READ: units[READ], WRITE: units[WRITE]})
    if mode == ON_DEMAND and limits:
        capacity.setdefault("OnDemandThroughput", limits)
    return capacity


def _indexes(
    mode: str, source: Iterable[Record], override: Iterable[Mapping[str, Any]] | None
) -> list[dict[str, Any]]:
    """The source's indexes, or those among them that the request names."""
    by_name = {entry["IndexName"]: entry for entry in source}
    if override is None:
        return [{**_shape(entry), **_capacity(mode, entry, {})} for entry in by_name.values()]
    chosen = []
    for given in override:
        entry = by_name.get(given["IndexName"])
        if entry is None or _compared(entry) != _compared(given):
            raise validation(texts.no_such_index(given["IndexName"]))
        chosen.append({**given, **_capacity(mode, entry, given)})
    return chosen


def _shape(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {member: value for member, value in entry.items() if not member.endswith("Throughput")}


def _compared(entry: Mapping[str, Any]) -> dict[str, Any]:
    """An index as far as it must be that of the source; the order of projected attributes says nothing."""
    shape = _shape(entry)
    projection = shape["Projection"]
    shape["Projection"] = (
        projection.get("ProjectionType"),
        frozenset(projection.get("NonKeyAttributes", ())),
    )
    return shape


def _used(source: Record, wanted: Mapping[str, Any]) -> list[Mapping[str, str]]:
    """The definitions of those attributes that the table and its indexes use."""
    entries = (wanted, *wanted.get(_LOCAL, ()), *wanted.get(_GLOBAL, ()))
    used = {name for entry in entries for name in key_names(entry["KeySchema"])}
    used.update(search_names(wanted.get(_VECTOR, ())))
    return [each for each in source["AttributeDefinitions"] if each["AttributeName"] in used]
