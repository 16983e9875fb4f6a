"""Values of requests: immutable field values, and copies of requests that share them."""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

T = TypeVar("T")


class FrozenValues(dict[str, Any]):
    """The field values of a request, by name: a dict that cannot change, compared and hashed by its content.

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

    def _reject(self, *_arguments: Any, **_options: Any) -> NoReturn:
        raise TypeError("a query is immutable; build a new one")

    __setitem__ = __delitem__ = _reject
    clear = pop = popitem = setdefault = update = _reject

    def __ior__(self, _other: Any) -> NoReturn:  # type: ignore[misc]
        self._reject()

    def __reduce__(self) -> tuple[Any, ...]:
        return FrozenValues, (dict(self),)


def copy_request(request: T) -> T:
    """A copy of a request and of all dicts and lists in it; nothing else in it can change."""
    copied: Any = request
    if type(copied) is dict:
        copied = copied.copy()
        # Most values are text, for which no further call is made.
        for name, each in copied.items():
            if type(each) is dict or type(each) is list:
                copied[name] = copy_request(each)
    elif type(copied) is list:
        copied = [copy_request(each) if type(each) in (dict, list) else each for each in copied]
    return copied  # type: ignore[no-any-return]
