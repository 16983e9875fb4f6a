"""The review of some TARGETs as one system, with the options of `pksk check` that concern what is reviewed."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

from pksk.cli.design_partitions import example_items
from pksk.cli.target import Target, load
from pksk.dataclass import replace
from pksk.errors import PkskError
from pksk.model import Entity
from pksk.review import DesignMeasurement, Review, measure_design, read_traffic, review


def reviewed(
    targets: Sequence[str], *, traffic: str | None = None, measure: bool = False, items: str | None = None
) -> Review:
    """Import the designs, and review them; `items` names a list of entities to measure on.

    Of several designs, those that cannot be read are left out, and the review is partial.
    """
    designs, errors = _read(targets)
    tables = [table for each in designs for table in each.tables]
    result = review(
        *tables,
        traffic=None if traffic is None else read_traffic(traffic, tables),
        measured=_measured(designs, items) if measure or items else None,
    )
    return replace(result, unread=tuple(map(str, errors)))


def _read(targets: Sequence[str]) -> tuple[list[Target], list[PkskError]]:
    """The designs that can be read, and the errors of the others; raises if there is no design."""
    designs: list[Target] = []
    errors: list[PkskError] = []
    for each in targets:
        try:
            designs.append(load(each))
        except PkskError as error:
            errors.append(error)
    if designs:
        return designs, errors
    if len(errors) > 1:
        errors[0].problem = "\n\n".join([*map(str, errors[1:]), errors[0].problem])
    raise errors[0]


def _measured(designs: Sequence[Target], name: str | None) -> DesignMeasurement:
    """The measurement of some designs, whose code may import its modules meanwhile."""
    with ExitStack() as stack:
        for each in designs:
            stack.enter_context(each.importable())
        items: list[Entity] = []
        if name is not None:
            owner = next((each for each in designs if hasattr(each.module, name)), designs[0])
            items = example_items(owner.module, owner.text, name)
        return measure_design((table for each in designs for table in each.tables), items)
