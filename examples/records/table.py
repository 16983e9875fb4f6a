"""The one table of the records system: its index is by kind, and sorts as each kind likes."""

from __future__ import annotations

from pksk import GSI, Table

# The sort key of the table is the partition key of the index: all of a kind stand together there. What has no
# altSort is not in the index. The kinds tell each other apart by sk, so there is no further attribute for that.
records = Table(
    "records",
    indexes=[GSI("gsi_sk_altSort", pk="sk", sk="altSort")],
    discriminator=None,
)
