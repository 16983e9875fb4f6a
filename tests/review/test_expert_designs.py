"""Designs of experts: every finding on them is expected, with the reason why it is right, and there is no other."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import pytest

from pksk.review import Review, review
from pksk.schema import Table
from tests.review import expert_designs

NAMES = [each.name for each in iter_modules(expert_designs.__path__)]


def reviewed(name: str) -> tuple[Any, Review]:
    module = import_module(f"{expert_designs.__name__}.{name}")
    return module, review(*(each for each in vars(module).values() if isinstance(each, Table)))


@pytest.mark.parametrize("name", NAMES)
def test_a_design_of_an_expert_has_the_findings_that_are_justified_beside_it(name: str) -> None:
    module, found = reviewed(name)

    assert {
        (each.severity, each.rule, each.subject.name) for each in found.findings
    } == module.FINDINGS.keys()
    assert all(reason.endswith(".") for reason in module.FINDINGS.values())


@pytest.mark.parametrize("name", NAMES)
def test_a_design_of_an_expert_declares_all_that_a_review_needs(name: str) -> None:
    module, found = reviewed(name)

    assert set(found.not_reviewed) == getattr(module, "NOT_REVIEWED", set())
    assert [each.pattern.name for each in found.design.uses if each.problem] == []
