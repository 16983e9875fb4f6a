"""The example systems with typical mistakes have exactly the findings that these deserve."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

import pytest

from pksk.review import review
from pksk.schema import Table
from tests.review import broken_systems

NAMES = [each.name for each in iter_modules(broken_systems.__path__)]


@pytest.mark.parametrize("name", NAMES)
def test_a_broken_system_has_exactly_the_findings_that_it_deserves(name: str) -> None:
    module = import_module(f"{broken_systems.__name__}.{name}")
    found = review(*(each for each in vars(module).values() if isinstance(each, Table)))

    assert {
        (each.severity, each.rule, each.subject.name) for each in found.findings
    } == module.FINDINGS.keys()
    assert all(reason.endswith(".") for reason in module.FINDINGS.values())
    assert [each.pattern.name for each in found.design.uses if each.problem] == []
