"""The steps that change how a table and the indexes that it keeps are billed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from pksk.schema.alteration.step import Step, update_table
from pksk.schema.billing import Billing, OnDemand, Provisioned, effective_billing, throughput_to_wire
from pksk.schema.gsi import GSI

if TYPE_CHECKING:
    from pksk.schema.table import Table

__all__ = ["billing_steps"]

# What takes a limit of requests on demand away.
_NO_LIMIT: Final = -1


def billing_steps(declared: Table, found: Table, kept: Iterable[GSI]) -> Iterator[Step]:
    """Changes the mode and the throughput of the table and of those of its indexes that are kept.

    Example:
        >>> from pksk.schema import Provisioned, Table
        >>> (step,) = billing_steps(Table("orders", billing=Provisioned(9, 3)), Table("orders"), [])
        >>> step.request["BillingMode"], step.request["ProvisionedThroughput"]
        ('PROVISIONED', {'ReadCapacityUnits': 9, 'WriteCapacityUnits': 3})
    """
    wanted = {index.name: _wanted(declared, found, index) for index in kept}
    if isinstance(declared.billing, Provisioned):
        if isinstance(found.billing, Provisioned):
            has = {index.name: found.billing_of(index) for index in kept}
            yield from _units(declared, found.billing, wanted, has)
        else:
            yield _provisioned(declared, wanted)
        return
    before: dict[str, Billing] = {index.name: found.billing_of(index) for index in kept}
    if isinstance(found.billing, Provisioned):
        yield update_table(declared.name, "bill on demand", "billing", BillingMode="PAY_PER_REQUEST")
        before = dict.fromkeys(before, OnDemand())
    yield from _limits(declared, found.billing, wanted, before)


def _wanted(declared: Table, found: Table, index: GSI) -> Billing:
    """How an index will be billed; one that is not declared as it is now, or as a new one is after a switch."""
    ours = next((each for each in declared.indexes if each.name == index.name), None)
    if isinstance(ours, GSI):
        return declared.billing_of(ours)
    if type(declared.billing) is type(found.billing):
        return found.billing_of(index)
    return effective_billing(None, declared.billing)


def _provisioned(declared: Table, wanted: dict[str, Billing]) -> Step:
    """The switch to provisioned units, which names those of every index."""
    words = f"provision {_text(declared.billing)}" + "".join(
        f", and {_text(billing)} for index {name!r}" for name, billing in wanted.items()
    )
    members = throughput_to_wire(declared.billing) | _updates(
        {name: throughput_to_wire(billing) for name, billing in wanted.items()}
    )
    return update_table(declared.name, words, "billing", BillingMode="PROVISIONED", **members)


def _units(
    declared: Table, before: Billing, wanted: dict[str, Billing], has: dict[str, Billing]
) -> Iterator[Step]:
    """New units for what has others: DynamoDB refuses those that are provisioned already."""
    own = {} if declared.billing == before else throughput_to_wire(declared.billing)
    changed = {name: billing for name, billing in wanted.items() if billing != has[name]}
    if own or changed:
        updates = _updates({name: throughput_to_wire(billing) for name, billing in changed.items()})
        yield _step(declared, "provision", own, changed, updates)


def _limits(
    declared: Table, before: Billing, wanted: dict[str, Billing], has: dict[str, Billing]
) -> Iterator[Step]:
    """New limits for what has others; after a switch to on demand, nothing has any."""
    own = _limit(declared.billing, before)
    changed = {name: billing for name, billing in wanted.items() if _limit(billing, has[name])}
    if own or changed:
        updates = _updates({name: _limit(billing, has[name]) for name, billing in changed.items()})
        yield _step(declared, "allow", own, changed, updates)


def _step(
    declared: Table, verb: str, own: dict[str, Any], changed: dict[str, Billing], updates: dict[str, Any]
) -> Step:
    texts = [_text(declared.billing)] if own else []
    texts += [f"{_text(billing)} for index {name!r}" for name, billing in changed.items()]
    return update_table(declared.name, f"{verb} {', and '.join(texts)}", "billing", **own, **updates)


def _limit(wanted: Billing, before: Billing) -> dict[str, Any]:
    """OnDemandThroughput with the limits that change."""
    members = ("MaxReadRequestUnits", "MaxWriteRequestUnits")
    pairs = zip(members, _most(wanted), _most(before), strict=True)
    changed = {name: _NO_LIMIT if ours is None else ours for name, ours, theirs in pairs if ours != theirs}
    return {"OnDemandThroughput": changed} if changed else {}


def _most(billing: Billing) -> tuple[int | None, int | None]:
    return (billing.max_read, billing.max_write) if isinstance(billing, OnDemand) else (None, None)


def _updates(by_index: dict[str, dict[str, Any]]) -> dict[str, Any]:
    updates = [{"Update": {"IndexName": name, **members}} for name, members in by_index.items()]
    return {"GlobalSecondaryIndexUpdates": updates} if updates else {}


def _text(billing: Billing) -> str:
    if isinstance(billing, Provisioned):
        return f"{billing.read} read and {billing.write} write units"
    texts = [
        "any number of reads" if billing.max_read is None else f"at most {billing.max_read} reads",
        "any number of writes" if billing.max_write is None else f"at most {billing.max_write} writes",
    ]
    return f"{' and '.join(texts)} a second"
