"""The shards of a stream: parents end before their children begin, and nothing lies between."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from pksk.engine.streams.lineage import Shard, Stream
from pksk.partitions import Partitions

from .report import Findings

__all__ = ["Covered", "check_shards", "covered"]


@dataclass(frozen=True, slots=True)
class Covered:
    """The keys that a shard has the changes of: from `low` to before `high`, None at the end."""

    low: bytes
    high: bytes | None

    def has(self, key: bytes) -> bool:
        """Whether it has those of a key."""
        return self.low <= key and (self.high is None or key < self.high)


def check_shards(findings: Findings, where: str, stream: Stream, partitions: Partitions | None) -> None:
    """Verify the lineage of a stream; partitions are those of its table, if that takes changes into it."""
    shards: list[Shard] = stream["shards"]
    findings.count("shards", len(shards))
    for one, other in pairwise(shards):
        if one["number"] >= other["number"] or one["id"] >= other["id"]:
            findings.problem(where, f"{_name(other)} does not follow {_name(one)}.")
    by_id = {shard["id"]: shard for shard in shards}
    parents = {shard["parent"] for shard in shards}
    for shard in shards:
        parent = by_id.get(shard["parent"] or "")
        if parent is not None and shard["start"] <= parent.get("end", shard["start"]):
            findings.problem(where, f"{_name(shard)} begins before its parent {_name(parent)} ends.")
        if shard.get("end", shard["start"]) < shard["start"]:
            findings.problem(where, f"{_name(shard)} ends before it begins.")
        if partitions is not None and "end" in shard and shard["id"] not in parents:
            findings.problem(where, f"{_name(shard)} is closed, and no shard follows it.")
    _check_open(findings, where, shards, partitions)


def _check_open(findings: Findings, where: str, shards: list[Shard], partitions: Partitions | None) -> None:
    takes = sorted(shard["partition"] for shard in shards if "end" not in shard)
    wanted = [] if partitions is None else sorted(part.number for part in partitions)
    if takes != wanted:
        findings.problem(
            where, f"the partitions {wanted} need an open shard each, and those of {takes} are open."
        )


def covered(stream: Stream, partitions: Partitions) -> dict[int, Covered]:
    """The keys of each shard by its number, as far as they can be known: from its partition, or its children."""
    found: dict[int, Covered] = {}
    children: dict[str, list[Covered]] = {}
    for shard in reversed(stream["shards"]):  # children stand after their parents
        part = partitions.get(shard["partition"])
        if part is not None:
            own = Covered(part.low, part.high)
        else:
            halves = sorted(children.get(shard["id"], ()), key=lambda half: half.low)
            if len(halves) < 2:  # those of a partition that has split; one of them may be unknown
                continue
            own = Covered(halves[0].low, halves[-1].high)
        found[shard["number"]] = own
        if shard["parent"] is not None:
            children.setdefault(shard["parent"], []).append(own)
    return found


def _name(shard: Shard) -> str:
    return f"shard {shard['number']}"
