"""What other packages let an entity declare in its body, beside its fields and keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration


class EntityExtension:
    """An attribute of an entity class that is neither a field nor a key; checked when the class is complete."""

    name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def check(self, declaration: Declaration) -> None:
        """Raise an error if the extension does not fit the entity."""
        raise NotImplementedError


def extensions_of(entity: type) -> Mapping[str, EntityExtension]:
    """The extensions of a class and of its bases; the nearest class takes precedence."""
    extensions: dict[str, EntityExtension] = {}
    for base in reversed(entity.__mro__):
        for name, value in vars(base).items():
            if isinstance(value, EntityExtension):
                extensions[name] = value
            else:
                extensions.pop(name, None)
    return extensions
