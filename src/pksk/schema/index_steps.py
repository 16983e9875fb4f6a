"""The steps that delete and create indexes, one per call, and the indexes that cannot be created."""

from __future__ import annotations

from typing import Any, TypeAlias

from pksk.dataclass import dataclass
from pksk.errors import SchemaError
from pksk.schema.index import GSI, LSI
from pksk.schema.setting_steps import Step
from pksk.schema.settings import Billing
from pksk.schema.table import Table
from pksk.schema.vector_index import VectorIndex

AnyIndex: TypeAlias = GSI | LSI | VectorIndex

_MEMBERS: dict[type[AnyIndex], tuple[str, str]] = {
    GSI: ("GlobalSecondaryIndexes", "GlobalSecondaryIndexUpdates"),
    VectorIndex: ("VectorIndexes", "VectorIndexUpdates"),
}
_LOCAL_REASON = "a local index is made with its table and stays with it"


@dataclass(frozen=True, slots=True)
class IndexPlan:
    """The indexes to delete, to keep and to create; `reasons` explains which declared ones are impossible."""

    deleted: tuple[AnyIndex, ...]
    kept: tuple[AnyIndex, ...]
    created: tuple[AnyIndex, ...]
    extra: tuple[AnyIndex, ...]
    reasons: dict[str, str]


def index_subject(name: str) -> str:
    """The subject of a step or a difference about an index."""
    return f"index {name!r}"


def index_plan(declared: Table, existing: Table, *, remove: bool) -> IndexPlan:
    """The changes of indexes; with `remove`, indexes that are not declared are deleted.

    An index with other keys or another projection is deleted and created again, if the other indexes allow it.
    """
    ours = {index.name: index for index in declared.indexes}
    theirs = {index.name: index for index in existing.indexes}
    reasons = _local_reasons(ours, theirs)
    missing = {
        name: index
        for name, index in ours.items()
        if name not in reasons and not (name in theirs and _same(index, theirs[name]))
    }
    extra = {name: index for name, index in theirs.items() if name not in ours}
    if remove:
        reasons |= {name: _LOCAL_REASON for name, index in extra.items() if isinstance(index, LSI)}
        extra = {name: index for name, index in extra.items() if isinstance(index, LSI)}
    gone = {name for name in theirs if name in missing or (name not in ours and name not in extra)}
    impossible = _impossible_indexes(existing, missing, gone)
    reasons |= impossible
    gone -= impossible.keys()
    return IndexPlan(
        deleted=tuple(index for name, index in theirs.items() if name in gone),
        kept=tuple(index for name, index in theirs.items() if name not in gone),
        created=tuple(index for name, index in missing.items() if name not in impossible),
        extra=tuple(index for name, index in extra.items() if name not in reasons),
        reasons=reasons,
    )


def _local_reasons(ours: dict[str, AnyIndex], theirs: dict[str, AnyIndex]) -> dict[str, str]:
    """Declared indexes that differ from the existing ones and are local, or have the name of a local index."""
    return {
        name: _LOCAL_REASON
        for name, index in ours.items()
        if isinstance(index, LSI) or isinstance(theirs.get(name), LSI)
        if name not in theirs or not _same(index, theirs[name])
    }


def _same(ours: AnyIndex, theirs: AnyIndex) -> bool:
    """Whether an index need not be made again; its billing can be changed."""
    return ours.partition_key == theirs.partition_key and _without_billing(ours) == _without_billing(theirs)


def _without_billing(index: AnyIndex) -> AnyIndex:
    """The index without its billing."""
    if not isinstance(index, GSI):
        return index
    keys: dict[str, Any] = {"pk": index.partition_key, "sk": index.sort_key or None}
    return GSI(index.name, **keys, projection=index.projection)


def _impossible_indexes(existing: Table, missing: dict[str, AnyIndex], gone: set[str]) -> dict[str, str]:
    """The missing indexes that cannot be created next to the ones that stay, with the reasons.

    An existing index that cannot be created again stays unchanged, and may conflict with others.
    """
    reasons: dict[str, str] = {}
    while True:
        beside = [
            _without_billing(index) for index in existing.indexes if index.name not in gone - reasons.keys()
        ]
        newly: dict[str, str] = {}
        for name, index in missing.items():
            if name not in reasons:
                problem = _problem(existing, [*beside, _without_billing(index)])
                if problem:
                    newly[name] = problem
                else:
                    beside.append(_without_billing(index))
        reasons |= newly
        if not newly.keys() & gone:
            return reasons


def _problem(existing: Table, indexes: list[AnyIndex]) -> str:
    """The reason why a table cannot have these indexes; empty if it can."""
    try:
        _table(existing, indexes)
    except SchemaError as error:
        problem = error.problem.removeprefix(f"{existing}: ").rstrip(".")
        return f"beside what stays it cannot be made: {problem}"
    return ""


def _table(existing: Table, indexes: list[AnyIndex], billing: Billing | None = None) -> Table:
    return Table(
        existing.name,
        pk=existing.primary.partition_key[0],
        sk=existing.primary.sort_key[0] if existing.primary.sort_key else None,
        indexes=indexes,
        billing=billing or "on-demand",
        discriminator=None,
    )


def delete_step(table: str, index: AnyIndex, *, again: bool) -> Step:
    """The call that deletes an index; `again` if it is created again afterwards."""
    words = f"delete index {index.name!r}" + (", to create it again" if again else "")
    request = {"TableName": table, _MEMBERS[type(index)][1]: [{"Delete": {"IndexName": index.name}}]}
    return Step(words, "UpdateTable", request, index_subject(index.name), index.name, destructive=True)


def create_step(existing: Table, index: AnyIndex, billing: Billing) -> Step:
    """The call that makes an index in a table with this billing; it defines all attributes of the index's keys."""
    stated = index.billing if isinstance(index, GSI) else None
    if type(stated) is not type(billing):
        index = _without_billing(index)
    whole = _table(existing, [index], billing).create_request()
    listed, updates = _MEMBERS[type(index)]
    used = {attribute.name for attribute in index.typed_attributes}
    definitions = [each for each in whole["AttributeDefinitions"] if each["AttributeName"] in used]
    request = {
        "TableName": existing.name,
        **({"AttributeDefinitions": definitions} if definitions else {}),
        updates: [{"Create": whole[listed][0]}],
    }
    return Step(f"make index {index.name!r}", "UpdateTable", request, index_subject(index.name), index.name)
