"""Methods of entities that yield their name to a field: an author may call a field `where` or `scan`."""

from __future__ import annotations

from functools import update_wrapper
from typing import Any

__all__ = ["OverridableMethod"]


class OverridableMethod:
    """A method that Pydantic does not take for the default of a field of the same name.

    Pydantic looks a default up as an attribute of the class in the making, and finds the method of the base there.
    """

    def __init__(self, method: Any, name: str) -> None:
        wrapper: Any = self
        update_wrapper(wrapper, method)
        self._method, self._name = method, name

    def __get__(self, instance: Any, owner: type[Any]) -> Any:
        # Until Pydantic has collected the fields of a class, it is the only one to ask.
        fields = vars(owner).get("__pydantic_fields__")
        if fields is None or (instance is not None and self._name in fields):
            raise AttributeError(self._name)
        return self._method.__get__(instance, owner)
