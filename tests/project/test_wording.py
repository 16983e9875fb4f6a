"""No tracked file mentions the machine or the private sources of its author, and none uses a word of its own."""

from __future__ import annotations

import re
from functools import cache

import pytest

from tests.project.tree import ROOT, relative, tracked_files

pytestmark = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="only git knows which files are kept")

# What each pattern must not match, and why; written so that this file does not match itself.
EVERYWHERE = {
    "a path of one computer": re.compile(r"(?<![\w.-])/(?:work|root|home)/"),
    "the address of a package registry": re.compile(
        r"https?://[\w.-]*(?:pypi|pythonhosted|npmjs|artifactory|nexus|devpi)", re.IGNORECASE
    ),
}
# The names of projects that a system was learnt from, each with one letter in brackets for the same reason.
EVERYWHERE["the name of another system"] = re.compile(
    r"b[c]parks|b[c]gov|\bs[m]um\b|our[r]oots", re.IGNORECASE
)
IN_PROSE = {
    "a word that means nothing to a reader": re.compile(r"\bseeds?\b", re.IGNORECASE),
    "a word where the trade has another": re.compile(
        r"\b(?:strangers?|kin|sisters?|mend(?:s|ed|ing)?|aside|told|lest|whoever|whom|in vain|hopeless)\b",
        re.IGNORECASE,
    ),
}
# Names and codes that were replaced.
OLD_NAMES = re.compile(
    r"\babout=|\baside=|\bmost_seconds\b|store-refused|store-access-refused|store-move-nothing|marker-place"
    r"|store-page-place|_told\b|\btold_|_asked\b|\basked_|\bstrangers\b"
)
CODE = re.compile(r"(src|docs|examples|tests|benchmarks)/")
PROSE = re.compile(r"(src|docs|examples)/|(README|ARCHITECTURE|CHANGELOG|CONTRIBUTING|SECURITY)\.md$")


@pytest.mark.parametrize("what", EVERYWHERE)
def test_no_tracked_file_contains(what: str) -> None:
    assert _lines_with(EVERYWHERE[what], re.compile("")) == []


@pytest.mark.parametrize("what", IN_PROSE)
def test_no_document_or_source_contains(what: str) -> None:
    assert _lines_with(IN_PROSE[what], PROSE) == []


def test_names_that_were_replaced_do_not_come_back() -> None:
    assert _lines_with(OLD_NAMES, CODE, besides="tests/project/test_wording.py") == []


def _lines_with(pattern: re.Pattern[str], where: re.Pattern[str], *, besides: str = "") -> list[str]:
    found = {
        name: text
        for name, text in _texts().items()
        if name != besides and where.match(name) and pattern.search(text)
    }
    return [
        f"{name}:{number}"
        for name, text in found.items()
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]


@cache
def _texts() -> dict[str, str]:
    return {relative(path): path.read_text("utf-8", errors="replace") for path in tracked_files()}
