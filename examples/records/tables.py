"""The one table of the records system: its index is by kind, and sorts as each kind likes."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, TypeAlias

from pksk import GSI, Attribute, Provisioned, Table, Updated, sequence

__all__ = ["LastUpdate", "ids", "records"]

# The sort key of the table is the partition key of the index: all of a kind stand together there. What has no
# altSort is not in the index. The kinds tell each other apart by sk, so there is no further attribute for that.
# Capacity is for the few who search at once; it is raised for a load, and lowered again.
records = Table(
    "records",
    indexes=[GSI("gsi_sk_altSort", pk="sk", sk="altSort")],
    billing=Provisioned(read=5, write=5),
    discriminator=None,
)

# When an item was written last. Whoever changes what they have read asks that it is there, and still the same.
LastUpdate: TypeAlias = Annotated[datetime | None, Attribute("last_update_time"), Updated()]

# Where every id but those of places comes from. All new things add to this one item, and so it is the busiest of all;
# whoever needs many numbers draws them as one block.
ids = sequence(
    "records", table=records, key=("sequence", "sequence"), attribute="sequenceValue", name="Sequence"
)
