"""No file that we keep says what only its author's desk knows."""

from __future__ import annotations

import re

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
EVERYWHERE["the name of somebody else's system"] = re.compile(
    r"b[c]parks|b[c]gov|\bs[m]um\b|our[r]oots", re.IGNORECASE
)
IN_PROSE = {"a word that means nothing to a reader": re.compile(r"\bseeds?\b", re.IGNORECASE)}
PROSE = re.compile(r"(src|docs|examples)/|(README|ARCHITECTURE|CHANGELOG|CONTRIBUTING|SECURITY)\.md$")


@pytest.mark.parametrize("what", EVERYWHERE)
def test_no_kept_file_contains(what: str) -> None:
    assert _lines_with(EVERYWHERE[what], re.compile("")) == []


@pytest.mark.parametrize("what", IN_PROSE)
def test_no_document_or_source_contains(what: str) -> None:
    assert _lines_with(IN_PROSE[what], PROSE) == []


def _lines_with(pattern: re.Pattern[str], where: re.Pattern[str]) -> list[str]:
    return [
        f"{relative(path)}:{number}"
        for path in tracked_files()
        if where.match(relative(path))
        for number, line in enumerate(path.read_text("utf-8", errors="replace").splitlines(), 1)
        if pattern.search(line)
    ]
