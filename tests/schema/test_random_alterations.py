"""Any table becomes any other with the same key, except for reported and unrequested differences."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from botocore.loaders import Loader
from botocore.model import ServiceModel
from botocore.validate import ParamValidator
from hypothesis import given, settings
from hypothesis import strategies as st

from pksk.engine.settings import Delays
from pksk.schema import GSI, LSI, KeyAttribute, N, OnDemand, S, Table, VectorIndex
from pksk.schema.alterations import alterations
from tests.conftest import LONG
from tests.schema.alter_tables import Waiting, altered, created, described
from tests.schema.random_tables import tables

SERVICE = ServiceModel(Loader().load_service_model("dynamodb", "service-2"), "dynamodb")


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Table, Table]:
    """Two tables of one name and mostly of one key, which share some indexes by name."""
    found, declared = draw(tables()), draw(tables())
    renamed = dict(zip(_names(declared), _names(found), strict=False)) if draw(st.booleans()) else {}
    if len({renamed.get(name, name) for name in _names(declared)}) < len(declared.indexes):
        renamed = {}
    retyped = draw(st.sampled_from([None, None, "day", "a b"]))
    key = found if draw(st.integers(0, 9)) else declared
    return _as(found, found, {}), _as(declared, key, renamed, name=found.name, retyped=retyped, shared=found)


def _vectors(table: Table) -> list[VectorIndex]:
    return [index for index in table.indexes if isinstance(index, VectorIndex)]


def _names(table: Table) -> list[str]:
    return [index.name for index in table.indexes]


def _as(
    table: Table,
    key: Table,
    renamed: dict[str, str],
    *,
    name: str | None = None,
    retyped: str | None = None,
    shared: Table | None = None,
) -> Table:
    """The table with another key, other names, and units that an account may have; some indexes as another has them."""
    sorts = bool(key.primary.sort_key)
    options: dict[str, Any] = {
        "pk": key.primary.partition_key[0],
        "sk": key.primary.sort_key[0] if sorts else None,
        "stream": table.stream or False,
        "ttl": table.ttl if table.ttl != "total" else "until",
        "billing": _few(table.billing),
        "table_class": table.table_class,
        "deletion_protection": table.deletion_protection,
        "encryption": table.encryption,
        "discriminator": None,
    }
    if shared is not None and table.deletion_protection and type(shared.billing) is type(table.billing):
        indexes = [_index(each, {}, None) for each in shared.indexes]
    else:
        vectors = [*_vectors(table), *(_vectors(shared) if shared else ())]
        fixed = {*key.key_attributes, *(part.name for each in vectors for part in each.typed_attributes)}
        retyped = None if retyped in fixed else retyped
        indexes = [_index(each, renamed, retyped) for each in table.indexes]
    indexes = [
        each
        for each in indexes
        if not isinstance(each, LSI) or (sorts and each.sort[0] not in key.primary.partition)
    ]
    return Table(name or table.name, **options, indexes=indexes)


def _index(index: Any, renamed: dict[str, str], retyped: str | None) -> Any:
    name = renamed.get(index.name, index.name)
    if isinstance(index, LSI):
        return LSI(name, sk=_typed(index.sort_key, retyped)[0], projection=index.projection)
    if isinstance(index, GSI):
        return GSI(
            name,
            pk=_typed(index.partition_key, retyped),
            sk=_typed(index.sort_key, retyped) or None,
            projection=index.projection,
            billing=None if index.billing is None else _few(index.billing),
        )
    return VectorIndex(
        name,
        attribute=index.attribute,
        dimensions=index.dimensions,
        distance=index.distance,
        pk=_typed(index.partition_key, retyped)[0] if index.partition_key else None,
        filters=_typed(index.filters, retyped),
        projection=index.projection,
    )


def _typed(attributes: tuple[KeyAttribute, ...], retyped: str | None) -> tuple[KeyAttribute, ...]:
    return tuple(
        (N if isinstance(each, S) else S)(each.name) if each.name == retyped else each for each in attributes
    )


def _few(billing: Any) -> Any:
    if isinstance(billing, OnDemand):
        return billing
    return replace(billing, read=billing.read % 4 + 1, write=billing.write % 4 + 1)


@settings(max_examples=1500 if LONG else 40, deadline=None)
@given(pairs(), st.booleans())
def test_the_steps_make_a_table_as_declared(pair: tuple[Table, Table], remove: bool) -> None:
    found, declared = pair
    engine = created(found)

    made = altered(engine, declared, remove_indexes=remove)
    again = altered(engine, declared, remove_indexes=remove)

    assert again.steps == ()
    assert all(
        ParamValidator().validate(step.request, _input(step.operation)).generate_report() == ""
        for step in made.steps
    )
    assert not (remove and made.extra)
    assert remove or not {step.index for step in made.steps if step.destructive} - {None, *_names(declared)}
    assert bool(made.differences) == bool(made.steps or made.impossible or made.extra)
    assert all(str(step) in str(made) for step in made.steps)


@settings(max_examples=400 if LONG else 15, deadline=None)
@given(pairs(), st.booleans())
def test_the_steps_are_right_when_changes_take_time(pair: tuple[Table, Table], remove: bool) -> None:
    found, declared = pair
    clock, delays = Waiting(), Delays(create_table=7, update_table=11, backfill=23)
    engine = created(found, delays, clock)
    clock.now += 3600  # the time to live was switched on just now

    altered(engine, declared, clock, remove_indexes=remove)

    assert alterations(declared, *described(engine, declared.name), remove_indexes=remove).steps == ()


def _input(operation: str) -> Any:
    return SERVICE.operation_model(operation).input_shape


@pytest.mark.wider
def test_the_random_pairs_cover_many_kinds_of_change() -> None:
    """Else the properties above prove little."""
    kinds: dict[str, int] = {}

    @settings(max_examples=300, deadline=None, database=None, derandomize=True)
    @given(pairs())
    def count(pair: tuple[Table, Table]) -> None:
        made = alterations(pair[1], pair[0].create_request(), {})
        for step in made.steps:
            kinds[step.description.split(" ")[0]] = kinds.get(step.description.split(" ")[0], 0) + 1
        kinds["again"] = kinds.get("again", 0) + sum(
            "create it again" in step.description for step in made.steps
        )
        kinds["impossible"] = kinds.get("impossible", 0) + bool(made.impossible)
        kinds["beside"] = kinds.get("beside", 0) + sum("beside" in each for each in made.impossible)

    count()

    assert all(
        kinds.get(kind, 0) > 2 for kind in ("delete", "make", "again", "provision", "allow", "bill", "switch")
    )
    assert kinds["impossible"] > 2
    assert kinds["beside"] > 0
