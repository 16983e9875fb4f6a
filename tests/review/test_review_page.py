"""The HTML page of a review in a real browser: wide and narrow, light and dark, on paper, with hostile contents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pksk.cli.target import load
from pksk.review import Review, review
from pksk.review.reports.html_report import html_report
from tests.browser.chromium import Chromium, Page, chromium, needs_browser, shown
from tests.project.tree import ROOT
from tests.review.designs import review_of
from tests.review.hostile import HOSTILE

pytestmark = needs_browser

REVIEWS = {
    "lessons": lambda: review(*load(str(ROOT / "examples" / "lessons")).tables),
    "hostile": lambda: review_of(HOSTILE),
    "nothing to find": lambda: review_of(
        """
        shop = Table("shop")

        class User(Entity, table=shop):
            user_id: str
            primary = Key("USER#{user_id}", "META")
        """
    ),
}
LOOKS = [(1280, False), (1280, True), (390, False), (390, True)]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    with chromium(tmp_path_factory.mktemp("browser")) as started:
        yield started


@pytest.mark.parametrize(("width", "dark"), LOOKS)
@pytest.mark.parametrize("name", REVIEWS)
def test_the_page_fits_is_accessible_and_asks_for_nothing(
    browser: Chromium, tmp_path: Path, name: str, width: int, *, dark: bool
) -> None:
    page = shown(browser, tmp_path, html_report(REVIEWS[name]()), width=width, dark=dark)

    assert page.overflow() == 0
    assert page.logged == []
    assert page.requested == []
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
    assert page.overflow() == 0
    assert page.violations() == []


def test_texts_of_authors_are_text(browser: Chromium, tmp_path: Path) -> None:
    page = shown(browser, tmp_path, html_report(review_of(HOSTILE)))
    text = page.evaluate("document.body.innerText")

    assert "<img src=http://127.0.0.1:9/x onerror=alert(1)>" in text
    assert "<b onclick=alert(1)>```" in text
    assert page.evaluate("document.querySelectorAll('script, img, iframe, [onerror], [onclick]').length") == 0
    assert page.dialogs == []


def test_the_page_shows_what_the_review_has(browser: Chromium, tmp_path: Path) -> None:
    found: Review = REVIEWS["lessons"]()
    page = shown(browser, tmp_path, html_report(found))

    assert _count(page, "article.card") == len(found.findings)
    assert _count(page, ".diff") == sum(each.change is not None for each in found.findings)
    known = [each for each in found.design.loads if not each.is_open and each.load.units]
    assert _count(page, ".loads > li") == len(known)
    assert _count(page, ".loads line.fixed") == sum(bool(each.load.ceiling.why_fixed) for each in known)
    assert _count(page, ".loads line.split") == sum(not each.load.ceiling.why_fixed for each in known)
    assert _count(page, "[aria-label='Cost of access patterns'] tbody tr") == len(found.design.uses)


def _count(page: Page, selector: str) -> int:
    return int(page.evaluate(f"document.querySelectorAll({selector!r}).length"))


def test_a_bar_ends_where_its_load_is_and_a_line_is_at_the_ceiling(browser: Chromium, tmp_path: Path) -> None:
    source = """
        shop = Table("shop")

        class User(Entity, table=shop, items=1_000_000):
            user_id: Annotated[str, Spread(values=10)]
            primary = Key("USER#{user_id}", "META")

            @access(rate=5000, item_size=400)
            @classmethod
            def add(cls, user: "User") -> Put["User"]:
                return Put(user)
    """
    page = shown(browser, tmp_path, html_report(review_of(source)))
    end, line, width = page.evaluate(
        "(() => { const at = name => document.querySelector('.loads .' + name).getBoundingClientRect();"
        " const left = at('track').left;"
        " return [at('sure').right - left, at('fixed').left - left, at('track').width] })()"
    )

    assert end / width == pytest.approx(500 / 1250, abs=0.01)
    assert line / width == pytest.approx(1000 / 1250, abs=0.01)


def test_paper_is_white_also_in_dark_mode(browser: Chromium, tmp_path: Path) -> None:
    page = shown(browser, tmp_path, html_report(review_of(HOSTILE)), dark=True)
    colour = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(colour) != "rgb(255, 255, 255)"
    page.prefer(dark=True, media="print")

    assert page.evaluate(colour) == "rgb(255, 255, 255)"
