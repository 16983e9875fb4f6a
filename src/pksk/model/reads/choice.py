"""Finds the keys that can serve a question about attributes, or says what each of them lacks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from pksk.errors import BoundsError, DesignError
from pksk.keys import Filter, Operator
from pksk.keys.annotations import declared
from pksk.keys.operators import eq
from pksk.model.entity_key import EntityKey
from pksk.model.reads.candidate import Candidate
from pksk.model.reads.key_plan import plan_key
from pksk.model.reads.pushdown import check_filter
from pksk.model.reads.vector_keys import is_vector_key

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration

__all__ = ["candidates"]


def candidates(declaration: Declaration[Any], given: Mapping[str, Any]) -> tuple[Candidate, ...]:
    """Every key that can serve the attributes; refused where there is none."""
    for name in given:
        declaration.attribute(name)
    found = []
    lacking = {}
    for key in declaration.keys.values():
        candidate = _candidate(declaration, key, given)
        if isinstance(candidate, str):
            lacking[key.name] = candidate
        else:
            found.append(candidate)
    if not found:
        _refuse(declaration, given, lacking)
    return tuple(found)


def _candidate(declaration: Declaration[Any], key: EntityKey, given: Mapping[str, Any]) -> Candidate | str:
    """The way through one key, or what it lacks in words."""
    if is_vector_key(declaration, key):
        return f"it is a vector index, which {declaration.name}.{key.name}.nearest(...) searches"
    needed = key.partition_fields
    missing = [field for field in needed if field not in given]
    if missing:
        return f"its partition needs {', '.join(map(repr, missing))}"
    none = [field for field in key.fields if field in given and _is_none(given[field])]
    if none:
        return f"it holds no items without {', '.join(map(repr, none))}"
    sparse = _sparse(declaration, key, given)
    if sparse:
        return sparse
    sort_fields = _leading_sort_fields(key, given)
    problem = f"it begins with {key.fields[0]!r}, which is not given" if key.fields else "it has no parts"
    # Where an operator does not fit a part of the key, the part is left to a filter.
    for count in range(len(sort_fields), -1, -1):
        asked = {name: given[name] for name in (*needed, *sort_fields[:count])}
        if not asked:
            break
        try:
            keys = plan_key(key, asked, f"{declaration.name}.{key.name}")
        except BoundsError as error:
            problem = error.problem
        else:
            rest = _rest(given, asked)
            for each in rest:
                check_filter(declaration, f"{declaration.name}.where", each)
            return Candidate(key.name, declaration.table.index(key.index), keys, rest)
    return problem


def _is_none(value: Any) -> bool:
    return value is None or (isinstance(value, Operator) and None in value.operands)


def _sparse(declaration: Declaration[Any], key: EntityKey, given: Mapping[str, Any]) -> str:
    """Why the index may lack rows that the question is about, if it may."""
    if key.index is None:
        return ""
    if key.when is not None:
        return "it holds only the items that its when= lets in"
    optional = [
        name
        for name in key.fields
        if name not in given and declared(declaration.fields[name].annotation).optional
    ]
    return f"it lacks the items without {', '.join(map(repr, optional))}" if optional else ""


def _rest(given: Mapping[str, Any], asked: Mapping[str, Any]) -> tuple[Filter, ...]:
    return tuple(
        Filter(name, value if isinstance(value, Operator) else eq(value))
        for name, value in given.items()
        if name not in asked
    )


def _leading_sort_fields(key: EntityKey, given: Mapping[str, Any]) -> list[str]:
    """The fields of the sort key that are given without a gap, up to the first operator."""
    found: list[str] = []
    for part in key.sort:
        for field in part.fields:
            if field in key.partition_fields or field in found:
                continue
            if field not in given:
                return found
            found.append(field)
            if isinstance(given[field], Operator) and given[field].name != "eq":
                return found
    return found


def _refuse(declaration: Declaration[Any], given: Mapping[str, Any], lacking: Mapping[str, str]) -> NoReturn:
    asked = ", ".join(given) or "nothing"
    ways = "; ".join(f"{_place(declaration.keys[name])}: {reason}" for name, reason in lacking.items())
    raise DesignError(
        "where-no-index",
        f"{declaration.name}.where: no key serves a question about {asked}.",
        expected=f"{ways}.",
        fix=f"give what a key lacks, or add a key that serves it: {_key_for(given)}; to read everything, use scan()."
        if given
        else f"name attributes, or use {declaration.name}.scan() to read everything.",
    )


def _place(key: EntityKey) -> str:
    return f"{key.name} ({'the table' if key.index is None else f'index {key.index!r}'})"


def _key_for(given: Mapping[str, Any]) -> str:
    """The key that would serve the question: equal values in the partition, the range in the sort key."""
    ranged = [name for name, value in given.items() if isinstance(value, Operator) and value.name != "eq"]
    equal = [name for name in given if name not in ranged]
    partition = "#".join(f"{{{name}}}" for name in equal) or "ALL"
    sort = "#".join(f"{{{name}}}" for name in ranged)
    texts = f'"{partition}", "{sort}"' if sort else f'"{partition}"'
    return f'Key({texts}, index="...")'
