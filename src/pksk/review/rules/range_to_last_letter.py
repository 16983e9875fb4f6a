"""The rule about ranges that end at a last character, where a prefix is meant."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pksk.keys import Operator
from pksk.review.rule import Design, Finding, rule
from pksk.review.rules.queries import key_reads
from pksk.review.source_lines import pattern_subject

_LETTER = re.compile(r"[zZ]+")
_LAST = re.compile(r"[zZ]+|[{|}~]+|[\u00ff\u07ff\uffff\ufffd]+")


@rule("range-to-last-letter")
def range_to_last_letter(design: Design) -> Iterator[Finding]:
    """A range that ends at "z" or another last character, where a prefix is meant.

    ## What it does

    Finds queries with `between(start, start + "z")` on a text: a warning. With "~" or a late character of Unicode in
    place of "z" it is a remark, as fewer texts go on with a later one.

    ## Why is this bad?

    A longer text comes after a shorter one that it begins with: "Anzac" is not between "An" and "Anz". And there are
    characters after "z": nor is "Anémone" between them. The query returns no error, and lacks some items.

    ## Example

        return cls.primary(country=country, name=between(start, start + "z"))

    ## Use instead

        return cls.primary(country=country, name=begins(start))
    """
    for read in key_reads(design):
        for name, value in read.values.items():
            if isinstance(value, Operator) and value.name == "between" and _is_prefix(*value.operands):
                start, end = value.operands
                yield Finding(
                    range_to_last_letter.code,
                    "warning" if _LETTER.fullmatch(end[len(start) :]) else "info",
                    pattern_subject(read.use.pattern),
                    f"its range of {name} ends with {end[len(start) :]!r}, and other texts that begin as it does come "
                    "later.",
                    (),
                    f"ask for the beginning: {name}=begins(...).",
                )


def _is_prefix(start: object, end: object) -> bool:
    """Whether a range is from a text to the same text with a last character."""
    return (
        isinstance(start, str)
        and isinstance(end, str)
        and end.startswith(start)
        and _LAST.fullmatch(end[len(start) :]) is not None
    )
