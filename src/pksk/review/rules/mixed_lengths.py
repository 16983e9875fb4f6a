"""The rule about ranges over codes of different lengths."""

from __future__ import annotations

from collections.abc import Iterator

from pksk.keys import Operator, Template
from pksk.keys.parts.text import TextPart
from pksk.model.entity_key import EntityKey
from pksk.review.rule import Design, Finding, rule
from pksk.review.rules.queries import key_reads
from pksk.review.source_lines import pattern_subject

# Longer texts are names rather than codes.
_LONGEST_CODE = 12


@rule("mixed-lengths")
def mixed_lengths(design: Design) -> Iterator[Finding]:
    """A range over codes of different lengths, which returns shorter and longer ones in between.

    ## What it does

    Finds queries with `between` on a text of the sort key whose type allows different lengths, of at most 12
    characters, such as the cells of a map.

    ## Why is this bad?

    Texts are compared character by character. Between "w00" and "wzz" there are not only the codes of three characters,
    but also "w1" and "w1abc". The shorter "w0" is not among them: the beginning of a text sorts before it.

    ## Example

        cell: Annotated[str, Len(2, 8)]
        primary = Key("CELLS", "{cell}")

        return cls.primary(cell=between("w00", "wzz"))

    ## Use instead

    One length for all codes of a partition, `cell: Annotated[str, Len(3, 3)]`, or the length in the partition key:
    `Key("CELLS#{level}", "{cell}")`. For all codes that begin alike, `begins("w")` says what is meant.
    """
    for read in key_reads(design):
        for name, value in read.values.items():
            if isinstance(value, Operator) and value.name == "between":
                lengths = _lengths(read.key, name)
                if lengths is not None:
                    low, high = lengths
                    yield Finding(
                        mixed_lengths.code,
                        "info",
                        pattern_subject(read.use.pattern),
                        f"its range of {name} is over texts of {low} to {high} characters, so it also returns those of "
                        "other lengths than its ends.",
                        (),
                        "give all texts of a partition one length, or put the length into the partition key.",
                    )


def _lengths(key: EntityKey, name: str) -> tuple[int, int] | None:
    """The shortest and longest text of a field in the sort key, if they differ and are short."""
    for part in key.sort:
        parts = part.writer.parts if isinstance(part.writer, Template) else ()
        for each in parts:
            if each.field == name and isinstance(each, TextPart):
                low, high = max(each.min_length, 1), each.max_length
                return (low, high) if high is not None and low < high <= _LONGEST_CODE else None
    return None
