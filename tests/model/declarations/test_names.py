"""Fields may have the names of methods, also in a class inside a function."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from pksk import Entity, Key, Table
from pksk.model.entity import OverridableMethod


class Search(Entity, table=Table("searches")):
    id: str
    where: str  # type: ignore[assignment]
    scan: int = 7  # type: ignore[assignment]
    primary = Key("S#{id}", "META")


class Wide(Search, table=Table("wide")):
    more: str = ""


def test_fields_named_where_and_scan_are_fields_like_others() -> None:
    made = Search(id="1", where="here")

    assert (made.where, made.scan) == ("here", 7)
    assert Search.__pksk__.from_item(Search.__pksk__.to_item(made)) == made
    assert Search.__pksk__.fields["where"].required


@pytest.mark.parametrize("entity", [Search, Wide])
def test_a_field_with_a_method_name_stays_required(entity: Any) -> None:
    with pytest.raises(ValidationError, match="where"):
        entity(id="1")


def test_the_methods_of_the_class_still_work() -> None:
    ask: Any = Search

    assert ask.where(id="1").entities == (Search,)
    assert ask.scan().entity is Search
    assert ask.where.__doc__.startswith("Rows by any attributes")


def test_every_public_method_of_entities_can_be_a_field() -> None:
    names = [
        name
        for name, value in vars(Entity).items()
        if not name.startswith("_") and isinstance(value, OverridableMethod)
    ]
    # By a statement, which asks the metaclass for the namespace, as authors write it.
    body = "\n    ".join(
        ["class Made(Entity, table=Table('made')):", "id: str", *(f"{name}: str" for name in names)]
    )
    space: dict[str, Any] = {"Entity": Entity, "Table": Table, "Key": Key}
    exec(compile(f"{body}\n    primary = Key('E#{{id}}', 'META')", "made", "exec", dont_inherit=True), space)

    assert {"where", "scan"} <= set(names)
    for name in names:
        with pytest.raises(ValidationError, match=name):
            space["Made"](id="1", **{other: "x" for other in names if other != name})


def test_a_field_may_have_the_name_of_an_inherited_key() -> None:
    class Base(Entity):
        id: str
        primary = Key("B#{id}", "META")

    class Made(Base, table=Table("made")):
        primary: str  # type: ignore[assignment]

    made = Made(id="1", primary="x")

    assert made.primary == "x"
    assert Made.__pksk__.fields["primary"].required


def test_a_class_inside_a_function_warns_no_more_than_others() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")

        class Base(Entity):
            id: str
            primary = Key("B#{id}", "META")

        class Made(Base, table=Table("made")):
            schema: str  # type: ignore[assignment]
            json: int  # type: ignore[assignment]
            copy: bool  # type: ignore[assignment]
            where: str  # type: ignore[assignment]

    made = Made(id="1", schema="s", json=1, copy=True, where="x")

    assert Made.__pksk__.from_item(Made.__pksk__.to_item(made)) == made


def test_warnings_of_other_models_are_let_through() -> None:
    class Odd(Entity, table=Table("odd")):
        copy: str  # type: ignore[assignment]
        primary = Key("ODD#{copy}", "META")

    with pytest.warns(UserWarning, match="shadows an attribute"):

        class Plain(BaseModel):
            copy: str  # type: ignore[assignment]
