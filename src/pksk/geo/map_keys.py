"""How cells are in keys, found from keys of items and proved on each of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pksk.geo.map_page import MapKeys


class _Candidate(NamedTuple):
    """The texts around a prefix in the partition key and before a suffix in the sort key, and where a cell is cut."""

    before: str
    after: str
    start: str
    suffix: int
    beyond: int

    def fits(self, partition: str, sort: str, cell: str) -> bool:
        """Whether the key of an item has its cell like this."""
        end = len(cell) - self.beyond
        prefix, suffix = cell[: max(end - self.suffix, 0)], cell[max(end - self.suffix, 0) : end]
        return (
            len(suffix) == self.suffix
            and partition == f"{self.before}{prefix}{self.after}"
            and sort.startswith(self.start + suffix)
        )


class KeyCandidates:
    """The ways in which the cells of all items so far can be in their keys.

    Example:
        >>> found = KeyCandidates()
        >>> found.add("ShCe#gcpjf", "y6d", "gcpjfy6d")
        >>> found.add("ShCe#", "gcp", "gcp")
        >>> found.keys(("pk", "sk"))
        MapKeys(names=('pk', 'sk'), partition=('ShCe#', ''), sort='', end='', suffix=3, beyond=0)
        >>> found.add("OTHER#gcpjf", "y6d", "gcpjfy6d")
        >>> found.keys(("pk", "sk")) is None
        True
    """

    def __init__(self) -> None:
        self._candidates: list[_Candidate] | None = None
        self._longest_sort: dict[_Candidate, int] = {}

    def add(self, partition: str, sort: str, cell: str) -> None:
        """Keep the candidates that fit one more item."""
        if self._candidates is None:
            self._candidates = [*_candidates(partition, sort, cell)]
        self._candidates = [each for each in self._candidates if each.fits(partition, sort, cell)]
        for each in self._candidates:
            self._longest_sort[each] = max(self._longest_sort.get(each, 0), len(sort))

    def keys(self, names: tuple[str, str]) -> MapKeys | None:
        """The candidate that cuts cells last, if any fits all items."""
        if not self._candidates:
            return None
        best = min(self._candidates, key=lambda each: (each.suffix + each.beyond, each.beyond))
        # "~" sorts after every character of a cell and after "#", so the range has all items of its last cell.
        end = "~" if self._longest_sort[best] > len(best.start) + best.suffix else ""
        return MapKeys(names, (best.before, best.after), best.start, end, best.suffix, best.beyond)


def _candidates(partition: str, sort: str, cell: str) -> Iterator[_Candidate]:
    for cut in range(len(cell)):
        arounds = [(partition, "")] if cut == 0 else [*_around(partition, cell[:cut])]
        for length in range(len(cell) - cut, 0, -1):
            starts = [before for before, _ in _around(sort, cell[cut : cut + length])]
            if arounds and starts:
                beyond = len(cell) - cut - length
                yield from (_Candidate(*each, start, length, beyond) for each in arounds for start in starts)
                break


def _around(text: str, part: str) -> Iterator[tuple[str, str]]:
    """What is before and after each occurrence of a part."""
    at = text.find(part)
    while at >= 0:
        yield text[:at], text[at + len(part) :]
        at = text.find(part, at + 1)
