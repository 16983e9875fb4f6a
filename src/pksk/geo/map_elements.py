"""The elements of a page with a map, which its script fills."""

from __future__ import annotations

from pksk.pages import Html, tag


def map_stage() -> Html:
    """The canvas with its buttons, the legend, and the choices below."""
    hint = "Drag, or use the arrow keys, to move. Scroll, or press plus and minus, to zoom. Home shows everything."
    canvas = tag(
        "canvas",
        "A map of the world with the cells, points and shapes of this page. The text beside it describes the view.",
        id="map",
        tabindex=0,
        role="application",
        aria_roledescription="map",
        aria_label="Map",
        aria_describedby="hint view",
    )
    buttons = [
        tag("button", text, id=name, type="button", aria_label=label, title=label)
        for name, text, label in (
            ("zoom-in", "+", "Zoom in"),
            ("zoom-out", "\u2212", "Zoom out"),
            ("home", "⌂", "Show everything"),
        )
    ]
    ranges = tag("label", _checkbox("show-ranges", checked=""), "Show ranges", id="range-choice")
    hold = tag("label", _checkbox("hold"), "Hold them while the map moves", id="hold-choice")
    levels = tag("select", tag("option", "that fit the zoom", value=""), id="level")
    choices = tag("div", ranges, hold, tag("label", "Cells", levels, id="level-choice"), class_="choices")
    scale = tag("div", tag("div", id="heat"), tag("div", id="heat-values"), class_="scale")
    legend = tag("div", tag("span", id="heat-title"), scale, id="legend", hidden="")
    return tag(
        "section",
        tag(
            "div",
            canvas,
            tag("div", buttons, class_="buttons"),
            tag("div", id="tip", hidden=""),
            class_="frame",
        ),
        tag("div", legend, choices, class_="below"),
        tag("p", hint, class_="dim", id="hint"),
        aria_label="Map",
    )


def _checkbox(name: str, checked: str | None = None) -> Html:
    return tag("input", type="checkbox", id=name, checked=checked)


def map_panel(*, live: bool) -> Html:
    """The texts about the view: its description, what reading it costs, and its highest values."""
    headings = [tag("th", text, scope="col", class_=kind) for text, kind in (
        ("Way to read it", None), ("Requests", "number"), ("Units", "number"), ("Cells", "number"))]  # fmt: skip
    table = tag("table", tag("thead", tag("tr", headings)), tag("tbody", id="ways"))
    costs = tag(
        "div",
        tag("h2", "Estimated cost", id="costs-title"),
        tag("div", table, class_="scroll", id="ways-table"),
        tag(
            "p",
            "This view would take more than 100 queries. Zoom in, or choose larger cells.",
            id="no-plan",
            hidden="",
        ),
        tag("p", class_="dim", id="statistics"),
        tag(
            "details",
            tag("summary", id="queries-title"),
            tag("ol", id="queries", tabindex=0, aria_label="Queries"),
            id="queries-list",
        ),
        id="costs",
        hidden="",
    )
    answer = [tag("p", id="answer", role="status")] if live else []
    return tag(
        "section",
        tag("h2", "This view"),
        tag("p", id="view", role="status"),
        *answer,
        costs,
        tag("h2", "Highest in this view", id="highest-title", hidden=""),
        tag("ol", id="highest"),
        class_="panel",
        aria_label="This view",
    )
