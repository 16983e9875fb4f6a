"""The designs of all five systems: their keys, and the plans of their access patterns."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

from pksk import Table
from tests.cli.run_pksk import pksk
from tests.examples.example_requests import entities, example_requests, expected, keys_of, patterns
from tests.project.tree import ROOT

SYSTEMS = ("parks", "pantry", "heatmap", "records", "lessons")
EXPECTED = {system: expected(system) for system in SYSTEMS}


def tables(system: str) -> list[Table]:
    """The tables of a design, in the order in which it has them."""
    values = vars(import_module(f"examples.{system}.design")).values()
    each = [value for one in values for value in (one if isinstance(one, list) else [one])]
    return list({id(value): value for value in each if isinstance(value, Table)}.values())


def key_cases() -> Iterator[Any]:
    for system in SYSTEMS:
        for case in EXPECTED[system]["key"]:
            yield pytest.param(
                system, case, id=f"{system} {case['entity']} {' '.join(map(str, case['keys'].values()))}"
            )


def pattern_cases() -> Iterator[Any]:
    for system in SYSTEMS:
        for name in EXPECTED[system]["pattern"]:
            yield pytest.param(system, name, id=f"{system} {name}")


@pytest.mark.parametrize(("system", "case"), list(key_cases()))
def test_an_entity_has_exactly_these_keys(system: str, case: dict[str, Any]) -> None:
    entity = entities(tables(system))[case["entity"]]

    assert keys_of(entity.model_validate(case["values"])) == case["keys"]


@pytest.mark.parametrize(("system", "case"), list(key_cases()))
def test_an_entity_is_read_back_from_its_item(system: str, case: dict[str, Any]) -> None:
    entity = entities(tables(system))[case["entity"]]
    made = entity.model_validate(case["values"])

    assert entity.__pksk__.from_item(entity.__pksk__.to_item(made)) == made


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_entity_has_its_keys_tested(system: str) -> None:
    assert {case["entity"] for case in EXPECTED[system]["key"]} == entities(tables(system)).keys()


@pytest.mark.parametrize(("system", "name"), list(pattern_cases()))
def test_an_access_pattern_makes_exactly_these_requests(system: str, name: str) -> None:
    design = tables(system)

    assert example_requests(patterns(design)[name], design) == EXPECTED[system]["pattern"][name]


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_access_pattern_has_its_requests_tested(system: str) -> None:
    assert EXPECTED[system]["pattern"].keys() == patterns(tables(system)).keys()


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_access_pattern_has_a_description(system: str) -> None:
    assert [name for name, each in patterns(tables(system)).items() if not each.description] == []


@pytest.mark.parametrize("system", SYSTEMS)
def test_pksk_design_prints_every_entity_and_pattern(system: str) -> None:
    design = tables(system)

    ran = pksk("design", str(ROOT / "examples" / system / "design.py"))

    assert ran.code == 0
    assert [name for name in (*entities(design), *patterns(design)) if name not in ran.out] == []
