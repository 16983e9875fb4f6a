"""A second curve, Hilbert's, which shows that covers depend on the interface alone."""

from __future__ import annotations

from typing import Final

from pksk.cells.curve import Block

ALPHABET: Final = "0123456789abcdef"
# For each direction of the curve, the quadrants in its order as (column, row), each with its own direction.
_QUADRANTS: Final = (
    ((0, 0, 1), (0, 1, 0), (1, 1, 0), (1, 0, 3)),
    ((0, 0, 0), (1, 0, 1), (1, 1, 1), (0, 1, 2)),
    ((1, 1, 3), (1, 0, 2), (0, 0, 2), (0, 1, 1)),
    ((1, 1, 2), (0, 1, 3), (0, 0, 3), (1, 0, 0)),
)
# A state is four times a direction, plus which half of it a block is: 0 for all, 1 and 2 for its halves.
_WHOLE: Final = 4


class Hilbert:
    """Squares of four columns by four rows: a character is two quadrants, one in the other."""

    levels: Final = range(1, 13)
    bits: Final = 4

    def grid(self, level: int) -> tuple[int, int]:
        return 2 * level, 2 * level

    def world(self, level: int) -> Block:
        return 0, 0, 0, 2 * level, 2 * level, 0

    def halves(self, block: Block) -> tuple[Block, Block]:
        first, column, row, columns, _, state = block
        direction, half = divmod(state, _WHOLE)
        if half:
            one, other = self._quarters(block)
            return one, other
        size = columns - 1
        found = []
        for number, pair in enumerate((_QUADRANTS[direction][:2], _QUADRANTS[direction][2:])):
            west, south = min(each[0] for each in pair), min(each[1] for each in pair)
            wide = pair[0][0] != pair[1][0]
            begin = first + (number << 2 * size + 1)
            found.append(
                (
                    begin,
                    column + (west << size),
                    row + (south << size),
                    size + wide,
                    size + (not wide),
                    direction * _WHOLE + number + 1,
                )
            )
        return found[0], found[1]

    def _quarters(self, block: Block) -> list[Block]:
        first, column, row, columns, rows, state = block
        direction, half = divmod(state, _WHOLE)
        size = min(columns, rows)
        pair = _QUADRANTS[direction][2 * half - 2 : 2 * half]
        west, south = min(each[0] for each in pair), min(each[1] for each in pair)
        return [
            (
                first + (number << 2 * size),
                column + (across - west << size),
                row + (up - south << size),
                size,
                size,
                inner * _WHOLE,
            )
            for number, (across, up, inner) in enumerate(pair)
        ]

    def number(self, cell: str) -> int:
        return int(cell, 16)

    def name(self, number: int, level: int) -> str:
        return f"{number:0{level}x}" if level else ""

    def position(self, cell: str) -> tuple[int, int]:
        number, direction, column, row = self.number(cell), 0, 0, 0
        for step in reversed(range(2 * len(cell))):
            across, up, direction = _QUADRANTS[direction][number >> 2 * step & 3]
            column, row = column << 1 | across, row << 1 | up
        return column, row

    def at(self, column: int, row: int, level: int) -> str:
        number = direction = 0
        for step in reversed(range(2 * level)):
            wanted = column >> step & 1, row >> step & 1
            quadrants = _QUADRANTS[direction]
            which = next(n for n, each in enumerate(quadrants) if each[:2] == wanted)
            number, direction = number << 2 | which, quadrants[which][2]
        return self.name(number, level)


HILBERT: Final = Hilbert()
