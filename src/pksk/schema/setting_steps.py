"""The steps that change the settings of a table: stream, class, protection, encryption, time to live and billing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any, Final, Literal, TypeAlias

from pksk.dataclass import dataclass
from pksk.schema import settings
from pksk.schema.description import TABLE_CLASSES
from pksk.schema.index import GSI
from pksk.schema.settings import Billing, OnDemand, Provisioned
from pksk.schema.table import Table

Operation: TypeAlias = Literal["UpdateTable", "UpdateTimeToLive"]


@dataclass(frozen=True, slots=True)
class Step:
    """One call that changes a table. Wait until the table and its indexes are active before the next step.

    `subject` is the part that changes: "billing", "stream", "index 'by-day'". `index` is the index to create or
    delete. A `destructive` step removes something that cannot be restored immediately: an index with its entries, a
    stream with its readers, the TTL. AWS may reject a step for `cooldown_seconds` after the previous one.
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


def update_table(table: str, words: str, subject: str, *, destructive: bool = False, **members: Any) -> Step:
    """A step with an UpdateTable call."""
    return Step(words, "UpdateTable", {"TableName": table, **members}, subject, destructive=destructive)


# https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateTimeToLive.html
_TTL_COOLDOWN_SECONDS: Final = 3600


def protection_steps(declared: Table, existing: Table, *, on: bool) -> Iterator[Step]:
    """Protects a table from deletion before all else, or no longer after all else."""
    if declared.deletion_protection != existing.deletion_protection and declared.deletion_protection == on:
        words = "protect the table from deletion" if on else "protect the table from deletion no longer"
        yield update_table(declared.name, words, "deletion_protection", DeletionProtectionEnabled=on)


def setting_steps(declared: Table, existing: Table) -> Iterator[Step]:
    """Changes the stream, the table class and the encryption, where they differ."""
    yield from _stream_steps(declared, existing)
    if declared.table_class != existing.table_class:
        words = f"change the table class to {declared.table_class!r}"
        theirs = TABLE_CLASSES[declared.table_class]
        yield update_table(declared.name, words, "table_class", TableClass=theirs)
    if not settings.may_be_same_key(declared.encryption, existing.encryption):
        key = "the key that DynamoDB owns" if declared.encryption is None else repr(declared.encryption)
        members = settings.encryption_to_wire(declared.encryption) or {"SSESpecification": {"Enabled": False}}
        yield update_table(declared.name, f"encrypt with {key}", "encryption", **members)


def _stream_steps(declared: Table, existing: Table) -> Iterator[Step]:
    """The view type of a stream cannot change: the stream is deleted and a new one created."""
    if declared.stream == existing.stream:
        return
    if existing.stream is not None:
        off = {"StreamSpecification": {"StreamEnabled": False}}
        words = f"switch the stream of {existing.stream!r} off"
        yield update_table(declared.name, words, "stream", destructive=True, **off)
    if declared.stream is not None:
        words = f"switch a stream of {declared.stream!r} on"
        yield update_table(declared.name, words, "stream", **settings.stream_to_wire(declared.stream))


def ttl_steps(declared: Table, existing: Table, answer: Mapping[str, Any]) -> Iterator[Step]:
    """Changes the TTL attribute; `answer` is the DescribeTimeToLive response.

    Switching the TTL off is destructive: the next change may have to wait for an hour, during which nothing expires.
    """
    if declared.ttl == existing.ttl:
        return
    described = answer.get("TimeToLiveDescription") or answer
    busy = described.get("TimeToLiveStatus") in {"ENABLING", "DISABLING"}
    if existing.ttl is not None:
        yield _ttl_step(declared.name, existing.ttl, enabled=False, soon=busy)
    if declared.ttl is not None:
        yield _ttl_step(declared.name, declared.ttl, enabled=True, soon=busy or existing.ttl is not None)


def _ttl_step(table: str, attribute: str, *, enabled: bool, soon: bool) -> Step:
    words = f"let items expire by {attribute!r}" + ("" if enabled else " no longer")
    specification = {"Enabled": enabled, "AttributeName": attribute}
    request = {"TableName": table, "TimeToLiveSpecification": specification}
    cooldown_seconds = _TTL_COOLDOWN_SECONDS if soon else 0
    return Step(
        words, "UpdateTimeToLive", request, "ttl", destructive=not enabled, cooldown_seconds=cooldown_seconds
    )


# Removes an on-demand limit.
_NO_LIMIT: Final = -1


def billing_steps(declared: Table, existing: Table, indexes: Iterable[GSI]) -> Iterator[Step]:
    """Changes the mode and the throughput of the table and of those of its indexes that are kept."""
    target = {index.name: _wanted_billing(declared, existing, index) for index in indexes}
    if isinstance(declared.billing, Provisioned):
        if isinstance(existing.billing, Provisioned):
            has = {index.name: existing.billing_of(index) for index in indexes}
            yield from _unit_steps(declared, existing.billing, target, has)
        else:
            yield _provision_step(declared, target)
        return
    before: dict[str, Billing] = {index.name: existing.billing_of(index) for index in indexes}
    if isinstance(existing.billing, Provisioned):
        yield update_table(declared.name, "bill on demand", "billing", BillingMode="PAY_PER_REQUEST")
        before = dict.fromkeys(before, OnDemand())
    yield from _limit_steps(declared, existing.billing, target, before)


def _wanted_billing(declared: Table, existing: Table, index: GSI) -> Billing:
    """The billing of an index; if it is not declared, its current billing, or the default after a switch."""
    ours = next((each for each in declared.indexes if each.name == index.name), None)
    if isinstance(ours, GSI):
        return declared.billing_of(ours)
    if type(declared.billing) is type(existing.billing):
        return existing.billing_of(index)
    return settings.effective_billing(None, declared.billing)


def _provision_step(declared: Table, target: dict[str, Billing]) -> Step:
    """The switch to provisioned units, which names those of every index."""
    words = f"provision {_billing_text(declared.billing)}" + "".join(
        f", and {_billing_text(billing)} for index {name!r}" for name, billing in target.items()
    )
    members = settings.throughput_to_wire(declared.billing) | _index_updates(
        {name: settings.throughput_to_wire(billing) for name, billing in target.items()}
    )
    return update_table(declared.name, words, "billing", BillingMode="PROVISIONED", **members)


def _unit_steps(
    declared: Table, before: Billing, target: dict[str, Billing], has: dict[str, Billing]
) -> Iterator[Step]:
    """New units where they differ: DynamoDB rejects unchanged units."""
    own = {} if declared.billing == before else settings.throughput_to_wire(declared.billing)
    changed = {name: billing for name, billing in target.items() if billing != has[name]}
    if own or changed:
        updates = _index_updates(
            {name: settings.throughput_to_wire(billing) for name, billing in changed.items()}
        )
        yield _throughput_step(declared, "provision", own, changed, updates)


def _limit_steps(
    declared: Table, before: Billing, target: dict[str, Billing], has: dict[str, Billing]
) -> Iterator[Step]:
    """New limits where they differ; after a switch to on demand, there are none."""
    own = _changed_limits(declared.billing, before)
    changed = {name: billing for name, billing in target.items() if _changed_limits(billing, has[name])}
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


def _changed_limits(target: Billing, before: Billing) -> dict[str, Any]:
    """OnDemandThroughput with the limits that change."""
    members = ("MaxReadRequestUnits", "MaxWriteRequestUnits")
    pairs = zip(members, _request_limits(target), _request_limits(before), strict=True)
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
