"""What is known of a field's values beforehand: how they are stored, and what may not come back as it was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pksk.dataclass import dataclass

__all__ = ["EXACT", "Form", "Store", "Unfit"]

Store = Callable[[Any, str], Any]


class Unfit(Exception):
    """A type whose values cannot be stored and read back: why, and what to declare instead."""

    def __init__(self, problem: str, fix: str) -> None:
        super().__init__(problem)
        self.problem, self.fix = problem, fix


@dataclass(frozen=True, slots=True)
class Form:
    """How a value is stored: by `store`, or else by its own type; and why it may come back as another.

    `vague`: the stored value can stand for several values, as in `Any`. `altered`: a function of the user's runs
    when it is read. Such values are read back before they are stored.

    Example:
        >>> Form(vague=True).joined([Form(altered=True)])
        Form(store=None, vague=True, altered=True)
    """

    store: Store | None = None
    vague: bool = False
    altered: bool = False

    def joined(self, others: list[Form]) -> Form:
        """The same way to store, with the doubts about all of them."""
        every = [self, *others]
        return replace(self, vague=any(f.vague for f in every), altered=any(f.altered for f in every))

    def optional(self) -> Form:
        """The same for values that may be None, which is stored as it is."""
        store = self.store
        if store is None:
            return self
        return replace(self, store=lambda value, path: None if value is None else store(value, path))


# By its own type, and sure to come back as it was.
EXACT = Form()
