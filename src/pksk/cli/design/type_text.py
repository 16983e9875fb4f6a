"""Writes the type of a field as its author would."""

from __future__ import annotations

from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

__all__ = ["type_text"]


def type_text(annotation: Any) -> str:
    """An annotation in short, without what Annotated adds.

    Example:
        >>> type_text(Annotated[dict[str, int] | None, "anything"]), type_text(Literal["open", 1])
        ('dict[str, int] | None', "Literal['open', 1]")
    """
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return type_text(arguments[0])
    if origin in (Union, UnionType):
        return " | ".join(map(type_text, arguments))
    if origin is Literal:
        return f"Literal[{', '.join(map(repr, arguments))}]"
    if annotation in (None, NoneType):
        return "None"
    if annotation is Ellipsis:
        return "..."
    if isinstance(annotation, list):  # the parameters of a Callable
        return f"[{', '.join(map(type_text, annotation))}]"
    name = getattr(origin or annotation, "__name__", None) or str(annotation).removeprefix("typing.")
    return f"{name}[{', '.join(map(type_text, arguments))}]" if arguments else name
