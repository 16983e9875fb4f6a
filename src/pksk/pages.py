"""Self-contained HTML pages: escaped elements, a strict content security policy, and charts as inline SVG."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from html import escape
from typing import Final, TypeAlias

from pksk.dataclass import dataclass

__all__ = [
    "Bar",
    "Html",
    "bar",
    "bar_legend",
    "diff",
    "page",
    "printable",
    "scrollable_table",
    "share",
    "source",
    "tag",
    "tiles",
]


class Html(str):
    """Text that is HTML already, and is not escaped again."""

    __slots__ = ()


Content: TypeAlias = "str | Iterable[str]"

_VOID: Final = frozenset({"br", "hr", "img", "input", "link", "meta"})


def tag(name: str, /, *children: Content, **attributes: str | int | float | None) -> Html:
    """An element; text in it is escaped, and attributes with a trailing underscore are named without it.

    Example:
        >>> tag("p", "a < b, ", tag("b", "bold"), class_="note", id=None)
        '<p class="note">a &lt; b, <b>bold</b></p>'
    """
    named = (
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    start = f"<{name}{''.join(named)}>"
    return Html(start if name in _VOID else f"{start}{''.join(map(_text, children))}</{name}>")


def _text(content: Content) -> str:
    if isinstance(content, Html):
        return content
    if isinstance(content, str):
        return escape(printable(content), quote=False)
    return "".join(map(_text, content))


def printable(text: str) -> str:
    r"""Text with escapes for control characters, for those that change its direction, and for lone surrogates.

    Example:
        >>> print(printable("a\x1b[31mb"))
        a\x1b[31mb
    """
    if text.isprintable():
        return text
    return "".join(each if each in "\n\t\u00a0" or each.isprintable() else ascii(each)[1:-1] for each in text)


_STYLE: Final = """
:root {
  color-scheme: light dark; --page: #fff; --box: #f6f8fa; --line: #d1d9e0; --text: #1f2328; --dim: #59636e;
  --error: #b3261e; --warning: #8a5000; --info: #0b57b0; --good: #1a7f37; --bar: #2f6fdf; --range: #a9c4f3;
  --added: #e0f6e4; --removed: #fdeae8; --late: #c77700;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --page: #0d1117; --box: #151b23; --line: #3d444d; --text: #f0f6fc; --dim: #9ba5b1;
    --error: #ff8a80; --warning: #f2b13c; --info: #79b8ff; --good: #57d37a; --bar: #6a9df5; --range: #2c4677;
    --added: #12301c; --removed: #3b1a1b; --late: #f2b13c;
  }
}
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 72rem; padding: 2rem 1rem 4rem; background: var(--page); color: var(--text);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: break-word }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem } h2 { font-size: 1.25rem; margin: 2.5rem 0 .75rem }
h3 { font-size: 1.05rem; margin: 0; overflow-wrap: anywhere } p { margin: .5rem 0 } a { color: var(--info) }
code, pre { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
code { overflow-wrap: anywhere } pre code { font-size: 1em; overflow-wrap: normal }
pre { background: var(--box); border: 1px solid var(--line); border-radius: 6px; padding: .75rem; overflow-x: auto;
  margin: .5rem 0 }
.dim { color: var(--dim) } .error { color: var(--error) } .warning { color: var(--warning) }
.info { color: var(--info) } .good { color: var(--good) } .strong { font-weight: 600 }
.card { border: 1px solid var(--line); border-left: 4px solid currentColor; border-radius: 6px; padding: 1rem;
  margin: 0 0 1rem }
.card > * { color: var(--text) } .card > .dim { color: var(--dim) } .card > :last-child { margin-bottom: 0 }
.card ul { margin: .5rem 0; padding-left: 1.25rem; color: var(--dim) }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .75rem; margin: 1.25rem 0;
  padding: 0; list-style: none }
.tiles > li { border: 1px solid var(--line); border-radius: 6px; padding: .5rem .75rem; background: var(--box) }
.tiles b { display: block; font-size: clamp(1rem, 4.2vw, 1.35rem); line-height: 1.3;
  overflow-wrap: anywhere }
.tiles span { color: var(--dim) }
details > summary { cursor: pointer; color: var(--info) }
.diff { padding: .5rem 0 } .diff code { display: block; min-width: max-content }
.diff span { display: block; padding: 0 .75rem; white-space: pre } .diff span:empty::before { content: " " }
.diff .added { background: var(--added) } .diff .removed { background: var(--removed) }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px } .scroll + .scroll { margin-top: 1rem }
table { border-collapse: collapse; width: 100%; font-size: .9rem }
th, td { text-align: left; padding: .4rem .75rem; border-bottom: 1px solid var(--line); vertical-align: top }
td { min-width: 6rem } tr:last-child td { border-bottom: 0 }
th { background: var(--box); font-weight: 600; white-space: nowrap }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
.loads { list-style: none; margin: 0; padding: 0 } .loads > li { padding: .75rem 0; border-top: 1px solid var(--line) }
.loads p { margin: 0 } .between { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1.5rem }
.chart { display: block; width: 100%; height: 1.5rem; margin: .25rem 0 }
.chart .track { fill: var(--box) } .chart .sure { fill: var(--bar) } .chart .range { fill: var(--range) }
.chart .over { fill: var(--error) } .chart .late { fill: var(--late) }
.chart line { stroke: var(--text); stroke-width: 2; vector-effect: non-scaling-stroke }
.chart .split { stroke-dasharray: 4 3 } .chart .fixed { stroke: var(--error); stroke-width: 4 }
li.lines { white-space: pre-line }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; list-style: none; margin: .75rem 0; padding: 0;
  color: var(--dim); font-size: .9rem }
.legend li { display: flex; align-items: center; gap: .5rem } .legend .chart { width: 2rem; height: 1rem; margin: 0 }
@media print {
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact }
  body { max-width: none; padding: 0; font-size: 11pt } .card, .loads > li, tr { break-inside: avoid }
  h2, h3 { break-after: avoid } .scroll { overflow: visible; border: 0 } pre { white-space: pre-wrap }
  .diff code { min-width: 0 } .diff span { white-space: pre-wrap }
}
"""


def page(
    title: str, *body: Content, style: str = "", script: str = "", data: str = "", calls: bool = False
) -> str:
    """A whole document, which loads nothing, and adapts to dark mode, narrow screens and paper.

    `style` is added to that of all pages. No script runs except `script`, which begins when the body is complete. It
    finds `data`, a JSON text, in the element with the id "data", and may call the server of the page if it `calls`.

    Example:
        >>> document = page("t", tag("p", "text"), script="document.title = 'new'", data='"</script>"')
        >>> document.count("</script>"), "connect-src" in document
        (2, False)
    """
    styles = _STYLE + style
    policy = (
        f"default-src 'none'; style-src '{_hash(styles)}'; img-src data:; base-uri 'none'; form-action 'none'"
    )
    if script:
        policy += f"; script-src '{_hash(script)}'"
    if calls:
        policy += "; connect-src 'self'"
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", title),
        tag("link", rel="icon", href="data:,"),
        Html(f"<style>{styles}</style>"),
    )
    scripts = (
        [Html(f'<script type="application/json" id="data">{_json_in_html(data)}</script>')] if data else []
    )
    if script:
        scripts.append(Html(f"<script>{script}</script>"))
    return f"<!doctype html>\n{tag('html', head, tag('body', tag('main', *body), scripts), lang='en')}\n"


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _json_in_html(text: str) -> str:
    """JSON in which nothing can end or open an element; such characters can only be in its strings."""
    return text.translate({ord(each): f"\\u{ord(each):04x}" for each in "<>&\u2028\u2029"})


def scrollable_table(
    label: str, headings: Sequence[str], rows: Iterable[Sequence[Content]], *, numbers: Sequence[int] = ()
) -> Html:
    """A table that scrolls sideways on a narrow screen; the columns in `numbers` are aligned to the right."""

    def kind(column: int) -> str | None:
        return "number" if column in numbers else None

    head = tag("tr", *(tag("th", text, scope="col", class_=kind(i)) for i, text in enumerate(headings)))
    lines = (tag("tr", *(tag("td", cell, class_=kind(i)) for i, cell in enumerate(row))) for row in rows)
    table = tag("table", tag("thead", head), tag("tbody", list(lines)))
    return tag("div", table, class_="scroll", tabindex=0, role="region", aria_label=label)


_DIFF_LINES: Final = {"+": "added", "-": "removed", "@": "dim"}


def diff(text: str, label: str) -> Html:
    """A unified diff, its added and removed lines in colours."""

    def kind(line: str) -> str | None:
        return "dim strong" if line.startswith(("--- ", "+++ ")) else _DIFF_LINES.get(line[:1])

    lines = [tag("span", line, class_=kind(line)) for line in text.rstrip().splitlines()]
    return tag("pre", tag("code", lines), class_="diff", tabindex=0, role="region", aria_label=label)


def source(text: str) -> Html:
    """Code, which scrolls sideways if it is wide."""
    return tag("pre", tag("code", text), tabindex=0)


def tiles(*figures: tuple[str, str, str]) -> Html:
    """The most important figures of a page: each with its name, and a class for its colour."""
    return tag(
        "ul",
        [
            tag("li", tag("b", figure, class_=kind or None), tag("span", name))
            for figure, name, kind in figures
        ],
        class_="tiles",
    )


@dataclass(frozen=True)
class Bar:
    """A load that is known up to a range, and what it must not exceed; `is_fixed` if nothing raises that."""

    lowest: float
    highest: float
    ceiling: float
    is_fixed: bool = False
    label: str = ""


_WIDTH: Final = 100.0
_HEIGHT: Final = 12


def bar(each: Bar) -> Html:
    """A load as a bar against its ceiling, which is at four fifths of the width unless the load is above it.

    What is certainly above the ceiling has another colour: that of errors if nothing raises the ceiling.
    """
    top = max(each.ceiling * 1.25, each.highest, each.lowest) or 1.0
    sure, most, limit = (_WIDTH * min(value / top, 1) for value in (each.lowest, each.highest, each.ceiling))
    shapes = [_box("track", 0, _WIDTH), _box("range", 0, most), _box("sure", 0, min(sure, limit))]
    if sure > limit:
        shapes.append(_box("over" if each.is_fixed else "late", limit, sure))
    return _chart(*shapes, _line("fixed" if each.is_fixed else "split", limit), label=each.label)


def bar_legend() -> Html:
    """What the colours and lines of bars mean."""
    entries = (
        (_box("sure", 0, _WIDTH), "what one key receives at least"),
        (_box("range", 0, _WIDTH), "what it may receive"),
        (_line("split", _WIDTH / 2), "what it serves until DynamoDB splits its partition"),
        (_box("late", 0, _WIDTH), "throttled until then"),
        (_line("fixed", _WIDTH / 2), "what it serves at most: no split raises it"),
        (_box("over", 0, _WIDTH), "cannot be served"),
    )
    return tag("ul", [tag("li", _chart(shape), text) for shape, text in entries], class_="legend")


def share(part: float, label: str) -> Html:
    """A part of a whole, from 0 to 1, as a bar."""
    return _chart(_box("track", 0, _WIDTH), _box("sure", 0, _WIDTH * min(max(part, 0.0), 1.0)), label=label)


def _box(kind: str, start: float, end: float) -> Html:
    return tag(
        "rect", class_=kind, x=f"{start:.2f}", y=2, width=f"{max(end - start, 0):.2f}", height=_HEIGHT - 4
    )


def _line(kind: str, at: float) -> Html:
    return tag("line", class_=kind, x1=f"{at:.2f}", x2=f"{at:.2f}", y1=0, y2=_HEIGHT)


def _chart(*shapes: Html, label: str = "") -> Html:
    named = {"role": "img", "aria_label": label} if label else {"aria_hidden": "true"}
    return tag(
        "svg",
        *shapes,
        class_="chart",
        viewBox=f"0 0 {_WIDTH:.0f} {_HEIGHT}",
        preserveAspectRatio="none",
        **named,
    )
