"""Plans the calls that change an existing table to its declaration, and lists what no call can change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pksk.dataclass import dataclass
from pksk.errors import SchemaError
from pksk.schema.differences import differences
from pksk.schema.index import GSI
from pksk.schema.index_steps import IndexPlan, create_step, delete_step, index_plan, index_subject
from pksk.schema.setting_steps import Step, billing_steps, protection_steps, setting_steps, ttl_steps
from pksk.schema.settings import Provisioned
from pksk.schema.table import Table
from pksk.schema.vector_index import VectorIndex

__all__ = ["Alterations", "Step", "alterations"]

_KEY_REASON: Final = "the key of a table is chosen once"


@dataclass(frozen=True, slots=True)
class Alterations:
    """The differences between a declared table and the existing one, and the calls that remove them.

    `steps` are the calls in order. `impossible` are the differences that no call can remove, with the reasons.
    `extra` names the indexes that are not declared and stay unchanged. The text lists each difference with its steps.

    Example:
        >>> from pksk.schema import GSI, Table
        >>> declared = Table("orders", stream="KEYS_ONLY", indexes=[GSI("by-day", pk="day")])
        >>> print(alterations(declared, Table("orders", sk=None).create_request()))
        Table 'orders':
          sk: declared 'sk', the table has None
            impossible: the key of a table is chosen once
          stream: declared 'KEYS_ONLY', the table has None
            1. switch a stream of 'KEYS_ONLY' on
          index 'by-day': declared, the table lacks it
            2. make index 'by-day'
    """

    table: str
    differences: tuple[str, ...]
    steps: tuple[Step, ...]
    impossible: tuple[str, ...]
    extra: tuple[str, ...]

    @property
    def destructive(self) -> bool:
        """Whether one of the steps removes something that cannot be restored immediately."""
        return any(step.destructive for step in self.steps)

    def __str__(self) -> str:
        if not self.differences:
            return f"Table {self.table!r}: as declared."
        return "\n".join((f"Table {self.table!r}:", *self._lines()))

    def _lines(self) -> Iterator[str]:
        groups: dict[str, list[str]] = {}
        for line in self.differences:
            groups.setdefault(_subject_of(line, self.steps), []).append(line)
        for subject, lines in groups.items():
            yield from (f"  {line}" for line in lines)
            yield from (f"    {words}" for words in self._step_lines(subject, lines))

    def _step_lines(self, subject: str, lines: list[str]) -> Iterator[str]:
        """The planned steps for some differences, or the reason why there are none."""
        for number, step in enumerate(self.steps, 1):
            if step.subject == subject:
                yield f"{number}. {step}"
        reasons = [
            each.removeprefix(f"{line}; ")
            for line in lines
            for each in self.impossible
            if each.startswith(line)
        ]
        yield from (f"impossible: {reason}" for reason in dict.fromkeys(reasons))
        if any(subject == index_subject(name) for name in self.extra):
            yield "left as it is"


def alterations(
    declared: Table,
    description: Mapping[str, Any],
    ttl_description: Mapping[str, Any] | None = None,
    *,
    remove_indexes: bool = False,
) -> Alterations:
    """The calls that change a table to its declaration, from the responses of DescribeTable and DescribeTimeToLive.

    Without a DescribeTimeToLive response, the TTL is not compared. Indexes that are not declared are deleted only
    with `remove`. Indexes and settings that are being deleted count as deleted.

    Example:
        >>> from pksk.schema import GSI, Table
        >>> declared = Table("orders", ttl="expires", indexes=[GSI("by-day", pk="day")])
        >>> off = {"TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}}
        >>> for step in alterations(declared, Table("orders").create_request(), off).steps:
        ...     print(step.operation, step.description)
        UpdateTable make index 'by-day'
        UpdateTimeToLive let items expire by 'expires'
    """
    existing = _existing_table(declared, description, ttl_description)
    lines = differences(declared, existing, ttl=ttl_description is not None)
    plan = index_plan(declared, existing, remove=remove_indexes)
    reasons = {index_subject(name): reason for name, reason in plan.reasons.items()}
    reasons |= {"pk": _KEY_REASON, "sk": _KEY_REASON, **_billing_reason(declared, plan)}
    steps = tuple(_steps(declared, existing, plan, ttl_description, billed="billing" not in reasons))
    impossible = [(line, reasons.get(_subject_of(line, steps))) for line in lines]
    return Alterations(
        table=declared.name,
        differences=tuple(lines),
        steps=steps,
        impossible=tuple(f"{line}; {reason}" for line, reason in impossible if reason is not None),
        extra=tuple(index.name for index in plan.extra),
    )


def _existing_table(
    declared: Table, description: Mapping[str, Any], ttl_description: Mapping[str, Any] | None
) -> Table:
    existing = Table.from_description(_without_deleting_indexes(description), describe_ttl=ttl_description)
    if existing.name != declared.name:
        raise SchemaError(
            "schema-other-table",
            f"{declared}: the description is of table {existing.name!r}.",
            expected="The description must be the DescribeTable response of the declared table.",
            fix="describe the declared table.",
        )
    return existing


def _without_deleting_indexes(description: Mapping[str, Any]) -> dict[str, Any]:
    """The description without indexes that are being deleted, because DynamoDB returns only their names."""
    whole = description.get("Table") or description.get("TableDescription") or description
    leaving = {
        member: [each for each in whole[member] if each.get("IndexStatus") != "DELETING"]
        for member in ("GlobalSecondaryIndexes", "VectorIndexes")
        if whole.get(member)
    }
    return {**whole, **leaving}


def _billing_reason(declared: Table, plan: IndexPlan) -> dict[str, str]:
    """The vector indexes that stay; with one, a table must be on demand."""
    vectors = [index.name for index in plan.kept if isinstance(index, VectorIndex)]
    if not vectors or not isinstance(declared.billing, Provisioned):
        return {}
    return {"billing": f"index {vectors[0]!r} stays, and tables with a vector index are billed on demand"}


def _steps(
    declared: Table, existing: Table, plan: IndexPlan, ttl: Mapping[str, Any] | None, *, billed: bool
) -> Iterator[Step]:
    """Delete indexes before creating any: this frees quotas, names and attribute types.

    The slowest steps come last: new indexes are filled, and AWS accepts one change of the TTL per hour.
    """
    yield from protection_steps(declared, existing, on=True)
    yield from setting_steps(declared, existing)
    again = {index.name for index in plan.created}
    for index in plan.deleted:
        yield delete_step(declared.name, index, again=index.name in again)
    if billed:
        yield from billing_steps(declared, existing, [index for index in plan.kept if isinstance(index, GSI)])
    for index in plan.created:
        yield create_step(existing, index, declared.billing if billed else existing.billing)
    yield from protection_steps(declared, existing, on=False)
    if ttl is not None:
        yield from ttl_steps(declared, existing, ttl)


def _subject_of(line: str, steps: tuple[Step, ...]) -> str:
    """The subject of a difference, as in the steps: the billing of an index that stays belongs to the table."""
    what = line.partition(":")[0]
    if not what.startswith("index "):
        return what
    index, option = what[: what.rindex("'") + 1], what[what.rindex("'") + 1 :].strip()
    remade = any(step.subject == index for step in steps)
    return "billing" if option == "billing" and not remade else index
