"""Every rule: designs in which it finds something, designs in which it must not, and what removes the finding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

from pksk.review import RULES, Review, Rule
from pksk.review.rule import SECTIONS
from tests.review.designs import review_of, review_of_text

CODES = [each.code for each in RULES]
NAMED: Mapping[str, Rule] = {each.code: each for each in RULES}


def cases(code: str) -> ModuleType:
    return import_module(f"tests.review.cases.{code.replace('-', '_')}")


def review_case(code: str, name: str, kind: str = "FOUND", rules: Sequence[Rule] | None = None) -> Review:
    """The review of a case; some have a trace under the same name, or are measured."""
    module = cases(code)
    case = getattr(module, kind)[name]
    source = case[1] if kind == "FOUND" else case
    trace, is_measured = getattr(module, "TRAFFIC", {}).get(name), name in getattr(module, "MEASURED", ())
    return review_of(source, rules, trace, measured=is_measured)


def every(kind: str) -> list[Any]:
    return [
        pytest.param(code, name, id=f"{code}: {name}")
        for code in CODES
        for name in getattr(cases(code), kind)
    ]


@pytest.mark.parametrize(("code", "name"), every("FOUND"))
def test_a_rule_finds_its_problem_alone_and_with_all_others(code: str, name: str) -> None:
    severity, _ = cases(code).FOUND[name]
    alone = review_case(code, name, rules=[NAMED[code]])
    together = review_case(code, name)

    assert {(each.rule, each.severity) for each in alone.findings} == {(code, severity)}
    assert [each.data()["problem"] for each in together.findings if each.rule == code] == [
        each.problem for each in alone.findings
    ]


@pytest.mark.parametrize(("code", "name"), every("FOUND"))
def test_a_finding_names_its_line_and_its_fix(code: str, name: str) -> None:
    severity, _ = cases(code).FOUND[name]
    for each in review_case(code, name, rules=[NAMED[code]]).findings:
        assert each.subject.lines is not None
        assert each.subject.lines.text.strip()
        assert each.problem.endswith(".")
        assert each.fix.endswith(".") or severity == "info"


@pytest.mark.parametrize(("code", "name"), every("SILENT"))
def test_a_rule_is_silent_about_other_designs(code: str, name: str) -> None:
    assert review_case(code, name, "SILENT", [NAMED[code]]).findings == ()


@pytest.mark.parametrize(("code", "name"), every("FIXED"))
def test_the_fix_removes_the_finding_and_makes_no_other(code: str, name: str) -> None:
    before = review_case(code, name)
    after = review_case(code, name, "FIXED")

    assert code in {each.rule for each in before.findings}
    assert {(each.rule, each.severity) for each in after.findings if each.severity != "info"} == set()


@pytest.mark.parametrize(("code", "name"), every("FOUND"))
def test_a_mechanical_fix_applied_to_the_source_removes_its_finding_and_adds_no_error(
    code: str, name: str
) -> None:
    before = review_case(code, name)
    changes = [each.change for each in before.findings if each.rule == code and each.change]

    assert bool(changes) == (name in getattr(cases(code), "MECHANICAL", ()))
    for change in changes:
        (text,) = change.new_texts.values()
        after = review_of_text(text)
        assert change.diff.startswith("--- a/")
        assert code not in {each.rule for each in after.findings if each.severity != "info"}
        assert {each.rule for each in after.findings if each.severity == "error"} <= {
            each.rule for each in before.findings if each.severity == "error"
        }
        assert not [each.problem for each in after.design.uses if each.problem]


@pytest.mark.parametrize("code", CODES)
def test_a_rule_has_its_module_its_documentation_and_enough_cases(code: str) -> None:
    rule, module = NAMED[code], cases(code)

    assert (
        getattr(import_module(f"pksk.review.rules.{code.replace('-', '_')}"), code.replace("-", "_")) is rule
    )
    assert tuple(rule.sections) == SECTIONS
    assert all(rule.sections.values())
    assert rule.title.endswith(".")
    assert len(module.FOUND) >= 2
    assert len(module.SILENT) >= 2
    assert module.FIXED.keys() <= module.FOUND.keys()
    assert getattr(module, "MECHANICAL", set()) <= module.FOUND.keys()
