"""Puts an access pattern into words: what it is, how it is answered, and what it costs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

__all__ = ["call_units", "counted", "facts", "number", "pattern_name", "plan_lines", "summary"]


def pattern_name(pattern: dict[str, Any]) -> str:
    """The name of a pattern, with its entity where it belongs to one.

    Example:
        >>> pattern_name({"name": "of_customer", "entity": "Order"})
        'Order.of_customer'
    """
    name, entity = pattern["name"], pattern.get("entity")
    return name if not entity or "." in name else f"{entity}.{name}"


def summary(pattern: dict[str, Any]) -> str:
    """What a pattern is, in a few words.

    Example:
        >>> summary({"kind": "query", "index": "by-day", "rate": 5})
        'query on by-day, 5 calls a second'
        >>> summary({"kind": "query", "index": None, "rate": 1, "problem": "needs example: ..."})
        'query, 1 call a second'
    """
    rate = pattern.get("rate")
    calls = "rate not declared" if rate is None else f"{counted(rate, 'call')} a second"
    # Where a pattern that was not planned would read is not known.
    place = "" if pattern.get("problem") else f" on {pattern.get('index') or 'the table'}"
    return f"{pattern['kind']}{place}, {calls}"


def facts(pattern: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """All else about a pattern, each line with its label, which later lines of one thing leave empty."""
    for line in (pattern.get("doc") or "").strip().splitlines()[:1]:
        yield "about", line
    yield from _labelled("problem", _lines(pattern.get("problem")))
    yield from _labelled("plan", plan_lines(pattern))
    yield from _estimate(pattern.get("estimate"))
    yield from _labelled("notes", list(pattern.get("notes") or ()))


def plan_lines(pattern: dict[str, Any]) -> list[str]:
    r"""The plan, line by line.

    Example:
        >>> plan_lines({"plan": "Query orders\n  pk = 'A'"})
        ['Query orders', "  pk = 'A'"]
    """
    return _lines(pattern.get("plan"))


def _lines(text: str | list[str] | None) -> list[str]:
    return (text or "").splitlines() if isinstance(text, str) or text is None else list(text)


def _labelled(label: str, lines: list[str]) -> Iterator[tuple[str, str]]:
    for index, line in enumerate(lines):
        yield ("" if index else label), line


def _estimate(estimate: dict[str, Any] | None) -> Iterator[tuple[str, str]]:
    if estimate is None:
        return
    told = [(estimate[kind], f"{kind} unit") for kind in ("read", "write") if estimate.get(kind)]
    unknown = all(estimate.get(kind) is None for kind in ("read", "write"))
    if told or not unknown:
        searched = [_searches(each) for each in estimate.get("vector_searches", ())]
        units = [counted(*each) for each in told]
        yield "estimate", f"{' and '.join([*units, *searched]) or 'no units'} a call"
    yield from _labelled("assumes", list(estimate.get("assumptions") or ()))
    if estimate.get("missing"):
        yield "missing", ", ".join(estimate["missing"])


def _searches(each: dict[str, Any]) -> str:
    count = number(each["searches"])
    return f"a search of {each['index']}" if count == "1" else f"{count} searches of {each['index']}"


def call_units(estimate: dict[str, Any] | None, kind: str) -> str:
    """The estimated units of one call; empty where they are not known, which is not zero.

    Example:
        >>> call_units({"read": 2.5, "write": None}, "read"), call_units({"read": 2.5, "write": None}, "write")
        ('2.5', '')
    """
    units = (estimate or {}).get(kind)
    return "" if units is None else number(units)


def counted(value: float, thing: str) -> str:
    """So many of something.

    Example:
        >>> counted(1, "call"), counted(0.5, "call")
        ('1 call', '0.5 calls')
    """
    text = number(value)
    return f"{text} {thing}" if text == "1" else f"{text} {thing}s"


def number(value: float) -> str:
    """A number without digits that say nothing.

    Example:
        >>> number(12000.0), number(0.5), number(1 / 3)
        ('12,000', '0.5', '0.33')
    """
    if value and abs(value) < 0.01:
        return f"{value:.2g}"
    return f"{value:,.2f}".rstrip("0").rstrip(".")
