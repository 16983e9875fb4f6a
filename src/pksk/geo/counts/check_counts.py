"""Checks a declaration of counts, and finds the field with the cell and the folds of the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, NoReturn, TypeAlias

from pksk.errors import DesignError, did_you_mean, quote
from pksk.geo.counts.cell_tree import CellTree, tree_of
from pksk.geo.counts.count_plan import CountPlan
from pksk.geo.counts.fold import Fold, FoldKind
from pksk.model import Entity, Version
from pksk.model.declaration import Declaration
from pksk.model.forward_references import complete_entity

# One field, several, or fields of the cell with the fields of the items in it.
Fields: TypeAlias = "str | Iterable[str] | Mapping[str, str]"
_NUMBERS = (int, float, Decimal)


def make_plan(entity: Any, of: Any, fields: Mapping[FoldKind, Fields]) -> CountPlan:
    """The plan of a declaration; raises an error if it cannot be computed."""
    own = _declaration("the entity of the cells", entity)
    cell, tree = _cell_field(own)
    if not own.marked(Version):
        _reject(
            "counts-version",
            f"{own.name} has no version, without which two workers could overwrite each other's counts.",
            "declare version: Annotated[int, Version()] = 0.",
        )
    plan = CountPlan(
        own.entity,
        cell,
        tuple(each for each in own.primary.fields if each != cell),
        tree,
        _folds(own, fields),
    )
    alone = next((each for each in plan.folds if each.kind == "count" or each.source != each.target), None)
    if of is None and alone is not None:
        _reject(
            "counts-source",
            f"CellCounts({own.name}): {quote(alone.target)} is to come from items, and there is no entity of items.",
            "name it with of=..., or add up a field of the cells themselves: add=...",
        )
    if of is None and len(tree.levels) < 2:
        _reject(
            "counts-cell",
            f"{own.name}.{cell} has one level, and so no parents to compute.",
            "declare several levels, as in CellLevel(3, 8), or count items of an entity with of=...",
        )
    _check_new_cells(own, plan)
    return plan if of is None else _with_source(plan, _declaration("of", of))


def _declaration(what: str, entity: Any) -> Declaration:
    if not (isinstance(entity, type) and issubclass(entity, Entity)) or entity is Entity:
        _reject(
            "counts-cell",
            f"{what} is {quote(entity)}, which is not an entity.",
            "pass a class: CellCounts(Cell, ...).",
        )
    declaration: Declaration = complete_entity(entity).__pksk__
    return declaration


def _cell_field(own: Declaration) -> tuple[str, CellTree]:
    """The field of the primary key that is a cell."""
    key, fields = own.primary, own.entity.__pydantic_fields__
    trees = {name: tree_of(fields[name].metadata) for name in key.fields if name in fields}
    found = [(name, tree) for name, tree in trees.items() if tree is not None]
    problem = f"{len(found) or 'no'} fields that are cells" if len(found) != 1 else ""
    if key.shard is not None:
        problem = "a shard"
    if problem:
        _reject(
            "counts-cell",
            f"The primary key of {own.name} has {problem}.",
            "declare one field of the key as a cell, as in cell: Annotated[str, CellLevel(3, 8)], without shards.",
        )
    return found[0]


def _folds(own: Declaration, fields: Mapping[FoldKind, Fields]) -> tuple[Fold, ...]:
    folds = [
        Fold(kind, target, source, _default(own, kind, target))
        for kind, some in fields.items()
        for target, source in _pairs(some)
    ]
    targets = [each.target for each in folds]
    twice = next((each for each in targets if targets.count(each) > 1), "")
    if twice or not folds:
        _reject(
            "counts-field",
            f"CellCounts({own.name}): {f'{quote(twice)} is named twice' if twice else 'no field is named'}.",
            'name each field once: CellCounts(Cell, add=["reports"], maximum=["newest"]).',
        )
    return tuple(folds)


def _pairs(fields: Fields) -> Iterable[tuple[str, str]]:
    if isinstance(fields, Mapping):
        return fields.items()
    names = (fields,) if isinstance(fields, str) else tuple(fields)
    return ((each, each) for each in names if each)


def _default(own: Declaration, kind: FoldKind, name: str) -> Any:
    """The value of a field in an empty cell, which is its default."""
    field = own.fields.get(name)
    where = f"CellCounts({own.name}, {kind}={quote(name)})"
    kept = {*own.primary.fields, *(each for each, _ in own.marked(Version))}
    if field is None or field.computed or name in kept:
        near = did_you_mean(name, [each for each in own.fields if each not in kept])
        _reject(
            "counts-field",
            f"{where}: {own.name} has no such field that can be computed.",
            f"did you mean {near!r}?" if near else "name a stored field that is not in the primary key.",
        )
    if kind in ("count", "add"):
        if (
            field.required
            or isinstance(field.default, bool)
            or not isinstance(field.default, _NUMBERS)
            or field.default != 0
        ):
            _reject(
                "counts-field",
                f"{where}: the field has the default {quote(field.default)}.",
                f"declare a number that is 0 in an empty cell: {name}: int = 0.",
            )
    elif field.required or field.default is not None:
        _reject(
            "counts-field",
            f"{where}: the field has no default of None.",
            f"declare one that is None in an empty cell: {name}: int | None = None.",
        )
    return field.default


def _check_new_cells(own: Declaration, plan: CountPlan) -> None:
    """Raise if a cell cannot be created, because other fields need values."""
    known = {*own.primary.fields, *plan.empty}
    needed = [
        name for name, each in own.fields.items() if each.required and not each.computed and name not in known
    ]
    if needed:
        _reject(
            "counts-field",
            f"CellCounts({own.name}): a new cell would have no value for {', '.join(map(quote, needed))}.",
            "give these fields defaults, or name them in add=, minimum= or maximum=.",
        )


def _with_source(plan: CountPlan, source: Declaration) -> CountPlan:
    """The plan with the entity whose items are counted; raises if a cell's items are not one range of keys."""
    name, tree = _cell_field(source)
    cells = plan.entity.__name__
    if tree.levels != plan.tree.levels[-1:] or type(tree) is not type(plan.tree):
        _reject(
            "counts-source",
            f"{source.name}.{name} has cells of {tree!r}, and the smallest level of {cells} is {plan.smallest}.",
            f"declare a cell of level {plan.smallest} and of the same kind in {source.name}.",
        )
    lacking = [each for each in plan.scope if each not in source.primary.fields]
    unknown = [
        each.source for each in plan.folds if each.kind != "count" and each.source not in source.fields
    ]
    if lacking or unknown:
        field = quote((lacking or unknown)[0])
        _reject(
            "counts-source",
            f"{source.name} has no field {field}{' in its primary key' if lacking else ''}, which {cells} needs.",
            'give it the other fields in the key of the cells; name fields to add as in add={"total": "amount"}.',
        )
    _check_range(plan, source, name)
    return CountPlan(plan.entity, plan.cell, plan.scope, plan.tree, plan.folds, source.entity, name)


def _check_range(plan: CountPlan, source: Declaration, cell: str) -> None:
    """Raise unless the items of one cell are at the start of the keys of one partition."""
    fixed = {*plan.scope, cell}
    partition, *sort = source.primary.parts
    after = [name in fixed for part in sort for name in part.fields]
    # Fields of the cell after another one would leave gaps in its range.
    if not fixed.issuperset(partition.fields) or after != sorted(after, reverse=True):
        _reject(
            "counts-source",
            f"The items of {source.name} in one cell are not one range of its primary key.",
            f'put the cell before the other fields, as in Key("R#{{{cell}[:-3]}}", "{{{cell}[-3:]}}#{{id}}").',
        )


def _reject(code: str, problem: str, fix: str) -> NoReturn:
    raise DesignError(code, problem, fix=fix)
