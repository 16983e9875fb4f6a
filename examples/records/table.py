"""The one table of the records system: its index is by kind, and sorts as each kind likes."""

from __future__ import annotations

from pksk import GSI, Provisioned, Table

# The sort key of the table is the partition key of the index: all of a kind stand together there. What has no
# altSort is not in the index. The kinds tell each other apart by sk, so there is no further attribute for that.
# Capacity is for the few who search at once; it is raised for a load, and lowered again.
records = Table(
    "records",
    indexes=[GSI("gsi_sk_altSort", pk="sk", sk="altSort")],
    billing=Provisioned(read=5, write=5),
    discriminator=None,
)
