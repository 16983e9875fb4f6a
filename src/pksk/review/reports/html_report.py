"""A review as one self-contained HTML page, to send to a colleague."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from inspect import cleandoc

import pksk
from pksk.capacity import Money
from pksk.dataclass import replace
from pksk.model.bill.key_loads import MUCH_HEADROOM, PatternLoad, headroom_text, load_data, units_text
from pksk.model.declaration import Declaration
from pksk.model.entity_key import EntityKey
from pksk.pages import Bar, Html, bar, bar_legend, diff, page, scrollable_table, share, source, tag, tiles
from pksk.review.measuring.measurement_text import HEADINGS, NUMBERS, measurement_rows, not_measured
from pksk.review.reports.text_report import position_text, summary
from pksk.review.review import Review, masked, rule_named
from pksk.review.rule import Finding

_NAMED_IN_TITLE = 4
# From here on, cents do not matter.
_LARGE = 10_000


def html_report(review: Review, *, show_values: bool = False) -> str:
    """The whole review as one page; key values of items are masked by default."""
    if not show_values:
        review = masked(review)
    names = [table.name for table in review.design.tables]
    title = f"Review of {', '.join(names) if len(names) <= _NAMED_IN_TITLE else f'{len(names)} tables'}"
    return page(
        title,
        tag("h1", title),
        tag("p", summary(review), class_="dim"),
        *_partial(review),
        _figures(review),
        *_findings(review),
        *_loads(review),
        *_measured(review),
        *_keys(review),
        *_costs(review),
        *_lists(review),
        tag("p", f"Written by pksk {pksk.__version__}.", class_="dim"),
    )


def _partial(review: Review) -> Iterator[Html]:
    if review.partial:
        title = tag("p", "Only a part could be read, so this review is not complete.", class_="strong")
        yield tag(
            "article",
            title,
            tag("ul", [tag("li", each, class_="lines") for each in review.partial]),
            class_="card warning",
        )


def _figures(review: Review) -> Html:
    errors, warnings = review.count("error"), review.count("warning")
    bill = review.design.bill
    return tiles(
        (str(errors), "error" if errors == 1 else "errors", "error" if errors else "good"),
        (str(warnings), "warning" if warnings == 1 else "warnings", "warning" if warnings else "good"),
        (str(len(review.accepted)), "accepted", ""),
        (f"{'≥ ' if bill.missing else ''}{_rounded(bill.total)}", "a month", ""),
        (str(sum(len(subjects) for _, subjects in review.not_reviewed)), "not reviewed", ""),
    )


def _rounded(money: Money) -> str:
    """An amount, without cents if it is large."""
    if money.amount < _LARGE:
        return str(money)
    return str(replace(money, amount=money.amount.quantize(Decimal(1)))).replace(".00", "")


def _findings(review: Review) -> Iterator[Html]:
    yield tag("h2", "Findings")
    if not review.findings:
        yield tag("p", "Nothing found.", class_="good strong")
    for number, finding in enumerate(review.findings, 1):
        yield _card(finding, number)


def _card(finding: Finding, number: int) -> Html:
    certain = "" if finding.certain else ", likely"
    where = position_text(finding).removesuffix(": ")
    parts = [
        tag(
            "h3",
            tag("span", f"{finding.severity}{certain}", class_=finding.severity),
            f": {finding.subject.name}",
        ),
        tag("p", tag("code", finding.rule), f" at {where}" if where else "", class_="dim"),
        tag("p", finding.sentence, class_="strong"),
    ]
    if finding.evidence:
        parts.append(tag("ul", [tag("li", each) for each in finding.evidence]))
    lines = finding.subject.lines
    if lines is not None and lines.text.strip() and finding.change is None:
        parts.append(source(cleandoc(lines.text)))
    if finding.fix:
        parts.append(tag("p", tag("span", "Fix: ", class_="good strong"), finding.fix))
    if finding.change:
        parts.append(diff(finding.change.diff, f"Fix of finding {number}, before and after"))
    rule = rule_named(finding.rule)
    if rule is not None:
        parts.append(_documentation(rule.sections["Why is this bad?"], rule.sections["Use instead"]))
    return tag("article", parts, class_=f"card {finding.severity}")


def _documentation(why: str, instead: str) -> Html:
    return tag(
        "details",
        tag("summary", "Why this is bad, and what to use instead"),
        *_paragraphs(why),
        *_paragraphs(instead),
    )


def _paragraphs(text: str) -> Iterator[Html]:
    """Paragraphs and indented code of a rule's documentation."""
    for block in text.split("\n\n"):
        if block.startswith("    "):
            yield source("\n".join(line[4:] for line in block.splitlines()))
        else:
            yield tag("p", *_with_code(" ".join(block.split())))


def _with_code(text: str) -> Iterator[str]:
    for index, piece in enumerate(text.split("`")):
        yield tag("code", piece) if index % 2 else piece


def _loads(review: Review) -> Iterator[Html]:
    loads = [each for each in review.design.loads if not each.is_open and each.load.units]
    shown = {id(each) for each in loads}
    unknown = sorted(
        {f"{each.pattern.name} on {each.name}" for each in review.design.loads if id(each) not in shown}
    )
    if not loads and not unknown:
        return
    yield tag("h2", "Load of the busiest key")
    if loads:
        yield tag(
            "p",
            "What one partition key value receives from each access pattern, against what one key can serve.",
            class_="dim",
        )
        yield bar_legend()
        ordered = sorted(loads, key=lambda each: (each.load.headroom, each.load.least_headroom))
        near = [_load(each) for each in ordered if each.load.least_headroom < MUCH_HEADROOM]
        far = [_load(each) for each in ordered if each.load.least_headroom >= MUCH_HEADROOM]
        yield from [tag("ul", near, class_="loads")] if near else []
        if far:
            text = (
                f"{len(far):,} {'load' if len(far) == 1 else 'loads'} can grow {MUCH_HEADROOM} times or more"
            )
            yield tag("details", tag("summary", text), tag("ul", far, class_="loads"))
    if unknown:
        yield tag("p", f"How calls spread over keys is not declared: {', '.join(unknown)}.", class_="dim")


def _load(each: PatternLoad) -> Html:
    load, known = each.load, load_data(each)
    low, high = units_text(load.lowest), units_text(load.highest)
    amount = low if low == high else f"{low} to {high}"
    received = f"{amount} {each.side} units a second"
    chart = Bar(
        load.lowest,
        load.highest,
        load.ceiling.units,
        bool(known["why_fixed"]),
        f"{each.pattern.name} on {each.name}: {received} of {load.ceiling.units:,}",
    )
    return tag(
        "li",
        tag(
            "p",
            tag("span", tag("b", each.pattern.name), f" on {each.name}"),
            tag("span", received),
            class_="between",
        ),
        bar(chart),
        tag(
            "p", tag("span", f"serves {load.ceiling}"), tag("span", headroom_text(each)), class_="between dim"
        ),
    )


def _measured(review: Review) -> Iterator[Html]:
    if review.design.measured is not None:
        yield tag("h2", "Measured")
        headings = [each.capitalize() for each in HEADINGS]
        rows = measurement_rows(review.design.measured)
        yield scrollable_table("What access patterns consumed", headings, rows, numbers=NUMBERS)
        yield from (tag("p", each, class_="dim") for each in not_measured(review.design.measured))


def _keys(review: Review) -> Iterator[Html]:
    yield tag("h2", "Keys")
    rows = [
        [
            f"{declaration.name}.{key.name}",
            f"{declaration.table.name}{f'/{key.index}' if key.index else ''}",
            tag("code", " + ".join(key.source.pk) or "-"),
            tag("code", " + ".join(key.source.sk) or "-"),
            _options(key),
            _used_by(review, declaration, key),
        ]
        for declaration in review.design.entities
        for key in declaration.keys.values()
    ]
    headings = ["Key", "In", "Partition key", "Sort key", "Options", "Used by"]
    yield scrollable_table("Keys", headings, rows)


def _options(key: EntityKey) -> str:
    shards = f"{key.shard.count} shards by {key.shard.of or 'chance'}" if key.shard else ""
    return ", ".join(filter(None, [shards, "sparse" if key.when is not None else ""])) or "-"


def _used_by(review: Review, declaration: Declaration, key: EntityKey) -> str:
    """The access patterns that read a table or an index, and those that write it, as far as they are known."""
    where = (declaration.table.name, key.index)
    names = dict.fromkeys(
        use.pattern.name
        for use in review.design.uses
        if any(declaration.entity in each.entities for each in use.requests)
        and where in {each[:2] for each in use.estimate.touched}
    )
    return ", ".join(names) or "-"


def _costs(review: Review) -> Iterator[Html]:
    bill = review.design.bill
    yield tag("h2", "Cost of a month")
    least = "At least " if bill.missing else ""
    yield tag("p", f"{least}{bill.total}, in {bill.region}, by the declared rates.")
    if bill.patterns:
        total = sum(each.money.amount for each in bill.patterns if each.money) or 1
        rows = [
            [
                each.name,
                "?" if each.calls_per_second is None else units_text(each.calls_per_second),
                str(each.estimate) if each.estimate.cost is not None else "?",
                "?" if each.money is None else str(each.money),
                _part(each.money, float(total), each.name),
            ]
            for each in sorted(bill.patterns, key=lambda each: -(each.money.amount if each.money else 0))
        ]
        headings = ["Access pattern", "Calls a second", "Units a call", "A month, on demand", "Share"]
        yield scrollable_table("Cost of access patterns", headings, rows, numbers=[1, 3])
    yield _index_costs(review)


def _index_costs(review: Review) -> Html:
    rows = [
        [
            each.name,
            _known(each.read_per_second),
            _known(each.write_per_second),
            str(each.requests or "?"),
            str(each.storage or "?"),
        ]
        for each in review.design.bill.indexes
    ]
    headings: Sequence[str] = (
        "Table or index",
        "Read units a second",
        "Write units a second",
        "Requests",
        "Storage",
    )
    return scrollable_table("Cost of tables and indexes", headings, rows, numbers=[1, 2, 3, 4])


def _known(units: float | None) -> str:
    return "?" if units is None else units_text(units)


def _part(money: Money | None, total: float, name: str) -> str | Html:
    if money is None:
        return ""
    part = float(money.amount) / total
    return share(part, f"{name}: {part:.0%} of the cost of all access patterns")


def _lists(review: Review) -> Iterator[Html]:
    if review.accepted:
        yield tag("h2", "Accepted")
        rows = [
            [a.finding.subject.name, tag("code", a.finding.rule), a.finding.sentence, a.reason]
            for a in review.accepted
        ]
        headings = ["Declaration", "Rule", "Finding", "Reason to accept it"]
        yield scrollable_table("Accepted findings", headings, rows)
    if review.not_reviewed:
        yield tag("h2", "Not reviewed, because the design does not declare")
        lines = [f"{figure}: {', '.join(subjects)}" for figure, subjects in review.not_reviewed]
        yield tag("ul", [tag("li", each) for each in lines])
