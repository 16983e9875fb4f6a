"""Global secondary indexes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from pksk.schema.attribute import Declared, declared_key, key_text, refuse_twice
from pksk.schema.billing import Billing, declared_billing
from pksk.schema.declaration import declaration
from pksk.schema.index import Index, Kind
from pksk.schema.names import resource_name
from pksk.schema.projection import declared_projection
from pksk.schema.quotas import GSI_KEY_ATTRIBUTES

__all__ = ["GSI"]


@dataclass(frozen=True, init=False, repr=False)
class GSI(Index):
    """A global secondary index: keys of its own, each of one to four attributes.

    An item that lacks one of the key attributes is not in the index. Without `billing`
    the index has what its table has: the same provisioned units, or no limit on demand.

    Example:
        >>> from pksk.schema import N
        >>> GSI("globalId-index", pk="globalId", sk="sk")
        GSI('globalId-index', pk='globalId', sk='sk')
        >>> busy = GSI("busy", pk=("tenant", "status"), sk=(N("day"), "id"), projection=["total"])
        >>> busy.partition, busy.sort
        (('tenant', 'status'), ('day', 'id'))
    """

    kind: ClassVar[Kind] = "gsi"

    name: str
    billing: Billing | None

    def __init__(
        self,
        name: str,
        *,
        pk: Declared,
        sk: Declared | None = None,
        projection: str | Iterable[str] = "all",
        billing: Billing | str | None = None,
    ) -> None:
        name = resource_name("GSI", name)
        where = f"GSI {name!r}"
        partition = declared_key(where, "pk", pk, at_most=GSI_KEY_ATTRIBUTES)
        sort = () if sk is None else declared_key(where, "sk", sk, at_most=GSI_KEY_ATTRIBUTES)
        refuse_twice(where, "pk and sk", partition + sort)
        self._declare(name, partition, sort, declared_projection(where, projection))
        self._set(billing=None if billing is None else declared_billing(where, billing))

    def __repr__(self) -> str:
        return declaration(
            "GSI",
            self.name,
            defaults={"sk": None, "projection": "all", "billing": None},
            pk=key_text(self.partition_key),
            sk=key_text(self.sort_key),
            projection=self.projection,
            billing=self.billing,
        )
