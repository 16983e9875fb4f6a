"""Placement: the partitions of a table and of its global indexes cover all keys, each once."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from pksk.engine.tables.record import Record

from .report import Findings

__all__ = ["check_placement"]


def check_placement(findings: Findings, record: Record) -> None:
    """Verify the partitions that a record has."""
    name = record["TableName"]
    _check(findings, f"{name}: partitions", record)
    for entry in record.get("GlobalSecondaryIndexes", ()):
        _check(findings, f"{name}: partitions of index {entry['IndexName']}", entry)


def _check(findings: Findings, where: str, entry: Mapping[str, Any]) -> None:
    if "partitions" not in entry:  # a file from before there were any
        return
    parts, following = entry["partitions"]["parts"], entry["partitions"]["next"]
    findings.count("partitions", len(parts))
    lows = [bytes.fromhex(low) for _, low, _ in parts]
    numbers = [number for number, _, _ in parts]
    if not lows or lows[0] != b"":
        findings.problem(where, "no partition has the first keys.")
    for (number, low), (after, high) in pairwise(zip(numbers, lows, strict=True)):
        if low >= high:
            findings.problem(where, f"partition {after} does not begin after partition {number}.")
    if len(set(numbers)) < len(numbers) or any(number >= following for number in numbers):
        findings.problem(where, "a number is used twice, or will be.")
    for number, _, parent in parts:
        if parent is not None and parent >= number:
            findings.problem(where, f"partition {number} is older than its parent {parent}.")
