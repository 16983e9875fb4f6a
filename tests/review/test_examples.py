"""The example systems: no errors and no warnings but the mistakes that the lessons make on purpose."""

from __future__ import annotations

import pytest

from pksk.cli.target import load
from pksk.review import Review, review


def review_of_example(name: str) -> Review:
    return review(*load(f"examples/{name}/design.py").tables)


@pytest.mark.parametrize("name", ["parks", "pantry", "heatmap", "records"])
def test_a_system_has_no_errors_and_no_warnings_that_it_does_not_accept_with_a_reason(name: str) -> None:
    found = review_of_example(name)

    assert [(each.rule, each.subject.name) for each in found.findings if each.severity != "info"] == []
    assert all(each.reason for each in found.accepted)


def test_the_lessons_have_findings_about_each_of_their_mistakes_alone() -> None:
    found = review_of_example("lessons")

    places = [each.subject.lines for each in found.findings if each.severity != "info"]
    assert {each.subject.name for each in found.findings if each.severity != "info"} == {
        "UserInOnePartition.primary",
        "TooCoarse.primary",
        "TooFine.of_user",
        "EventByDate.primary",
        "UserByCountry.primary",
        "RandomlySorted.within",
    }
    assert all(each is not None and each.file.endswith("lessons/mistakes.py") for each in places)
