"""The group `pksk backup`."""

from __future__ import annotations

import click

from pksk.cli.commands import Group

__all__ = ["backup"]


@click.group(
    cls=Group,
    members={
        "create": "pksk.cli.backup.create",
        "list": "pksk.cli.backup.list_",
        "describe": "pksk.cli.backup.describe",
        "delete": "pksk.cli.backup.delete",
        "restore": "pksk.cli.backup.restore",
    },
    examples=(
        "pksk backup create orders --name before-migration",
        "pksk backup list",
        "pksk backup restore nightly orders-restored",
    ),
)
def backup() -> None:
    """Back up tables, and restore them.

    A backup is one table at one moment, kept in the same file as the tables. BACKUP is the name of one, or its ARN
    where several have the name.
    """
