"""The steps that change what a table has one of: its stream, class, protection, encryption and time to live.

Each is a call by itself: UpdateTable refuses most of them beside anything else.
https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateTable.html
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from pksk.schema.alteration.step import Step, update_table
from pksk.schema.create_request import TABLE_CLASSES
from pksk.schema.encryption import encryption_to_wire, may_be_same_key
from pksk.schema.stream import stream_to_wire

if TYPE_CHECKING:
    from pksk.schema.table import Table

__all__ = ["protection_steps", "setting_steps", "ttl_steps"]

# https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateTimeToLive.html
_TTL_COOLDOWN_SECONDS: Final = 3600


def protection_steps(declared: Table, found: Table, *, on: bool) -> Iterator[Step]:
    """Protects a table from deletion before all else, or no longer after all else.

    Example:
        >>> from pksk.schema import Table
        >>> (step,) = protection_steps(Table("orders", deletion_protection=True), Table("orders"), on=True)
        >>> step.words
        'protect the table from deletion'
    """
    if declared.deletion_protection != found.deletion_protection and declared.deletion_protection == on:
        words = "protect the table from deletion" if on else "protect the table from deletion no longer"
        yield update_table(declared.name, words, "deletion_protection", DeletionProtectionEnabled=on)


def setting_steps(declared: Table, found: Table) -> Iterator[Step]:
    """Changes the stream, the table class and the encryption, where they differ.

    Example:
        >>> from pksk.schema import Table
        >>> steps = setting_steps(Table("orders", stream="KEYS_ONLY"), Table("orders", stream="NEW_IMAGE"))
        >>> [str(step) for step in steps]
        ["switch the stream of 'NEW_IMAGE' off", "switch a stream of 'KEYS_ONLY' on"]
    """
    yield from _stream(declared, found)
    if declared.table_class != found.table_class:
        words = f"change the table class to {declared.table_class!r}"
        theirs = TABLE_CLASSES[declared.table_class]
        yield update_table(declared.name, words, "table_class", TableClass=theirs)
    if not may_be_same_key(declared.encryption, found.encryption):
        key = "the key that DynamoDB owns" if declared.encryption is None else repr(declared.encryption)
        members = encryption_to_wire(declared.encryption) or {"SSESpecification": {"Enabled": False}}
        yield update_table(declared.name, f"encrypt with {key}", "encryption", **members)


def _stream(declared: Table, found: Table) -> Iterator[Step]:
    """The view of a stream cannot be changed: it ends, and another one begins."""
    if declared.stream == found.stream:
        return
    if found.stream is not None:
        off = {"StreamSpecification": {"StreamEnabled": False}}
        words = f"switch the stream of {found.stream!r} off"
        yield update_table(declared.name, words, "stream", destructive=True, **off)
    if declared.stream is not None:
        words = f"switch a stream of {declared.stream!r} on"
        yield update_table(declared.name, words, "stream", **stream_to_wire(declared.stream))


def ttl_steps(declared: Table, found: Table, answer: Mapping[str, Any]) -> Iterator[Step]:
    """Changes the attribute by which items expire; `answer` is that of DescribeTimeToLive.

    Switching it off is destructive: what comes next may have to wait for an hour, in which nothing expires.

    Example:
        >>> from pksk.schema import Table
        >>> steps = list(ttl_steps(Table("orders", ttl="until"), Table("orders", ttl="expires"), {}))
        >>> [(str(step), step.destructive, step.cooldown_seconds) for step in steps]
        [("let items expire by 'expires' no longer", True, 0), ("let items expire by 'until'", False, 3600)]
    """
    if declared.ttl == found.ttl:
        return
    described = answer.get("TimeToLiveDescription") or answer
    busy = described.get("TimeToLiveStatus") in {"ENABLING", "DISABLING"}
    if found.ttl is not None:
        yield _ttl(declared.name, found.ttl, enabled=False, soon=busy)
    if declared.ttl is not None:
        yield _ttl(declared.name, declared.ttl, enabled=True, soon=busy or found.ttl is not None)


def _ttl(table: str, attribute: str, *, enabled: bool, soon: bool) -> Step:
    words = f"let items expire by {attribute!r}" + ("" if enabled else " no longer")
    wanted = {"Enabled": enabled, "AttributeName": attribute}
    request = {"TableName": table, "TimeToLiveSpecification": wanted}
    cooldown_seconds = _TTL_COOLDOWN_SECONDS if soon else 0
    return Step(
        words, "UpdateTimeToLive", request, "ttl", destructive=not enabled, cooldown_seconds=cooldown_seconds
    )
