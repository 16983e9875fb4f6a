"""The one table of the records system, its index by kind of item, and its sequence."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, TypeAlias

from pksk import GSI, Attribute, Provisioned, Table, Updated, sequence

# The sort key of the table is the partition key of the index, so all items of a kind are together there. Items
# without altSort are not in the index. The sk distinguishes the entities, so no further attribute is needed. The
# capacity is for few users at once; it is raised for a load, and lowered again.
records = Table(
    "records",
    indexes=[
        GSI("gsi_sk_altSort", pk="sk", sk="altSort"),
        # Sparse: only places whose name has accents, or other letters that people do not type.
        GSI("gsi_plainStart_plainName", pk="plainStart", sk="plainName"),
    ],
    billing=Provisioned(read=5, write=5),
    discriminator=None,
)

# When an item was written last. A change is conditional on it being the same as when the item was read.
LastUpdate: TypeAlias = Annotated[datetime | None, Attribute("last_update_time"), Updated()]

# The source of every id except those of places. All new items add to this one item, so it is the busiest of all;
# draw many ids as one block.
ids = sequence(
    "records", table=records, key=("sequence", "sequence"), attribute="sequenceValue", name="Sequence"
)
