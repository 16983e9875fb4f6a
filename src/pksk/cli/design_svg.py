"""Draws a design as SVG: key templates, and example items in the partitions of the table and its indexes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from unicodedata import east_asian_width
from xml.sax.saxutils import escape, quoteattr

from pksk.cli.design_partitions import Partition, Row, partitions
from pksk.dataclass import dataclass
from pksk.model import Entity

_CHARACTER = 7.3  # the width of one at the size below, in the widest of the fonts
_ROW, _GAP, _MARGIN, _PAD = 26, 10, 24, 14
_WIDEST = (46, 46, 62)  # characters of each column, after which a text is cut
_COLOURS = ("#2f6fdf", "#c96a12", "#2b9457", "#8a4fd6", "#cf3a6d", "#0b8799")

_STYLE = """\
.page { fill: #ffffff } .box { fill: #f6f8fa; stroke: #d1d9e0 } .line { stroke: #d1d9e0 }
text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #1f2328; white-space: pre }
.title { font: 600 16px system-ui, sans-serif } .label { font: 12px system-ui, sans-serif }
.label, .template, .other { fill: #59636e } .template { font-style: italic } .key { font-weight: 600 }
@media (prefers-color-scheme: dark) {
.page { fill: #0d1117 } .box { fill: #151b23; stroke: #3d444d } .line { stroke: #3d444d }
text { fill: #f0f6fc } .label, .template, .other { fill: #9198a1 }
}"""


@dataclass(frozen=True)
class _Panel:
    """A table or one of its indexes: headings, templates and partitions, in columns."""

    title: str
    attributes: tuple[tuple[str, ...], tuple[str, ...]]
    templates: list[tuple[str, str, str]]
    partitions: list[Partition]
    is_index: bool

    @property
    def headings(self) -> tuple[str, str, str]:
        partition, sort = (" + ".join(names) for names in self.attributes)
        return partition, sort, "key in the table" if self.is_index else "other attributes"

    @property
    def is_shared(self) -> bool:
        """Whether several entities are stored here, so that each item has to say which one it is."""
        return len(self.templates) > 1

    def cells(self) -> Iterator[tuple[str, str, str]]:
        """All texts, by column, to measure them."""
        partition, sort, last = self.headings
        yield f"{partition}  partition key", f"{sort}  sort key" if sort else "", last
        yield from self.templates
        for each in self.partitions:
            yield from ((_joined(each.key), _joined(row.sort), self.last(row)) for row in each.rows)

    def last(self, row: Row) -> str:
        text = _joined(row.table_key) if self.is_index else row.attributes
        return f"{row.entity}  {text}" if self.is_shared else text


def design_svg(data: dict[str, Any], items: Sequence[Entity] = ()) -> str:
    """The SVG of a design, with `items` of its entities in their partitions."""
    panels = [panel for table in data["tables"] for panel in _panels(table, items)]
    widths = _widths(panels)
    width = round(sum(widths) + 2 * _MARGIN)
    parts: list[str] = []
    top = _MARGIN
    for panel in panels:
        lines, top = _panel(panel, widths, top)
        parts += lines
    height = top - _GAP
    return "\n".join([*_head(panels, data, width, height), *parts, "</svg>"])


def _panels(table: dict[str, Any], items: Sequence[Entity]) -> Iterator[_Panel]:
    yield _one(table, table["keys"], f"Table {table['name']}", items, is_index=False)
    for index in table["indexes"]:
        if index["partition"]:
            yield _one(table, index, f"Index {index['name']}", items, is_index=True)


def _one(
    table: dict[str, Any], keys: dict[str, Any], title: str, items: Sequence[Entity], *, is_index: bool
) -> _Panel:
    partition, sort = (tuple(part["attribute"] for part in keys[role]) for role in ("partition", "sort"))
    templates = [
        (_joined(entity["attributes"][name] for name in partition),
         _joined(entity["attributes"][name] for name in sort),
         f"keys of {entity['name']}")
        for entity in table["entities"]
        if {*partition, *sort} <= {*entity["attributes"]}
    ]  # fmt: skip
    return _Panel(title, (partition, sort), templates, partitions(table, keys, items), is_index)


def _joined(texts: Iterable[str]) -> str:
    return " + ".join(texts)


def _widths(panels: Sequence[_Panel]) -> list[float]:
    """The width of each column, from the longest text in any panel."""
    columns = list(zip(*(cells for panel in panels for cells in panel.cells()), strict=True))
    longest = [
        min(widest, max(map(_length, column))) for widest, column in zip(_WIDEST, columns, strict=True)
    ]
    return [max(12, length + 2) * _CHARACTER + _PAD for length in longest]


def _length(text: str) -> int:
    """How many columns of a fixed-width font a text takes; characters of East Asia take two."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


def _panel(panel: _Panel, widths: Sequence[float], top: int) -> tuple[list[str], int]:
    """A panel from `top` down, and where the next one begins."""
    lines = [_text(_MARGIN, top + 14, panel.title, "title")]
    top += _ROW
    lines += _headings(panel, widths, top)
    top += _ROW
    for cells in panel.templates:
        lines += _row(cells, widths, top, ("template", "template", "label"))
        top += _ROW
    top += 4
    for each in panel.partitions:
        lines += _partition(panel, each, widths, top)
        top += len(each.rows) * _ROW + _GAP
    return lines, top + _MARGIN - _GAP


def _headings(panel: _Panel, widths: Sequence[float], top: int) -> Iterator[str]:
    partition, sort, last = panel.headings
    first, second, third = _lefts(widths)
    yield _heading(first, top, partition, "partition key")
    if sort:
        yield _heading(second, top, sort, "sort key")
    yield _text(third, top + 17, last, "label")


def _heading(left: int, top: int, name: str, role: str) -> str:
    words = f'<tspan class="key">{_safe(name)}</tspan>  <tspan class="label">{role}</tspan>'
    return f'<text x="{left}" y="{top + 17}">{words}</text>'


def _partition(panel: _Panel, each: Partition, widths: Sequence[float], top: int) -> Iterator[str]:
    """A box for a partition: its key once, and a line for each item."""
    width, height = round(sum(widths)), len(each.rows) * _ROW
    yield f'<rect class="box" x="{_MARGIN}" y="{top}" width="{width}" height="{height}" rx="5"/>'
    for number, row in enumerate(each.rows):
        below = top + number * _ROW
        if number:
            left = _lefts(widths)[1] - _PAD
            yield f'<line class="line" x1="{left}" x2="{_MARGIN + width}" y1="{below}" y2="{below}"/>'
        colour = _COLOURS[row.table_partition % len(_COLOURS)]
        yield f'<rect fill="{colour}" x="{_MARGIN}" y="{below}" width="5" height="{_ROW}"/>'
        cells = ("" if number else _joined(each.key), _joined(row.sort), panel.last(row))
        yield from _row(cells, widths, below, ("key", "", "other"))


def _row(cells: Sequence[str], widths: Sequence[float], top: int, styles: Sequence[str]) -> Iterator[str]:
    for left, text, style, widest in zip(_lefts(widths), cells, styles, _WIDEST, strict=True):
        if text:
            yield _text(left, top + 17, _cut(text, widest), style)


def _lefts(widths: Sequence[float]) -> list[int]:
    return [round(_MARGIN + _PAD + sum(widths[:column])) for column in range(len(widths))]


def _text(left: int, base: int, text: str, style: str) -> str:
    named = f' class="{style}"' if style else ""
    return f'<text{named} x="{left}" y="{base}">{_safe(text)}</text>'


def _cut(text: str, widest: int) -> str:
    """A text that fits its column.

    Example:
        >>> _cut("ORDER#000001", 12), _cut("ORDER#0000012", 12)
        ('ORDER#000001', 'ORDER#00000…')
    """
    if _length(text) <= widest:
        return text
    while _length(text) >= widest:
        text = text[:-1]
    return f"{text}…"


def _safe(text: str) -> str:
    """A text for XML, which has no place for control characters."""
    return escape(text if text.isprintable() else ascii(text)[1:-1])


def _head(panels: Sequence[_Panel], data: dict[str, Any], width: int, height: int) -> Iterator[str]:
    names = ", ".join(table["name"] for table in data["tables"])
    title = f"Keys and partitions of {names}"
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label={quoteattr(_plain(title))} '
        f'viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
    )
    yield f"<title>{_safe(title)}</title>"
    yield f"<desc>{_safe(' '.join(map(_about, panels)))}</desc>"
    yield f"<style>\n{_STYLE}\n</style>"
    yield f'<rect class="page" width="{width}" height="{height}" rx="8"/>'


def _about(panel: _Panel) -> str:
    """A panel in words, for those who cannot see it."""
    partition, sort, _ = panel.headings
    keys = f"partition key {partition}" + (f", sort key {sort}" if sort else "")
    held = "; ".join(
        f"partition {_joined(each.key)} has {', '.join(_joined(row.sort) or 'one item' for row in each.rows)}"
        for each in panel.partitions
    )
    return f"{panel.title}: {keys}." + (f" {held[:1].upper()}{held[1:]}." if held else "")


def _plain(text: str) -> str:
    return text if text.isprintable() else ascii(text)[1:-1]
