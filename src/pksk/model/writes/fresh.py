"""Requests that are given away anew each time, so that whoever changes one changes nothing else."""

from __future__ import annotations

from typing import Any, TypeVar

__all__ = ["fresh"]


T = TypeVar("T")

_CHANGING = (dict, list)


def fresh(request: T) -> T:
    """A copy of a request, of all dicts and lists in it; what else it holds does not change.

    Example:
        >>> request = {"Key": {"pk": {"S": "a"}}}
        >>> fresh(request)["Key"]["pk"].clear()
        >>> request
        {'Key': {'pk': {'S': 'a'}}}
    """
    # Most of what a request holds is text, for which no further call is made.
    made: Any = request
    if type(made) is dict:
        made = {name: fresh(each) if type(each) in _CHANGING else each for name, each in made.items()}
    elif type(made) is list:
        made = [fresh(each) if type(each) in _CHANGING else each for each in made]
    return made  # type: ignore[no-any-return]
