"""All mechanical fixes of a review as one patch."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.cli.run_pksk import pksk

_DESIGN = """\
from pksk import GSI, Entity, Key, Query, Table, access

desk = Table("desk", indexes=[GSI("later", pk="g1", sk="g2")])


class Ticket(Entity, table=desk):
    tenant: str
    number: int
    primary = Key("TICKETS", "{tenant}#{number}")

    @access(rate=100, items=10_000, item_size=200)
    @classmethod
    def last(cls, tenant: str) -> Query["Ticket"]:
        return cls.primary(tenant=tenant).reverse().limit(10)
"""


def test_git_applies_the_patch_and_a_second_one_fixes_what_is_in_the_same_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text, keys = _DESIGN, []
    for number in range(2):
        design = tmp_path / f"desk{number}.py"  # Python keeps the lines of a module that it has read
        design.write_text(text)
        patch = pksk("check", design.name, "--format", "diff", "--fail-on", "never").out
        subprocess.run(["git", "apply"], input=patch.encode(), check=True)
        text = design.read_text()
        keys.append(next(line.strip() for line in text.splitlines() if line.startswith("    primary")))

    assert keys == [
        'primary = Key("TICKETS#{tenant}", "{number}")',
        'primary = Key("TICKETS#{tenant}", "{number:010d}")',
    ]
    assert 'desk = Table("desk")' in text
