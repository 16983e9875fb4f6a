"""Names that stand in an object of a model and are no fields: `model_copy(update=...)` takes any."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

__all__ = ["unknown_names"]


def unknown_names(value: BaseModel) -> list[str]:
    """The names of values that no field holds; what a cached property keeps, or what is private, is none of them.

    Example:
        >>> class Point(BaseModel):
        ...     x: int
        >>> unknown_names(Point(x=1)), unknown_names(Point(x=1).model_copy(update={"z": 2}))
        ([], ['z'])
    """
    kind = type(value)
    known = kind.__pydantic_fields__
    if len(value.__dict__) <= len(known) and value.__dict__.keys() <= known.keys():
        return []
    return [name for name in value.__dict__ if name not in known and not _is_kept(kind, name)]


def _is_kept(kind: type[BaseModel], name: str) -> bool:
    """Whether a descriptor of the class keeps its result under this name, as functools.cached_property does."""
    if name.startswith("_"):
        return True
    found: Any = next((vars(each)[name] for each in kind.__mro__ if name in vars(each)), None)
    return all(hasattr(found, each) for each in ("__get__", "__set_name__")) and not hasattr(found, "__set__")
