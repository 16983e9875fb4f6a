"""Reviews a design: applies every rule, and sorts what they find."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import groupby
from typing import Any

from pksk.dataclass import dataclass, replace
from pksk.review.measuring.measure_design import DesignMeasurement
from pksk.review.rule import SEVERITIES, Design, Finding, Missing, Rule, Severity
from pksk.review.rules import RULES
from pksk.review.source_lines import accepted_reason
from pksk.review.traffic import Traffic
from pksk.schema import Table


@dataclass(frozen=True)
class Accepted:
    """A finding that a comment beside the declaration accepts, with the reason given there; or one of a baseline."""

    finding: Finding
    reason: str
    in_source: bool = True


@dataclass(frozen=True)
class Review:
    """What the rules found, what authors accept, and what could not be reviewed for lack of figures.

    `unread` is about designs that belong to the system, and could not be read.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> shop = Table("shop")
        >>> class User(Entity, table=shop):
        ...     user_id: str
        ...     primary = Key("USER", "{user_id}")
        >>> found = review(shop)
        >>> [(each.severity, each.rule, each.subject.name) for each in found.findings]
        [('warning', 'constant-partition-key', 'User.primary')]
    """

    design: Design
    findings: tuple[Finding, ...]
    accepted: tuple[Accepted, ...] = ()
    missing: tuple[Missing, ...] = ()
    unread: tuple[str, ...] = ()

    def count(self, severity: Severity) -> int:
        """How many findings have this severity."""
        return sum(each.severity == severity for each in self.findings)

    @cached_property
    def not_reviewed(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Each missing figure with the declarations that lack it."""
        ordered = sorted(set(self.missing), key=lambda each: (each.figure, each.subject))
        return tuple(
            (figure, tuple(each.subject for each in group))
            for figure, group in groupby(ordered, key=lambda each: each.figure)
        )

    @property
    def partial(self) -> tuple[str, ...]:
        """What could not be read: designs, and lines of a trace."""
        return (*self.unread, *(self.design.traffic.partial if self.design.traffic else ()))

    def fails(self, at: Severity = "error") -> bool:
        """Whether there is a finding of this severity or a worse one."""
        worse = SEVERITIES[: SEVERITIES.index(at) + 1]
        return any(each.severity in worse for each in self.findings)

    def data(self) -> dict[str, Any]:
        """The review as JSON can hold it."""
        return {
            "tables": [table.name for table in self.design.tables],
            "findings": [each.data() for each in self.findings],
            "accepted": [{**each.finding.data(), "reason": each.reason} for each in self.accepted],
            "not_reviewed": [
                {"figure": figure, "declarations": list(subjects)} for figure, subjects in self.not_reviewed
            ],
            "partial": list(self.partial),
            **({"measured": self.design.measured.data()} if self.design.measured else {}),
            **({"traffic": self.design.traffic.data()} if self.design.traffic else {}),
            "cost": self.design.bill.data(),
            "counts": {severity: self.count(severity) for severity in SEVERITIES},
        }


def review(
    *tables: Table,
    rules: Sequence[Rule] | None = None,
    traffic: Traffic | None = None,
    measured: DesignMeasurement | None = None,
) -> Review:
    """Review the design of some tables as one system, by these rules or by all.

    `traffic` is a trace, read by `read_traffic`; `measured` is what `measure_design` measured.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> shop = Table("shop")
        >>> class User(Entity, table=shop):
        ...     user_id: str
        ...     primary = Key("USER#{user_id}", "PROFILE")
        >>> review(shop).findings
        ()
    """
    design = Design(tuple(dict.fromkeys(tables)), traffic, measured)
    results = [(each, result) for each in rules or RULES for result in each.check(design)]
    findings = [_with_measurement(design, result) for _, result in results if isinstance(result, Finding)]
    missing = [result for _, result in results if isinstance(result, Missing)]
    missing += [Missing(use.pattern.name, _no_example(use.problem)) for use in design.uses if use.problem]
    findings = [_without_reason(each) if _reason(each) == "" else each for each in findings]
    accepted = {id(each): reason for each in findings if (reason := _reason(each))}
    return Review(
        design,
        tuple(sorted((each for each in findings if id(each) not in accepted), key=_order)),
        tuple(Accepted(each, accepted[id(each)]) for each in findings if id(each) in accepted),
        tuple(dict.fromkeys(missing)),
    )


def _no_example(problem: str) -> str:
    """What a pattern lacks of which nothing is known, as its example call fails."""
    first_line = problem.removeprefix("needs example: ").partition("\n")[0]
    return f"an example call that works (example=), as this one does not: {first_line.rstrip('.:')}"


def _with_measurement(design: Design, finding: Finding) -> Finding:
    """The finding with what was measured of the access patterns that it is about, or that its evidence begins with."""
    if design.measured is None:
        return finding
    patterns = {line.partition(": ")[0] for line in finding.evidence} | {finding.subject.name}
    measurements = filter(None, map(design.measured.of, sorted(patterns)))
    return replace(finding, evidence=(*finding.evidence, *(each.text for each in measurements)))


def _without_reason(finding: Finding) -> Finding:
    """A finding that a comment accepts without saying why, which is not enough."""
    note = f"a comment accepts this without a reason: write # pksk: accept {finding.rule}: the reason"
    return replace(finding, evidence=(*finding.evidence, note))


def _reason(finding: Finding) -> str | None:
    lines = finding.subject.lines
    return None if lines is None else accepted_reason(lines, finding.rule)


def _order(finding: Finding) -> tuple[int, str, int, str, str]:
    lines = finding.subject.lines
    position = (lines.file, lines.first) if lines else ("", 0)
    return (SEVERITIES.index(finding.severity), *position, finding.subject.name, finding.rule)


def masked(review: Review) -> Review:
    """The review without key values of items, to be shown to others."""
    findings = tuple(each.masked() for each in review.findings)
    accepted = tuple(replace(each, finding=each.finding.masked()) for each in review.accepted)
    return replace(review, findings=findings, accepted=accepted)


def rule_named(code: str) -> Rule | None:
    """The rule with this code, if there is one.

    Example:
        >>> rule_named("scan").title
        'An access pattern that scans: every call reads a whole table or index.'
    """
    return next((each for each in RULES if each.code == code), None)
