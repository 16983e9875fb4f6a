"""Lets the requests of a pattern's calls know which pattern made them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import update_wrapper
from math import ceil
from typing import Any

from pksk.model.patterns.declared import Declared
from pksk.model.patterns.of_class import MARK
from pksk.model.request import Called, Request

__all__ = ["Calls"]


class Calls:
    """The function of a pattern as its author wrote it, and the one that stands in its place.

    A base without a table of its own gives its patterns to every entity below it: then the class that a call is
    made on says which pattern it is.
    """

    def __init__(self, function: Callable[..., Any], name: str, declared: Declared) -> None:
        self.function, self.name, self.declared = function, name, declared
        self._plain = Called(name, declared)
        self._of_entity: dict[type, Called] = {}
        self.wrapper = self._wrapper()

    def belongs_to(self, entity: type, name: str) -> None:
        """Take the name that the pattern has on an entity."""
        self._of_entity[entity] = Called(name, self.declared)

    def _wrapper(self) -> Callable[..., Any]:
        function, of_entity, called = self.function, self._of_entity, self._called

        def wrapper(*args: Any, **kwargs: Any) -> Any:
            result = function(*args, **kwargs)
            made_by = called(args[0]) if of_entity and args else self._plain
            if isinstance(result, Request):
                return result.of_pattern(made_by)
            return _shared(result, made_by) if isinstance(result, list) and result else result

        update_wrapper(wrapper, function)
        setattr(wrapper, MARK, self)
        return wrapper

    def _called(self, first: object) -> Called:
        """The pattern by the first argument of a call: the class, where it is a class method."""
        for base in first.__mro__ if isinstance(first, type) else type(first).__mro__:
            if base in self._of_entity:
                return self._of_entity[base]
        return next(iter(self._of_entity.values()))


def _shared(requests: list[Any], made_by: Called) -> list[Any]:
    """Several requests of one call, which together find what the pattern declares."""
    declared = made_by.declared
    if declared.items is not None:
        share = replace(declared, items=ceil(declared.items / len(requests)))
        made_by = Called(made_by.name, share)
    return [each.of_pattern(made_by) if isinstance(each, Request) else each for each in requests]
