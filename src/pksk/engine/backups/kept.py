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
_WITHIN: Final = "backup/"


def all_backups(core: Core) -> list[Backup]:
    """All backups, in the order in which they were taken."""
    now = core.now()
    kept = map(Backup.of, core.storage.notes(_NOTE).values())
    return [backup for backup in kept if not backup.is_over(now)]


def find_backup(core: Core, arn: str) -> Backup:
    """The backup with an ARN."""
    resource = _resource(core, arn)
    if resource is not None and resource.region == core.settings.region:
        note = _NOTE + "/".join(position(resource))
        found = core.storage.notes(note).get(note)
        if found is not None and not (backup := Backup.of(found)).is_over(core.now()):
            return backup
    raise fault("BackupNotFoundException", texts.no_backup(arn))


def position(resource: Resource) -> tuple[str, str]:
    """Where a backup stands among all, by what its ARN names: those taken first come first."""
    return resource.within.removeprefix(_WITHIN), resource.table


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


def _resource(core: Core, arn: str) -> Resource | None:
    """What a backup's ARN names; None where it is none, and another account's is refused."""
    resource = read_arn(arn)
    if resource is None or not resource.within.startswith(_WITHIN):
        return None
    if resource.account != core.settings.account:
        raise fault("AccessDeniedException", access_denied(core.settings.account, arn))
    return resource
