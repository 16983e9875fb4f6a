"""Field values of a request: a dict that cannot be changed, so that requests can be compared and hashed."""

from __future__ import annotations

from typing import Any, NoReturn


class FrozenValues(dict[str, Any]):
    """Field names and what is asked of each; equal and hashed by its content.

    Example:
        >>> one, other = FrozenValues({"id": "7"}), FrozenValues({"id": "7"})
        >>> one == other, len({one, other})
        (True, 1)
    """

    __slots__ = ()

    def __hash__(self) -> int:  # type: ignore[override]
        try:
            return hash(frozenset(self.items()))
        except TypeError:  # a value that has no hash, such as a list
            return hash(frozenset(self))

    def _refuse(self, *_arguments: Any, **_options: Any) -> NoReturn:
        raise TypeError("a query is immutable; build a new one")

    __setitem__ = __delitem__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __ior__(self, _other: Any) -> NoReturn:  # type: ignore[misc]
        self._refuse()

    def __reduce__(self) -> tuple[Any, ...]:
        return FrozenValues, (dict(self),)
