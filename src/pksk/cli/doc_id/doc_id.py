"""The group `pksk doc-id`."""

from __future__ import annotations

import click

from pksk.cli.commands import Group

__all__ = ["doc_id"]


@click.group(
    "doc-id",
    cls=Group,
    members={"make": "pksk.cli.doc_id.make", "parse": "pksk.cli.doc_id.parse"},
    examples=("pksk doc-id make geozone::park_1 1", "pksk doc-id parse 'QUEUE%237#%n12'"),
)
def doc_id() -> None:
    """Make a document id of two keys, and back.

    An id is <pk>#<sk>, at most 512 bytes; % and # inside the keys are written %25 and %23, so it can be taken apart.
    """
