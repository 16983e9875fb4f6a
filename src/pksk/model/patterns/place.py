"""Finds out where a pattern is declared: beside entities, in the body of one, or in that of another class."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel

__all__ = ["Body", "body_of"]

Body: TypeAlias = Literal["none", "model", "class"]

# What Pydantic runs the body of a model in; the body of any other class runs in another kind of dict.
_MODEL_NAMESPACE = type(type(BaseModel).__prepare__("Body", ()))


def body_of(function: Callable[..., Any]) -> Body:
    """The kind of class body in which a function is being declared at this moment, if it is in one.

    A class is known only when its body has run; so it is looked for among what runs now.
    """
    owner = function.__qualname__.rpartition(".")[0]
    frame = sys._getframe(1)
    while owner and not owner.endswith("<locals>") and frame is not None:
        if frame.f_code.co_qualname == owner and frame.f_globals.get("__name__") == function.__module__:
            return "model" if type(frame.f_locals) is _MODEL_NAMESPACE else "class"
        frame = frame.f_back  # type: ignore[assignment]
    return "none"
