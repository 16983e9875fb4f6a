"""The review finds each mistake of the lessons, and nothing in what they do instead."""

from __future__ import annotations

import pytest

from examples.lessons import mistakes
from examples.lessons.comparisons import ID_LESSON, LESSONS, Variant
from pksk.review import review
from pksk.review.rule import SEVERITIES

FOUND = {
    'pk "USER"': "error constant-partition-key",
    "pk day": "warning time-partition-key",
    "pk country": "warning busy-partition-key",
    "pk the same, sk user and time": "error constant-partition-key",
    "pk user and time": "error scan",
    "sk random id": "warning range-filter",
}
VARIANTS = [variant for lesson in (*LESSONS, ID_LESSON) for variant in lesson.variants]


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)
def test_a_mistake_has_its_finding_and_its_alternatives_have_none(variant: Variant) -> None:
    assert variant.finding == FOUND.get(variant.name, "")


def test_every_expected_finding_is_that_of_a_design() -> None:
    assert FOUND.keys() <= {variant.name for variant in VARIANTS}


def test_the_finding_on_the_screen_has_its_fix_as_a_diff() -> None:
    (finding,) = review(mistakes.one_partition).findings

    assert finding.severity == SEVERITIES[0]
    assert finding.change is not None
    assert '+    primary = Key("USER#{user_id}", "{user_id}")' in finding.change.diff
