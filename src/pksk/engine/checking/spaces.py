"""The spaces of a file: each is named once, by something that has its rows there."""

from __future__ import annotations

from pksk.engine.storage.sqlite import InspectedFile

from .notes import Notes, spaces_of
from .report import Findings

__all__ = ["check_spaces"]


def check_spaces(findings: Findings, file: InspectedFile, notes: Notes) -> None:
    """Compare the spaces that there are with those that notes name."""
    numbered, stored = file.numbered(), file.stored()
    findings.count("spaces", len(numbered))
    for space in sorted(numbered ^ stored):
        lacks = "rows" if space in numbered else "number"
        findings.problem(f"space {space}", f"has no {lacks}.")
    owners: dict[int, str] = {}
    for name, space in spaces_of(notes):
        if space in owners:
            findings.problem(f"space {space}", f"is named twice, by {owners[space]} and by {name}.")
        owners[space] = name
        if space not in numbered:
            findings.problem(f"space {space}", f"is missing, and {name} has its rows there.")
    for space in sorted(numbered - owners.keys()):
        findings.problem(f"space {space}", "belongs to nothing.")
