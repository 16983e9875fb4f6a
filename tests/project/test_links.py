"""Links in documents lead to files that are there, and to headings that these have."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from tests.project.snippets import FENCE
from tests.project.tree import ROOT, documents, relative

PAGES = [
    *documents(),
    *(ROOT / name for name in ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")),
]
LINK = re.compile(r"\[[^\]]*\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.M)
INLINE_CODE = re.compile(r"`[^`]*`")


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_every_relative_link_of_a_document_has_a_target(page: Path) -> None:
    assert [link for link in _links(page) if not _leads(page, link)] == []


def test_broken_links_are_found() -> None:
    page = ROOT / "README.md"

    assert _leads(page, "docs/store.md#connecting")
    assert not _leads(page, "docs/store.md#no-such-heading")
    assert not _leads(page, "docs/no-such-page.md")
    assert not _leads(page, "#no-such-heading")


def test_a_heading_is_found_by_its_anchor() -> None:
    assert _anchor("4. Look for the hot key") == "4-look-for-the-hot-key"
    assert _anchor("`Store.put`, and [others](x.md)") == "storeput-and-others"
    assert _anchor("pksk.aws.AwsClient") == "pkskawsawsclient"


def _links(page: Path) -> list[str]:
    prose = INLINE_CODE.sub("", FENCE.sub("", page.read_text("utf-8")))
    return [link for link in LINK.findall(prose) if not re.match(r"[a-z]+:", link)]


def _leads(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    if not target.is_relative_to(ROOT) or not target.exists():
        return False
    return not anchor or (target.suffix == ".md" and anchor in _anchors(target))


@cache
def _anchors(page: Path) -> frozenset[str]:
    """The names of a page's headings; one that comes again has a number behind it."""
    found: dict[str, int] = {}
    for heading in HEADING.findall(FENCE.sub("", page.read_text("utf-8"))):
        name = _anchor(heading)
        count = found[name] = found.get(name, -1) + 1
        if count:
            found[f"{name}-{count}"] = 0
    return frozenset(found)


def _anchor(heading: str) -> str:
    """GitHub's anchor of a heading: lower case, hyphens for blanks, and no other punctuation."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
