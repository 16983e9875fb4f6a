"""Primary keys that hold only a part of a field, for random designs."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from pksk import Key, Template
from pksk.errors import PkskError
from pksk.keys.compiled import determine_value


def coarse_key(model: type[BaseModel], *texts: str) -> Key:
    """The primary key of these templates; a field that it holds only in part has one item for each such part."""
    return Key(*texts, one_per_bucket=coarse_fields(model, *texts))


def coarse_fields(model: type[BaseModel], *texts: str) -> tuple[str, ...]:
    types: dict[str, Any] = {name: info.annotation for name, info in model.model_fields.items()}
    try:
        parts = [part for text in texts for part in Template(text, types).parts]
    except PkskError:  # the class with this key is rejected as well
        return ()
    fields = dict.fromkeys(part.field for part in parts)
    return tuple(
        name for name in fields if not determine_value([part for part in parts if part.field == name])
    )
