"""The kit for pages: escaping, a policy that allows nothing but the page's own style, bars."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk.pages import Bar, bar, diff, page, printable, scrollable_table, share, source, tag, tiles


@given(st.text())
def test_no_text_becomes_markup(text: str) -> None:
    for made in (tag("p", text, title=text), source(text), diff(text, text), tiles((text, text, ""))):
        assert re.fullmatch(r"(<[a-z][^<>]*>|</[a-z]+>|[^<>])*", made, re.DOTALL)
        assert all(each.count('"') % 2 == 0 for each in re.findall(r"<[^<>]*>", made))


@given(st.text(), st.text())
def test_an_attribute_ends_where_it_should(text: str, other: str) -> None:
    made = tag("i", class_=text, title=other)

    assert re.fullmatch(r'<i class="[^"<>]*" title="[^"<>]*"></i>', made, re.DOTALL)


@given(st.text())
def test_printable_text_has_no_control_characters_and_is_stable(text: str) -> None:
    made = printable(text)

    assert all(each.isprintable() or each in "\n\t\u00a0" for each in made)
    assert printable(made) == made


def test_the_policy_allows_the_style_of_the_page_alone() -> None:
    html = page("t & t", tag("h1", "t"))
    (style,) = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)
    digest = b64encode(sha256(style.encode()).digest()).decode()

    assert f"style-src &#x27;sha256-{digest}&#x27;" in policy
    assert policy.startswith("default-src &#x27;none&#x27;;")
    assert "script" not in html
    assert not re.search(r"https?:|url\(|@import|style=", html)
    assert "<title>t &amp; t</title>" in html


def test_a_page_runs_its_script_alone_and_calls_nothing_unless_it_says_so() -> None:
    script = "document.title = 'new'"
    html = page("t", style="b { color: red }", script=script)
    digest = b64encode(sha256(script.encode()).digest()).decode()

    assert f"script-src &#x27;sha256-{digest}&#x27;" in html
    assert f"<script>{script}</script></body>" in html
    assert "connect-src" not in html
    assert "connect-src &#x27;self&#x27;" in page("t", script=script, calls=True)


@pytest.mark.parametrize("text", ["</script>", "<!--<script>", "\u2028\u2029", "&lt;", '"\\n'])
def test_data_for_a_script_opens_and_ends_no_element(text: str) -> None:
    html = page("t", data=json.dumps({text: [text]}, ensure_ascii=False))
    (content,) = re.findall(r'<script type="application/json" id="data">([^<>&\u2028\u2029]*)</script>', html)

    assert json.loads(content) == {text: [text]}


@pytest.mark.parametrize(
    ("load", "kinds"),
    [
        (Bar(500, 500, 1000), {"sure", "range", "split"}),
        (Bar(500, 2000, 1000, is_fixed=True), {"sure", "range", "fixed"}),
        (Bar(2000, 2000, 1000), {"sure", "range", "late", "split"}),
        (Bar(2000, 2000, 1000, is_fixed=True), {"sure", "range", "over", "fixed"}),
        (Bar(0, 0, 0), {"sure", "range", "split"}),
        (Bar(0, 1e300, 1000), {"sure", "range", "split"}),
    ],
)
def test_a_bar_has_other_colours_above_each_kind_of_ceiling(load: Bar, kinds: set[str]) -> None:
    drawn = bar(load)

    assert set(re.findall(r'class="(\w+)"', drawn)) - {"chart", "track"} == kinds
    assert all(0 <= float(each) <= 100 for each in re.findall(r'(?:x|width|x1|x2)="([\d.]+)"', drawn))


@pytest.mark.parametrize(("part", "width"), [(0.25, "25.00"), (7.0, "100.00"), (-1.0, "0.00")])
def test_a_share_stays_within_its_track(part: float, width: str) -> None:
    assert f'class="sure" x="0.00" y="2" width="{width}"' in share(part, "a quarter")


def test_a_table_scrolls_by_keyboard_and_has_a_name() -> None:
    made = scrollable_table("Keys", ["Key", "Cost"], [["a", "1"]], numbers=[1])

    assert made.startswith('<div class="scroll" tabindex="0" role="region" aria-label="Keys">')
    assert '<th scope="col" class="number">Cost</th>' in made
