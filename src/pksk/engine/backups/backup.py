"""One backup: what is stored of it, and in which state it is."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import orjson

from pksk.engine.settings import Settings
from pksk.engine.tables.names import backup_arn, table_arn
from pksk.engine.tables.record import Record

__all__ = ["Backup", "new_id"]


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup by its record, which has the table's rows in a space of its own.

    Members of DynamoDB's descriptions stand under their own names, and ours in small letters. As in
    the records of tables, there are no ARNs.
    """

    record: dict[str, Any]

    @classmethod
    def of(cls, data: bytes) -> Backup:
        """A backup from its note."""
        return cls(orjson.loads(data))

    @property
    def note(self) -> str:
        """The name of its note; notes stand in the order in which backups were taken."""
        return f"backup/{self.record['id']}/{self.table}"

    @property
    def table(self) -> str:
        """The name of the table that it is of."""
        return str(self.record["TableName"])

    @property
    def definition(self) -> Record:
        """The definition of its table."""
        definition: Record = self.record["definition"]
        return definition

    def arn(self, settings: Settings) -> str:
        """Its ARN."""
        return backup_arn(table_arn(settings, self.table), self.record["id"])

    def status(self, now: float) -> str:
        """CREATING or AVAILABLE."""
        return "AVAILABLE" if now >= self.record["until"] else "CREATING"

    def is_over(self, now: float) -> bool:
        """Whether it is one that is not kept any longer."""
        return bool("BackupExpiryDateTime" in self.record and now >= self.record["BackupExpiryDateTime"])


def new_id(now: float, taken: Collection[str]) -> str:
    """A new backup's own part of its ARN: a millisecond in 14 digits that no other has, and eight at random."""
    milliseconds = max(0, round(now * 1000))
    while f"{milliseconds:014}" in taken:
        milliseconds += 1
    return f"{milliseconds:014}-{uuid4().hex[:8]}"
