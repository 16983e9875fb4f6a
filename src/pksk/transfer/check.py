"""The reading of all files of an import before anything is written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from pksk.errors import FileProblem
from pksk.values import WireItem, item_size

from .csv_rows import read_csv
from .data import Data
from .definition import Definition
from .imported import MOST_TOLD, Skipped
from .json_lines import read_json
from .key_rules import KeyRules
from .lines import Lines
from .progress import Progress, Step, Tell
from .source import Source
from .vector_rules import VectorRules

__all__ = ["Check", "Reading"]


class Reading:
    """One pass over the files of a source, for the items that a table can hold.

    `again` is for the second pass over files that have nothing wrong in them.
    """

    def __init__(
        self, source: Source, definition: Definition, step: Step, tell: Tell, *, again: bool = False
    ) -> None:
        self.source = source
        self._types = definition.types
        self._rules, self._vectors = KeyRules(definition), VectorRules(definition)
        self._step, self._tell, self._again = step, tell, again
        self._total, self._before, self._told = source.size_bytes, 0, 0
        # The MD5 sum of each file that was read to its end.
        self.sums: list[str] = []

    def __iter__(self) -> Iterator[tuple[int, WireItem, tuple[str, ...]] | Skipped]:
        """Each item with its line and key, or what is wrong with the line."""
        for data in self.source.files:
            lines, count = data.lines(self._advance), 0
            for number, item in self._rows(data, lines):
                count += 1
                yield self._fitting(number, item, lines)
            data.finish(lines, count)
            self.sums.append(lines.md5)
            self._before += data.path.stat().st_size
        self._tell(Progress(self._step, self._total, self._total))

    def _rows(self, data: Data, lines: Lines) -> Iterator[tuple[int, WireItem | FileProblem]]:
        if data.format == "csv":
            return read_csv(data, lines, self._types)
        return read_json(lines, again=self._again)

    def _fitting(
        self, number: int, item: WireItem | FileProblem, lines: Lines
    ) -> tuple[int, WireItem, tuple[str, ...]] | Skipped:
        if isinstance(item, FileProblem):
            return Skipped(number, item)
        try:
            where = f"{lines.label}, line {number}"
            self._vectors.check(item, where)
            return number, item, self._rules.key(item, where)
        except FileProblem as problem:
            return Skipped(number, problem)

    def _advance(self, read_bytes: int) -> None:
        done = self._before + read_bytes
        if done - self._told >= 1 << 16:  # not with each line
            self._told = done
            self._tell(Progress(self._step, done, self._total))


@dataclass
class Check:
    """What a pass over all files has found."""

    items: int = 0
    size_bytes: int = 0
    skipped: int = 0
    problems: list[Skipped] = field(default_factory=list)
    sums: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, reading: Reading, *, skip_bad: bool) -> Check:
        """Read all files; the first line that is wrong ends it, unless those are to be skipped."""
        found = cls()
        for data in reading.source.files:
            data.verify()
        for row in reading:
            if not isinstance(row, Skipped):
                found.items += 1
                found.size_bytes += item_size(row[1])
            elif skip_bad:
                found.skipped += 1
                found.problems += [row] if len(found.problems) < MOST_TOLD else []
            else:
                raise row.problem
        if not (found.items or found.skipped or reading.source.may_be_empty):
            _refuse_empty(reading.source)
        found.sums = reading.sums
        return found


def _refuse_empty(source: Source) -> None:
    raise FileProblem(
        "file-empty",
        f"{source.path}: there is no item in it.",
        expected="A file of items has one item a line.",
        fix="check that the file was written to its end, and that it is the right one.",
    )
