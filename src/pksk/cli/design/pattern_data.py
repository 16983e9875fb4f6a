"""Gathers the access patterns of a design as plain data: each with its plan and its likely cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from pksk.model.cost import estimate
from pksk.model.explanation import Explanation, explained
from pksk.model.patterns.pattern import Pattern

if TYPE_CHECKING:
    from pksk.model.entity import Entity
    from pksk.schema import Table

__all__ = ["pattern_data", "patterns_of"]


def patterns_of(tables: Iterable[Table], only: type[Entity] | None = None) -> list[Pattern]:
    """The patterns of some tables, each once, in the order of their declaration."""
    found = {id(each): each for table in tables for each in table.patterns}
    return [each for each in found.values() if only is None or each.entity is only]


def pattern_data(pattern: Pattern) -> dict[str, Any]:
    """One pattern: what it is, how an example call of it is answered, and what that costs."""
    outcome = pattern.outcome()
    told = [explained(request, pattern.declared) for request in outcome.requests]
    likely = estimate(outcome.requests, pattern.declared) if not outcome.problem else None
    indexes = [each.plan.index for each in outcome.requests if each.kind in ("query", "scan", "nearest")]
    notes = [note for each in told for note in each.notes]
    return {
        "name": pattern.name,
        "entity": pattern.entity.__name__ if pattern.entity else None,
        "kind": pattern.kind,
        "doc": pattern.description,
        "rate": pattern.declared.calls_per_second(pattern.name),
        "index": indexes[0] if indexes else None,
        "example": {name: str(value) for name, value in outcome.arguments.items()},
        "plan": list(_plan_lines(told)),
        "requests": [sent for each in told for sent in each.data()["requests"]],
        "estimate": likely.data() if likely else None,
        "notes": list(dict.fromkeys(notes)),
        "problem": outcome.problem or None,
    }


def _plan_lines(told: Iterable[Explanation]) -> Iterator[str]:
    for each in told:
        yield each.title
        yield from (f"  {label}: {text}" for label, text in (*each.request_lines(), *each.afterwards()))
