"""Our `dataclass` makes the same classes as the one of `dataclasses`."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field
from typing import Any, Generic, TypeVar

import pytest

from pksk.dataclass import dataclass

T = TypeVar("T")
OPTIONS = [
    {"frozen": frozen, "slots": slots, "eq": eq}
    for frozen in (True, False)
    for slots in (True, False)
    for eq in (True, False)
]


def make(decorator: Any, **options: Any) -> Any:
    @decorator(**options)
    class Point(Generic[T]):
        x: int
        y: int = 0
        tags: list[str] = field(default_factory=list)
        note: str = field(default="", compare=False, repr=False)
        total: int = field(init=False, default=7)

    return Point


def pairs() -> list[tuple[Any, Any]]:
    return [(make(dataclass, **options), make(dataclasses.dataclass, **options)) for options in OPTIONS]


@pytest.mark.parametrize(("ours", "standard"), pairs())
def test_a_class_has_the_same_signature_fields_and_text(ours: Any, standard: Any) -> None:
    assert str(inspect.signature(ours)) == str(inspect.signature(standard))
    assert ours.__init__.__annotations__ == standard.__init__.__annotations__
    assert [each.name for each in dataclasses.fields(ours)] == [
        each.name for each in dataclasses.fields(standard)
    ]
    assert repr(ours(1, tags=["a"])) == repr(standard(1, tags=["a"]))
    assert ours.__match_args__ == standard.__match_args__
    assert hasattr(ours(1), "__dict__") == hasattr(standard(1), "__dict__")


@pytest.mark.parametrize(("ours", "standard"), pairs())
@pytest.mark.parametrize("arguments", [{}, {"x": 1, "z": 2}, {"x": 1, "total": 3}])
def test_wrong_arguments_raise_the_same_error(ours: Any, standard: Any, arguments: dict[str, int]) -> None:
    with pytest.raises(TypeError) as expected:
        standard(**arguments)
    with pytest.raises(TypeError) as raised:
        ours(**arguments)

    assert str(raised.value) == str(expected.value)


@pytest.mark.parametrize(("ours", "standard"), pairs())
def test_objects_compare_and_hash_in_the_same_way(ours: Any, standard: Any) -> None:
    for each in (ours, standard):
        assert (each(1, note="a") == each(1, note="b")) == (standard(1, note="a") == standard(1, note="b"))
        assert each(1) != each(2)
        assert each(1) != (1, 0, [], "", 7)
    assert (ours.__hash__ is None) == (standard.__hash__ is None)


@pytest.mark.parametrize("slots", [True, False])
def test_a_frozen_object_is_immutable_and_can_be_hashed_copied_and_replaced(slots: bool) -> None:
    one = Pair(1, "a") if slots else Loose(1, "a")

    changes: list[Callable[[], None]] = [lambda: setattr(one, "number", 2), lambda: delattr(one, "number")]
    for change in changes:
        with pytest.raises(FrozenInstanceError, match="number"):
            change()
    assert len({one, copy.copy(one), pickle.loads(pickle.dumps(one)), dataclasses.replace(one)}) == 1
    assert dataclasses.asdict(dataclasses.replace(one, number=2)) == {"number": 2, "text": "a"}


@dataclass(frozen=True, slots=True)
class Pair:
    number: int
    text: str


@dataclass(frozen=True)
class Loose:
    number: int
    text: str


def test_methods_that_a_class_defines_itself_are_kept_and_post_init_runs() -> None:
    @dataclass(frozen=True)
    class Own:
        size: int

        def __post_init__(self) -> None:
            if self.size < 0:
                raise ValueError(self.size)

        def __repr__(self) -> str:
            return f"<{self.size}>"

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 5

    assert (repr(Own(1)), Own(1) == Own(2), hash(Own(1))) == ("<1>", True, 5)
    with pytest.raises(ValueError, match="-1"):
        Own(-1)


def test_a_subclass_has_the_fields_of_its_base_first() -> None:
    @dataclass(frozen=True)
    class Longer(Loose):
        more: int = 3

    assert repr(Longer(1, "a")).endswith("Longer(number=1, text='a', more=3)")
    assert Longer(1, "a") != Loose(1, "a")
    assert repr(Loose(1, "a")) == "Loose(number=1, text='a')"


def test_a_class_without_a_docstring_has_none() -> None:
    assert Pair.__doc__ is None
