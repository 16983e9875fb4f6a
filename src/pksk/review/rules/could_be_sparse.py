"""The rule about indexes that hold all items, and whose access patterns read one value only."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from inspect import Parameter
from typing import Any
from uuid import UUID

from pksk.keys import Operator
from pksk.keys.parts.part_types import field_type
from pksk.model.cost.item_sizes import is_sparse
from pksk.model.declaration import Declaration
from pksk.model.entity_key import EntityKey
from pksk.model.patterns.pattern import Pattern
from pksk.model.storing.attributes import value_count
from pksk.review.change import Change
from pksk.review.rule import Design, Finding, Result, rule
from pksk.review.rules.changes import own_attribute, set_key_condition
from pksk.review.rules.queries import KeyRead, key_reads
from pksk.review.source_lines import key_subject

# Types of arguments that do not choose one of a few values.
_PLAIN = (str, int, Decimal, date, datetime, UUID)


@rule("could-be-sparse", "access patterns that read (@access)")
def could_be_sparse(design: Design) -> Iterator[Result]:
    """An index that holds all items, and whose access patterns read one value only.

    ## What it does

    Finds keys whose partition key has a field with few values (bool, Enum or Literal), where every query asks for the
    same value of it, whatever its arguments.

    ## Why is this bad?

    The items with other values are written to the index and stored there, and nobody reads them. An index is sparse if
    items without its key attributes are not in it: it then costs what the wanted items cost.

    ## Example

        by_status = Key("{status}", "{day}", index="by-status")

        return cls.by_status(status="open")

    ## Use instead

        by_status = Key("{status}", "{day}", index="by-status", when=F.status == "open")
    """
    reads: dict[int, list[KeyRead]] = {}
    for read in key_reads(design):
        reads.setdefault(id(read.key.source), []).append(read)
    for declaration, key in design.keys:
        is_global = declaration.table.index(key.index).kind == "gsi"
        # A pattern without a known call may ask for another value.
        is_clear = not design.is_unclear(declaration.table)
        if is_global and id(key.source) in reads and is_clear and not is_sparse(declaration, key):
            yield from _check(declaration, key, reads[id(key.source)])


def _check(declaration: Declaration, key: EntityKey, reads: Sequence[KeyRead]) -> Iterator[Finding]:
    for name in key.partition_fields:
        count = value_count(declaration.fields[name])
        values = {_plain(read.values.get(name)) for read in reads}
        if not count or count < 2 or len(values) != 1 or isinstance(next(iter(values)), Operator):
            continue
        if any(_may_vary(read.use.pattern, declaration, name) for read in reads):
            continue
        (value,) = values
        patterns = dict.fromkeys(read.use.pattern.name for read in reads)
        yield Finding(
            could_be_sparse.code,
            "warning",
            key_subject(declaration, key),
            f"the index has items with every value of {name}, and all queries ask for {_text(value)}.",
            tuple(f"{each} asks for {name}={_text(value)}" for each in patterns),
            f"{own_attribute(declaration, key)}keep only those in the index: when=F.{name} == {_text(value)}.",
            certain=False,
            change=_change(declaration, key, name, value),
        )


def _change(declaration: Declaration, key: EntityKey, name: str, value: Any) -> Change | None:
    """The condition of a text, a number or a flag; the module may have another name for a member of an Enum."""
    if isinstance(value, Enum):
        return None
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
    return set_key_condition(declaration, key, f"F.{name} == {text}")


def _plain(value: Any) -> Any:
    is_equality = isinstance(value, Operator) and value.name == "eq"
    return value.operands[0] if is_equality else value


def _text(value: Any) -> str:
    return f"{type(value).__name__}.{value.name}" if isinstance(value, Enum) else repr(value)


def _may_vary(pattern: Pattern, declaration: Declaration, name: str) -> bool:
    """Whether an argument of a pattern may decide the value of a field: all may but plain ones of another type."""
    kind = field_type(declaration.fields[name].annotation).type
    for parameter, described in pattern.parameters.items():
        argument_type = field_type(pattern.annotations.get(parameter, Any)).type
        is_open = described.kind in (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL)
        if parameter == name or is_open or argument_type == kind or argument_type not in _PLAIN:
            return True
    return False
