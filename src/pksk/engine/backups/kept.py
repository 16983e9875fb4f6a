"""The backups that are kept, whether or not their tables are still there: found, listed, added and removed."""

from __future__ import annotations

from typing import Any, Final

from pksk.engine.core import Core
from pksk.engine.faults import fault
from pksk.engine.layout import as_stored
from pksk.engine.storage import Writer
from pksk.engine.tables.names import Resource, read_arn
from pksk.engine.texts import backups as texts
from pksk.engine.texts.tables import access_denied

from .backup import Backup, new_id

__all__ = ["all_backups", "find_backup", "keep_backup", "position", "remove_backup"]

_NOTE: Final = "backup/"


def all_backups(core: Core) -> list[Backup]:
    """All backups, in the order in which they were taken."""
    now = core.now()
    kept = map(Backup.of, core.storage.notes(_NOTE).values())
    return [backup for backup in kept if not backup.is_over(now)]


def find_backup(core: Core, arn: str) -> Backup:
    """The backup with an ARN."""
    place = _own_position(core, arn)
    if place is not None:
        note = _NOTE + "/".join(place)
        found = core.storage.notes(note).get(note)
        if found is not None and not (backup := Backup.of(found)).is_over(core.now()):
            return backup
    raise fault("BackupNotFoundException", texts.no_backup(arn))


def position(arn: str) -> tuple[str, str] | None:
    """Where the backup with an ARN stands among all, those taken first coming first; None for another ARN."""
    resource = read_arn(arn)
    return None if resource is None else _position(resource)


def _position(resource: Resource) -> tuple[str, str] | None:
    kind, _, number = resource.within.partition("/")
    return (number, resource.table) if kind == "backup" else None


def keep_backup(core: Core, writer: Writer, record: dict[str, Any], now: float) -> Backup:
    """Add a backup under a new number, and remove those that are kept no longer."""
    others = list(map(Backup.of, core.storage.notes(_NOTE).values()))
    for old in others:
        if old.is_over(now):
            remove_backup(writer, old)
    taken = {other.record["id"].partition("-")[0] for other in others}
    backup = Backup({"id": new_id(now, taken), **record})
    writer.note(backup.note, as_stored(backup.record))
    return backup


def remove_backup(writer: Writer, backup: Backup) -> None:
    """Remove a backup with its rows."""
    writer.drop_space(backup.record["space"])
    writer.note(backup.note, None)


def _own_position(core: Core, arn: str) -> tuple[str, str] | None:
    """Where a backup of this account and region stands; another account's is refused."""
    resource = read_arn(arn)
    place = None if resource is None else _position(resource)
    if resource is None or place is None:
        return None
    if resource.account != core.settings.account:
        raise fault("AccessDeniedException", access_denied(core.settings.account, arn))
    return place if resource.region == core.settings.region else None
