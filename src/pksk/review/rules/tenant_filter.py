"""The rule about queries that read the items of all tenants, and filter for one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pksk.model.bill.field_shares import is_time
from pksk.review.rule import Design, Finding, rule
from pksk.review.rules.loads import has_few_values
from pksk.review.rules.queries import KeyRead, key_reads
from pksk.review.source_lines import pattern_subject

_TENANT = re.compile(r"(?:tenant|org|organi[sz]ation|workspace)(?:_?id|_key|_name)?")


@rule("tenant-filter")
def tenant_filter(design: Design) -> Iterator[Finding]:
    """A query that reads the items of all tenants, and filters for those of one.

    ## What it does

    Finds queries whose filter compares a field named after a tenant (`tenant_id`, `org_id`, `workspace_id` and the
    like) with a value, while the partition key of the query has neither that field nor another one with many values. A
    lookup of one item (`items=1`) may check it so.

    ## Why is this bad?

    The query reads and pays for the items of all tenants, so a large tenant slows all others. And it is the filter
    alone that keeps tenants apart: where it is forgotten, one sees the data of another. With the tenant in the
    partition key, a query cannot leave it out, and an IAM policy can enforce it (`dynamodb:LeadingKeys`).

    ## Example

        by_status = Key("{status}", "{day}", index="by-status")

        return cls.by_status(status=status).filter(F.tenant_id == tenant_id)

    ## Use instead

        by_status = Key("{tenant_id}#{status}", "{day}", index="by-status")

        return cls.by_status(tenant_id=tenant_id, status=status)
    """
    for read in key_reads(design):
        names = [
            each
            for each in read.equal_filters
            if _TENANT.fullmatch(each.lower()) and each not in read.key.partition_fields
        ]
        if names and (read.use.pattern.options.items or 2) > 1 and _is_shared(read):
            yield Finding(
                tenant_filter.code,
                "warning",
                pattern_subject(read.use.pattern),
                f"it reads items of all tenants from {read.declaration.name}.{read.key.name}, and filters them by "
                f"{names[0]}.",
                (),
                f"put {{{names[0]}}} first in the partition key.",
            )


def _is_shared(read: KeyRead) -> bool:
    """Whether a partition has items of many tenants: it is the same for all, or of a status, a kind or a time."""
    fields = [read.declaration.fields[name] for name in read.key.partition_fields]
    return all(has_few_values(each) or is_time(each) for each in fields)
