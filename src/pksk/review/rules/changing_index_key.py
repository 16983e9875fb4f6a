"""The rule about indexes whose keys change with many writes."""

from __future__ import annotations

from collections.abc import Iterator

from pksk.model.bill.month_rows import PatternUse
from pksk.model.cost.item_sizes import is_sparse
from pksk.model.declaration import Declaration
from pksk.model.entity_key import EntityKey, whole_fields
from pksk.model.requests.members import RequestGroup
from pksk.model.requests.request import Request
from pksk.model.requests.update import Update
from pksk.review.money import on_demand_text
from pksk.review.rule import Design, Finding, Missing, Result, rule
from pksk.review.rules.loads import units_text
from pksk.review.source_lines import pattern_subject

# Below so many index writes a second, and below so many times the reads, the cost is not worth a remark.
_FEW_PER_SECOND = 50
_TIMES_READ = 10


@rule("changing-index-key", "the rates of updates (rate=)")
def changing_index_key(design: Design) -> Iterator[Result]:
    """An index key that changes with many writes: each change removes an entry and adds another.

    ## What it does

    Finds updates that change a field of an index key and write more than 50 units a second to the index, if that is ten
    times as much as all access patterns read from it. Timestamps that the store sets (`Updated`) count as changes of
    every update.

    ## Why is this bad?

    It may well be worth it. But a changed key is two writes of the index: the old entry is deleted, the new one
    added. An index sorted by the time of the last change triples what every update costs. A primary key cannot
    change at all: an update of it raises an error, and `db.move` writes a new item.

    ## Example

        last_seen: Annotated[datetime | None, Updated()] = None
        by_last_seen = Key("{room}", "{last_seen}", index="by-last-seen")

    ## Use instead

    A coarser value that changes rarely, such as the day (`{last_seen:%Y-%m-%d}`); or keep what changes often out of the
    index, and sort the few items of a partition after reading.
    """
    for use in design.uses:
        for request in _updates(use):
            for declaration, key, changed in _changed_keys(request):
                yield from _check(design, use, declaration, key, changed)


def _updates(use: PatternUse) -> Iterator[Update]:
    for request in use.requests:
        members: tuple[Request, ...] = request.members if isinstance(request, RequestGroup) else (request,)
        yield from (each for each in members if isinstance(each, Update))


def _changed_keys(request: Update) -> Iterator[tuple[Declaration, EntityKey, list[str]]]:
    """The keys of global indexes that an update changes."""
    declaration, fields = request.declaration, request.stamped.image.changed
    for key in declaration.keys.values():
        changed = [name for name in key.fields if name in fields & whole_fields(key.parts)]
        if changed and declaration.table.index(key.index).kind == "gsi":
            yield declaration, key, changed


def _check(
    design: Design, use: PatternUse, declaration: Declaration, key: EntityKey, changed: list[str]
) -> Iterator[Result]:
    name = declaration.table.name
    readers = [each for each in design.uses if (name, key.index, "read") in each.estimate.touched]
    unknown = [each for each in (use, *readers) if each.per_second is None]
    if use.per_second is None or unknown:
        yield from (Missing(each.pattern.name, figure) for each in unknown for figure in each.lacks)
        return
    if design.is_unclear(declaration.table):  # how much is read is not known
        return
    index, table = (use.per_second.charge_of(name, each).write for each in (key.index, None))
    read = sum(each.per_second.charge_of(name, key.index).read for each in readers if each.per_second)
    if index >= _FEW_PER_SECOND and index >= _TIMES_READ * read:
        cost = on_demand_text(declaration.table, write=index)
        yield Finding(
            changing_index_key.code,
            "info",
            pattern_subject(use.pattern),
            f"it changes {' and '.join(changed)}, so the entry in index {key.index!r} is written under another key.",
            (
                f"{'at most ' if is_sparse(declaration, key) else ''}{units_text(index)} write units a second in the "
                f"index, {units_text(table)} in the table",
                f"all access patterns read {units_text(read)} units a second from the index",
                *([f"the index writes cost {cost}"] if cost else []),
            ),
            "put a coarser value into the key of the index, or leave out what changes often.",
        )
