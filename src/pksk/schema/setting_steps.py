"""The steps that change the settings of a table: stream, class, protection, encryption, time to live and billing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from pksk.dataclass import dataclass
from pksk.schema.billing import Billing, OnDemand, Provisioned, effective_billing, throughput_to_wire
from pksk.schema.create_request import TABLE_CLASSES
from pksk.schema.index import GSI
from pksk.schema.settings import encryption_to_wire, may_be_same_key, stream_to_wire

if TYPE_CHECKING:
    from pksk.schema.table import Table

Operation: TypeAlias = Literal["UpdateTable", "UpdateTimeToLive"]


@dataclass(frozen=True, slots=True)
class Step:
    """One call that changes a table. Wait until the table and its indexes are active before the next step.

    `subject` is the part that changes: "billing", "stream", "index 'by-day'". `index` is the index to create or
    delete. A `destructive` step removes something that cannot be restored immediately: an index with its entries, a
    stream with its readers, the TTL. AWS may reject a step for `cooldown_seconds` after the previous one.

    Example:
        >>> Step("delete index 'by-day'", "UpdateTable", {"TableName": "orders"}, subject="index 'by-day'").destructive
        False
    """

    description: str
    operation: Operation
    request: dict[str, Any] = field(repr=False)
    subject: str
    index: str | None = None
    destructive: bool = False
    cooldown_seconds: int = 0

    def __str__(self) -> str:
        return self.description


def update_table(table: str, words: str, about: str, *, destructive: bool = False, **members: Any) -> Step:
    """A step with an UpdateTable call.

    Example:
        >>> update_table("orders", "protect", "deletion_protection", DeletionProtectionEnabled=True).request
        {'TableName': 'orders', 'DeletionProtectionEnabled': True}
    """
    return Step(words, "UpdateTable", {"TableName": table, **members}, about, destructive=destructive)


# https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateTimeToLive.html
_TTL_COOLDOWN_SECONDS: Final = 3600


def protection_steps(declared: Table, found: Table, *, on: bool) -> Iterator[Step]:
    """Protects a table from deletion before all else, or no longer after all else.

    Example:
        >>> from pksk.schema import Table
        >>> (step,) = protection_steps(Table("orders", deletion_protection=True), Table("orders"), on=True)
        >>> step.description
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
    yield from _stream_steps(declared, found)
    if declared.table_class != found.table_class:
        words = f"change the table class to {declared.table_class!r}"
        theirs = TABLE_CLASSES[declared.table_class]
        yield update_table(declared.name, words, "table_class", TableClass=theirs)
    if not may_be_same_key(declared.encryption, found.encryption):
        key = "the key that DynamoDB owns" if declared.encryption is None else repr(declared.encryption)
        members = encryption_to_wire(declared.encryption) or {"SSESpecification": {"Enabled": False}}
        yield update_table(declared.name, f"encrypt with {key}", "encryption", **members)


def _stream_steps(declared: Table, found: Table) -> Iterator[Step]:
    """The view type of a stream cannot change: the stream is deleted and a new one created."""
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
    """Changes the TTL attribute; `answer` is the DescribeTimeToLive response.

    Switching the TTL off is destructive: the next change may have to wait for an hour, during which nothing expires.

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
        yield _ttl_step(declared.name, found.ttl, enabled=False, soon=busy)
    if declared.ttl is not None:
        yield _ttl_step(declared.name, declared.ttl, enabled=True, soon=busy or found.ttl is not None)


def _ttl_step(table: str, attribute: str, *, enabled: bool, soon: bool) -> Step:
    words = f"let items expire by {attribute!r}" + ("" if enabled else " no longer")
    wanted = {"Enabled": enabled, "AttributeName": attribute}
    request = {"TableName": table, "TimeToLiveSpecification": wanted}
    cooldown_seconds = _TTL_COOLDOWN_SECONDS if soon else 0
    return Step(
        words, "UpdateTimeToLive", request, "ttl", destructive=not enabled, cooldown_seconds=cooldown_seconds
    )


# Removes an on-demand limit.
_NO_LIMIT: Final = -1


def billing_steps(declared: Table, found: Table, kept: Iterable[GSI]) -> Iterator[Step]:
    """Changes the mode and the throughput of the table and of those of its indexes that are kept.

    Example:
        >>> from pksk.schema import Provisioned, Table
        >>> (step,) = billing_steps(Table("orders", billing=Provisioned(9, 3)), Table("orders"), [])
        >>> step.request["BillingMode"], step.request["ProvisionedThroughput"]
        ('PROVISIONED', {'ReadCapacityUnits': 9, 'WriteCapacityUnits': 3})
    """
    wanted = {index.name: _wanted_billing(declared, found, index) for index in kept}
    if isinstance(declared.billing, Provisioned):
        if isinstance(found.billing, Provisioned):
            has = {index.name: found.billing_of(index) for index in kept}
            yield from _unit_steps(declared, found.billing, wanted, has)
        else:
            yield _provision_step(declared, wanted)
        return
    before: dict[str, Billing] = {index.name: found.billing_of(index) for index in kept}
    if isinstance(found.billing, Provisioned):
        yield update_table(declared.name, "bill on demand", "billing", BillingMode="PAY_PER_REQUEST")
        before = dict.fromkeys(before, OnDemand())
    yield from _limit_steps(declared, found.billing, wanted, before)


def _wanted_billing(declared: Table, found: Table, index: GSI) -> Billing:
    """The billing of an index; if it is not declared, its current billing, or the default after a switch."""
    ours = next((each for each in declared.indexes if each.name == index.name), None)
    if isinstance(ours, GSI):
        return declared.billing_of(ours)
    if type(declared.billing) is type(found.billing):
        return found.billing_of(index)
    return effective_billing(None, declared.billing)


def _provision_step(declared: Table, wanted: dict[str, Billing]) -> Step:
    """The switch to provisioned units, which names those of every index."""
    words = f"provision {_billing_text(declared.billing)}" + "".join(
        f", and {_billing_text(billing)} for index {name!r}" for name, billing in wanted.items()
    )
    members = throughput_to_wire(declared.billing) | _index_updates(
        {name: throughput_to_wire(billing) for name, billing in wanted.items()}
    )
    return update_table(declared.name, words, "billing", BillingMode="PROVISIONED", **members)


def _unit_steps(
    declared: Table, before: Billing, wanted: dict[str, Billing], has: dict[str, Billing]
) -> Iterator[Step]:
    """New units where they differ: DynamoDB rejects unchanged units."""
    own = {} if declared.billing == before else throughput_to_wire(declared.billing)
    changed = {name: billing for name, billing in wanted.items() if billing != has[name]}
    if own or changed:
        updates = _index_updates({name: throughput_to_wire(billing) for name, billing in changed.items()})
        yield _throughput_step(declared, "provision", own, changed, updates)


def _limit_steps(
    declared: Table, before: Billing, wanted: dict[str, Billing], has: dict[str, Billing]
) -> Iterator[Step]:
    """New limits where they differ; after a switch to on demand, there are none."""
    own = _changed_limits(declared.billing, before)
    changed = {name: billing for name, billing in wanted.items() if _changed_limits(billing, has[name])}
    if own or changed:
        updates = _index_updates(
            {name: _changed_limits(billing, has[name]) for name, billing in changed.items()}
        )
        yield _throughput_step(declared, "allow", own, changed, updates)


def _throughput_step(
    declared: Table, verb: str, own: dict[str, Any], changed: dict[str, Billing], updates: dict[str, Any]
) -> Step:
    texts = [_billing_text(declared.billing)] if own else []
    texts += [f"{_billing_text(billing)} for index {name!r}" for name, billing in changed.items()]
    return update_table(declared.name, f"{verb} {', and '.join(texts)}", "billing", **own, **updates)


def _changed_limits(wanted: Billing, before: Billing) -> dict[str, Any]:
    """OnDemandThroughput with the limits that change."""
    members = ("MaxReadRequestUnits", "MaxWriteRequestUnits")
    pairs = zip(members, _request_limits(wanted), _request_limits(before), strict=True)
    changed = {name: _NO_LIMIT if ours is None else ours for name, ours, theirs in pairs if ours != theirs}
    return {"OnDemandThroughput": changed} if changed else {}


def _request_limits(billing: Billing) -> tuple[int | None, int | None]:
    return (billing.max_read, billing.max_write) if isinstance(billing, OnDemand) else (None, None)


def _index_updates(by_index: dict[str, dict[str, Any]]) -> dict[str, Any]:
    updates = [{"Update": {"IndexName": name, **members}} for name, members in by_index.items()]
    return {"GlobalSecondaryIndexUpdates": updates} if updates else {}


def _billing_text(billing: Billing) -> str:
    if isinstance(billing, Provisioned):
        return f"{billing.read} read and {billing.write} write units"
    texts = [
        "any number of reads" if billing.max_read is None else f"at most {billing.max_read} reads",
        "any number of writes" if billing.max_write is None else f"at most {billing.max_write} writes",
    ]
    return f"{' and '.join(texts)} a second"
