"""SARIF: valid by its schema, without paths of the machine, with fixes, suppressions and harmless text."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from pksk.dataclass import replace
from pksk.review import RULES, Accepted, Finding, Review, Subject, review
from pksk.review.reports.html_report import html_report
from pksk.review.reports.sarif_report import sarif_report
from tests.review.designs import PREAMBLE, review_of
from tests.review.hostile import HOSTILE
from tests.review.sarif_schema import violations

_DESIGN = """
shop = Table("shop", indexes=[GSI("all", pk="g1", sk="g2"), GSI("unused", pk="g3")])


class User(Entity, table=shop, items=1_000_000):
    user_id: str
    primary = Key("USER", "{user_id}")
    # pksk: accept constant-partition-key: a list of few users
    everyone = Key("USERS", "{user_id}", index="all")

    @access(rate=5000, item_size=400)
    @classmethod
    def add(cls, user: "User") -> Put["User"]:
        return Put(user)

    @access(rate=1, items=5)
    @classmethod
    def every(cls) -> Query["User"]:
        return cls.everyone()
"""


def reviewed(folder: Path, monkeypatch: pytest.MonkeyPatch, source: str = _DESIGN) -> Review:
    """The review of a design in a file of a folder within the current one."""
    name = f"shop_{abs(hash(str(folder)))}"
    (folder / "my designs").mkdir()
    (folder / "my designs" / f"{name}.py").write_text(PREAMBLE + source, encoding="utf-8")
    monkeypatch.syspath_prepend(folder / "my designs")
    monkeypatch.chdir(folder)
    return review(import_module(name).shop)


def run_of(found: Review, *, show_values: bool = False) -> dict[str, Any]:
    log = json.loads(json.dumps(sarif_report(found, show_values=show_values)))
    assert violations(log) == []
    (run,) = log["runs"]
    return dict(run)


def test_a_result_points_at_the_declaration_relative_to_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = reviewed(tmp_path, monkeypatch)
    run = run_of(found)

    result = run["results"][0]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uriBaseId"] == "%SRCROOT%"
    assert place["artifactLocation"]["uri"].startswith("my%20designs/shop_")
    lines = found.findings[0].subject.lines
    assert lines is not None
    assert place["region"] == {"startLine": lines.first, "endLine": lines.last}
    assert str(tmp_path) not in json.dumps(run)
    assert run["originalUriBaseIds"]["%SRCROOT%"].keys() == {"description"}


def test_a_finding_outside_of_the_current_folder_has_a_name_and_no_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = reviewed(tmp_path, monkeypatch)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    run = run_of(found)

    assert all("physicalLocation" not in each["locations"][0] for each in run["results"])
    assert all("fixes" not in each for each in run["results"])
    assert run["results"][0]["locations"][0]["logicalLocations"] == [{"fullyQualifiedName": "User.primary"}]


def test_applying_the_replacements_of_a_fix_gives_the_text_of_the_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = reviewed(tmp_path, monkeypatch)
    results = run_of(found)["results"]

    changed = [each for each in found.findings if each.change]
    assert changed
    for finding, result in zip(found.findings, results, strict=False):
        if finding.change:
            (artifact,) = result["fixes"][0]["artifactChanges"]
            (file, expected), *_ = finding.change.new_texts.items()
            assert _applied(Path(file).read_text("utf-8"), artifact["replacements"]) == expected


def _applied(text: str, replacements: list[dict[str, Any]]) -> str:
    """The text with the replacements, by lines and columns that count from 1."""
    lines = text.splitlines(keepends=True)

    def position(line: int, column: int) -> int:
        return sum(map(len, lines[: line - 1])) + column - 1

    for each in reversed(replacements):
        region = each["deletedRegion"]
        start = position(region["startLine"], region["startColumn"])
        end = position(region["endLine"], region["endColumn"])
        text = text[:start] + each["insertedContent"]["text"] + text[end:]
    return text


def test_accepted_findings_are_suppressed_in_the_source_or_by_a_baseline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = reviewed(tmp_path, monkeypatch)
    of_baseline = Accepted(found.findings[0], "it is in the baseline known.json", in_source=False)
    results = run_of(replace(found, accepted=(*found.accepted, of_baseline)))["results"]

    suppressed = [each["suppressions"][0] for each in results if "suppressions" in each]
    assert suppressed == [
        {"kind": "inSource", "status": "accepted", "justification": "a list of few users"},
        {"kind": "external", "status": "accepted", "justification": "it is in the baseline known.json"},
    ]


def test_fingerprints_survive_moved_lines_and_are_different_for_each_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fingerprints(found: Review) -> list[str]:
        return [each["partialFingerprints"]["declaration/v1"] for each in run_of(found)["results"]]

    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    before = reviewed(tmp_path / "a", monkeypatch)
    after = reviewed(tmp_path / "b", monkeypatch, "\n\n\n" + _DESIGN.replace("5000", "6000"))
    assert fingerprints(before) == fingerprints(after)
    assert len(set(fingerprints(before))) == len(before.findings) + len(before.accepted)
    twice = replace(before, findings=(before.findings[0], before.findings[0]), accepted=())
    assert len(set(fingerprints(twice))) == 2


def test_every_rule_has_its_documentation_in_the_log() -> None:
    rules = run_of(review_of(_DESIGN))["tool"]["driver"]["rules"]

    assert [each["id"] for each in rules] == [each.code for each in RULES]
    assert all("## Use instead" in each["help"]["markdown"] for each in rules)
    assert len({each["name"] for each in rules}) == len(RULES)


def test_what_was_not_reviewed_is_a_notification() -> None:
    found = review_of(_DESIGN.replace("rate=5000, ", ""))
    (invocation,) = run_of(found)["invocations"]

    texts = [each["message"]["text"] for each in invocation["toolExecutionNotifications"]]
    assert len(texts) == len(found.not_reviewed) > 0
    assert "User.add" in "".join(texts)


@pytest.mark.parametrize("show_values", [False, True])
def test_key_values_are_masked_by_default(*, show_values: bool) -> None:
    secret = 'bob@hidden.example\n"<b>'
    finding = Finding(
        "scan",
        "warning",
        Subject("Order.all"),
        f"the key {secret!r} receives most calls.",
        (f"{secret}: 100 calls", "CUST#bob@hidden.example#2: 7 calls"),
        f"shard {secret!r}.",
        values=("bob@hidden.example", secret, "CUST#bob@hidden.example#2"),
    )
    found = replace(review_of(_DESIGN), findings=(finding,))

    results = json.dumps(run_of(found, show_values=show_values)["results"])
    page = html_report(found, show_values=show_values)
    assert ["bob@hidden.example" in text for text in (results, page)] == [show_values, show_values]
    assert ("<value 2>" in results) is not show_values


def test_hostile_texts_are_harmless() -> None:
    found = review_of(HOSTILE)
    assert found.findings
    assert found.accepted
    for result in run_of(found)["results"]:
        for text in (result["message"]["text"], *result["properties"]["evidence"]):
            assert text.isprintable()
            assert "](" not in text.replace("\\](", "")
