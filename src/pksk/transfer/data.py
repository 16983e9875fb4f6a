"""A file of items that is to be read, and what is known of it beforehand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pksk.errors import FileProblem, quote_path

from .formats import Format
from .lines import Lines, md5_of

__all__ = ["COMMA", "Data"]

COMMA: Final = ","


@dataclass(frozen=True)
class Data:
    """A file, its format, and the count and MD5 sum that a manifest has of it, where there is one."""

    path: Path
    format: Format
    items: int | None = None
    md5: str | None = None
    delimiter: str = COMMA
    header: tuple[str, ...] | None = None

    def lines(self, advance: Callable[[int], None] | None = None) -> Lines:
        """Its lines, from the beginning."""
        return Lines(self.path, advance)

    def verify(self) -> None:
        """Refuse a file that is not the one of the manifest, before any line of it is looked at."""
        if self.md5 is not None:
            self._check_sum(md5_of(self.path))

    def finish(self, lines: Lines, items: int) -> None:
        """Refuse a file that was read to its end and is not the one of the manifest."""
        self._check_sum(lines.md5)
        if self.items is not None and items != self.items:
            raise FileProblem(
                "export-count",
                f"{quote_path(str(self.path))} holds {items:,} items, and not {self.items:,}, as its manifest says.",
                expected="A file has as many items as were written to it.",
                fix="copy or download the export again.",
            )

    def _check_sum(self, found: str) -> None:
        if self.md5 is not None and found != self.md5:
            raise FileProblem(
                "export-checksum",
                f"{quote_path(str(self.path))} has the MD5 sum {found}, and not {self.md5}, as its manifest says.",
                expected="The sums of an export's files are those that were written with it.",
                fix="copy or download the export again; the file was changed or damaged.",
            )
