"""The rule about times without a zone in keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pksk.keys import Template
from pksk.keys.parts.times import DatetimePart
from pksk.review.rule import Design, Finding, rule
from pksk.review.rules.queries import KeyRead, is_range, key_reads
from pksk.review.source_lines import key_subject


@rule("local-time-in-key", "access patterns that read (@access)")
def local_time_in_key(design: Design) -> Iterator[Finding]:
    """A query for the newest or oldest items by a time without a zone: an hour comes twice a year.

    ## What it does

    Finds queries with `limit()` or `reverse()` on a sort key that goes on with a time of day without a zone
    (`NaiveDatetime`). Days and longer periods are not reported.

    ## Why is this bad?

    When clocks are set back, an hour comes twice, and the items of both are mixed: the newest item is not the last one.
    If nothing else tells the items of a partition apart, one can replace another. Nor can such times be compared
    between places.

    ## Example

        at: NaiveDatetime
        primary = Key("{user}", "{at:%Y-%m-%dT%H:%M}")

        return cls.primary(user=user).reverse().limit(10)

    ## Use instead

    `AwareDatetime`, which keys hold in UTC. If people think in local days, add a `date` for the day. If the times are
    in UTC although their type does not say so, or of a place that never changes its clocks, accept the finding.
    """
    reads_by_field: dict[tuple[str, str], list[KeyRead]] = {}
    for read in key_reads(design):
        name = _first_sorted(read)
        if name and (read.query.descending or read.query.max_results is not None):
            reads_by_field.setdefault((read.declaration.name, name), []).append(read)
    for (_, name), reads in reads_by_field.items():
        yield _finding(name, reads)


def _first_sorted(read: KeyRead) -> str:
    """The local time by which the items of a query are sorted first; empty if it is something else."""
    for part in read.key.sort:
        for each in part.writer.parts if isinstance(part.writer, Template) else ():
            if each.field not in read.values or is_range(read.values[each.field]):
                is_local = isinstance(each, DatetimePart) and not each.in_utc and each.spec.has_clock
                return each.field if is_local else ""
    return ""


def _finding(name: str, reads: Sequence[KeyRead]) -> Finding:
    patterns = dict.fromkeys(read.use.pattern.name for read in reads)
    return Finding(
        local_time_in_key.code,
        "info",
        key_subject(reads[0].declaration, reads[0].key),
        f"field {name!r} has no time zone: where clocks are set back, an hour comes twice a year, and "
        f"{' and '.join(patterns)} mixes its items.",
        (),
        "declare it as AwareDatetime, which keys hold in UTC.",
    )
