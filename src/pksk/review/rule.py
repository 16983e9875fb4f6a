"""Rules of the review: what each is called, what it needs, its documentation, and what it finds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from inspect import cleandoc
from typing import Any, Final, Literal, TypeAlias

from pksk.dataclass import dataclass, replace
from pksk.errors import quote
from pksk.model.bill.key_loads import PatternLoad
from pksk.model.bill.month import Month, month
from pksk.model.bill.month_rows import PatternUse, pattern_uses
from pksk.model.declaration import Declaration
from pksk.model.entity_key import EntityKey
from pksk.review.change import Change
from pksk.review.measuring.measure_design import DesignMeasurement
from pksk.review.source_lines import Subject, relative_file
from pksk.review.traffic import Traffic
from pksk.schema import Table

Severity: TypeAlias = Literal["error", "warning", "info"]
SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "info")

# The sections of a rule's documentation, in this order.
SECTIONS: Final = ("What it does", "Why is this bad?", "Example", "Use instead")


@dataclass(frozen=True)
class Finding:
    """One problem of a design: what it is about, what is wrong, what shows it, and how to fix it.

    A finding that rests on an assumption is not `certain`. If its fix is mechanical, `change` is that fix. `values` are
    the key values of items that its texts name, for reports that mask them.
    """

    rule: str
    severity: Severity
    subject: Subject
    problem: str
    evidence: tuple[str, ...] = ()
    fix: str = ""
    certain: bool = True
    change: Change | None = None
    values: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The problem as a sentence of its own; it never begins with a name, which would change with its case."""
        return self.problem[:1].upper() + self.problem[1:]

    def masked(self) -> Finding:
        """The finding with numbers in place of key values: <value 1>."""
        if not self.values:
            return self
        names = {value: f"<value {number}>" for number, value in enumerate(self.values, 1)}
        names |= {quote(value)[1:-1]: name for value, name in names.items()}
        # The longest first, as one value may be part of another.
        pattern = re.compile("|".join(map(re.escape, sorted(filter(None, names), key=len, reverse=True))))

        def mask(text: str) -> str:
            return pattern.sub(lambda match: names[match[0]], text)

        evidence = tuple(map(mask, self.evidence))
        return replace(self, problem=mask(self.problem), evidence=evidence, fix=mask(self.fix), values=())

    def data(self) -> dict[str, Any]:
        """The finding as JSON can hold it."""
        lines = self.subject.lines
        return {
            "rule": self.rule,
            "severity": self.severity,
            "subject": self.subject.name,
            "file": relative_file(lines.file) if lines else None,
            "line": lines.first if lines else None,
            "problem": self.problem,
            "evidence": list(self.evidence),
            "fix": self.fix,
            "confidence": "certain" if self.certain else "likely",
            "diff": self.change.diff if self.change else None,
        }


@dataclass(frozen=True)
class Missing:
    """A figure that a rule needs, and that the design does not declare."""

    subject: str
    figure: str


Result: TypeAlias = "Finding | Missing"
Check: TypeAlias = "Callable[[Design], Iterable[Result]]"


@dataclass(frozen=True)
class Rule:
    """A rule: its code, what it needs, and the function that applies it, whose docstring documents it."""

    code: str
    check: Check
    needs: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Rule({self.code!r})"

    @cached_property
    def title(self) -> str:
        """What the rule reports, in one line."""
        return self.documentation.partition("\n")[0]

    @cached_property
    def documentation(self) -> str:
        """The whole documentation, as Markdown."""
        return cleandoc(self.check.__doc__ or "")

    @cached_property
    def sections(self) -> Mapping[str, str]:
        """The text of each section, by its heading."""
        texts: dict[str, str] = {}
        for block in self.documentation.split("\n## ")[1:]:
            heading, _, text = block.partition("\n")
            texts[heading.strip()] = text.strip()
        return texts


def rule(code: str, *needs: str) -> Callable[[Check], Rule]:
    """Make a rule of a function; `needs` are the figures without which it finds nothing."""
    return lambda check: Rule(code, check, needs)


@dataclass(frozen=True)
class Design:
    """A design under review: its tables, and what is computed from them once for all rules.

    `traffic` is what a trace has of these tables, `measured` what their access patterns consumed when they were run.
    """

    tables: tuple[Table, ...]
    traffic: Traffic | None = None
    measured: DesignMeasurement | None = None

    @cached_property
    def uses(self) -> list[PatternUse]:
        """Every access pattern with its rate and the estimate of a call."""
        return pattern_uses(self.tables)

    @cached_property
    def bill(self) -> Month:
        """What the design costs in a month."""
        return month(self.tables, uses=self.uses)

    @cached_property
    def loads(self) -> list[PatternLoad]:
        """The load of each pattern on its busiest partition keys."""
        return list(self.bill.loads)

    def following(self, convention: str) -> list[Table]:
        """The tables whose keys follow a convention; its rule reviews only those."""
        return [each for each in self.tables if convention in each.conventions]

    @property
    def entities(self) -> Iterator[Declaration]:
        """Every entity."""
        for table in self.tables:
            yield from table.entities

    @property
    def keys(self) -> Iterator[tuple[Declaration, EntityKey]]:
        """Every key of every entity; an inherited one once, for the first entity that has it."""
        seen: set[int] = set()
        for declaration in self.entities:
            for key in declaration.keys.values():
                if id(key.source) not in seen:
                    seen.add(id(key.source))
                    yield declaration, key

    def is_unclear(self, table: Table) -> bool:
        """Whether a pattern of a table has no example call that works, so that its requests are unknown."""
        return any(use.problem and use.pattern in table.patterns for use in self.uses)

    def loads_on(self, table: Table, index: str | None) -> list[PatternLoad]:
        """The loads on one table or index."""
        return [each for each in self.loads if each.declaration.table is table and each.key.index == index]
