"""Baselines: what is written into them, what they accept, and files that are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from pksk.errors import FileError
from pksk.review import Review
from pksk.review.baseline import without_baseline, write_baseline
from tests.review.designs import review_of

DESIGN = """
table_of_{name} = Table("{name}")

class {name}(Entity, table=table_of_{name}, items=1_000_000):
    id: str
    primary = Key("ALL", "{{id}}")

    @access(rate=50_000, items=1)
    @classmethod
    def one(cls, id: str) -> Get["{name}"]:
        return cls.primary.get(id=id)
"""


def review_of_entities(*names: str) -> Review:
    return review_of("\n".join(DESIGN.format(name=name) for name in names))


def test_a_baseline_accepts_its_findings_and_no_others(tmp_path: Path) -> None:
    path = tmp_path / "findings.json"
    write_baseline(review_of_entities("Reading"), path)

    review = without_baseline(review_of_entities("Reading", "Event"), path)

    assert {each.subject.name.split(".")[0] for each in review.findings} == {"Event"}
    assert {each.finding.subject.name.split(".")[0] for each in review.accepted} == {"Reading"}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "there is no such file"),
        (b"", "it is not JSON"),
        (b"[]", "it is not JSON"),
        (b"\xff", "it is not JSON"),
        (b'{"version": 2}', "its version is 2"),
        (b'{"version": 1, "findings": [3]}', "it is not JSON"),
    ],
)
def test_a_file_that_is_not_a_baseline_is_rejected(
    tmp_path: Path, content: bytes | None, problem: str
) -> None:
    path = tmp_path / "findings.json"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(FileError, match=problem) as raised:
        without_baseline(review_of_entities("Reading"), path)
    assert raised.value.code == "check-baseline"


def test_a_baseline_that_cannot_be_written_names_the_file(tmp_path: Path) -> None:
    review = review_of_entities("Reading")

    for path in (tmp_path, tmp_path / "missing" / "findings.json"):
        with pytest.raises(FileError, match="it cannot be written: ") as raised:
            write_baseline(review, path)
        assert raised.value.code == "check-baseline"
