"""Designs with keys on vector indexes: every command shows them, with the searches that their patterns make."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.mermaid_grammar import read
from tests.cli.run_pksk import pksk

NOTES = '''
from __future__ import annotations

from pksk import Entity, Key, Nearest, Table, VectorIndex, access

notes = Table("notes", indexes=[
    VectorIndex("by-meaning", attribute="vector", dimensions=3, pk="g1", filters=["lang"]),
    VectorIndex("everywhere", attribute="vector", dimensions=3),
])


class Note(Entity, table=notes, items=1000):
    tenant: str
    id: str
    team: str | None = None
    lang: str = "en"
    vector: list[float]

    primary = Key("NOTE#{tenant}#{id}", "META")
    by_meaning = Key("TEAM#{tenant}#{team}", index="by-meaning")
    everywhere = Key(index="everywhere")

    @access(rate=5)
    @classmethod
    def like(cls, vector: list[float], lang: str = "en") -> Nearest[Note]:
        """Notes that mean the same."""
        return cls.by_meaning.nearest(vector, 4, tenant="acme", team="red", lang=lang).hydrate()
'''


@pytest.fixture(autouse=True)
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "notes.py").write_text(NOTES)
    monkeypatch.chdir(tmp_path)


def test_the_design_shows_the_vector_key_and_its_search() -> None:
    out = pksk("design", "notes.py").out

    assert "TEAM#{tenant}#{team}" in out
    assert "by-meaning: only if team is set" in out
    assert "nearest on by-meaning, 5/s" in out
    assert "SearchVectors index 'by-meaning' of 'notes' for Note" in out
    assert "2 read units and a search of by-meaning a call" in out


def test_the_design_is_written_in_every_format() -> None:
    document = json.loads(pksk("design", "notes.py", "--json").out)
    diagram = pksk("design", "notes.py", "--format", "mermaid").out

    keys = {key["name"]: key for key in document["tables"][0]["entities"][0]["keys"]}
    assert keys["everywhere"]["partition"] == []
    assert keys["by_meaning"]["optional_fields"] == ["team"]
    assert document["patterns"][0]["requests"][0]["operation"] == "SearchVectors"
    assert 'index everywhere "everywhere"' in diagram
    assert list(read(diagram).entities) == ["Note"]
    assert pksk("design", "notes.py", "--format", "markdown").code == 0


def test_a_search_is_planned_with_its_vector_as_json() -> None:
    out = pksk("plan", "notes.py", "like", "vector=[1, 0.5, 0]", "lang=fr").out

    assert "  vector    1, 0.5, 0\n" in out
    assert "  where     g1 = 'TEAM#acme#red' AND lang = 'fr'\n" in out


def test_a_vector_of_other_dimensions_is_rejected() -> None:
    done = pksk("plan", "notes.py", "like", "vector=[1, 0.5]")

    assert done.code != 0
    assert "a vector of 2 numbers, where the index has 3 dimensions" in done.err


def test_the_bill_counts_reads_and_lists_what_is_missing() -> None:
    out = pksk("cost", "notes.py").out

    assert "2 read units and a search of by-meaning" in out
    assert "Note.like: a search of by-meaning, by the bytes that AWS bills" in out
    assert "notes/by-meaning: its searches, as AWS does not say how many bytes one reads" in out
    assert "notes/everywhere: its searches, as no access pattern makes one" in out
