"""The embedded engine: DynamoDB in this process, with the same answers as AWS."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.lazy import lazy_getattr

if TYPE_CHECKING:
    from .checking import FileReport as FileReport
    from .checking import check_file as check_file
    from .clock import Clock as Clock
    from .engine import Engine as Engine
    from .heat.heat import Heat as Heat
    from .partitioning.partition_info import PartitionInfo as PartitionInfo
    from .settings import Delays as Delays
    from .settings import Partitioning as Partitioning

__all__ = ["Clock", "Delays", "Engine", "FileReport", "Heat", "PartitionInfo", "Partitioning", "check_file"]

__getattr__ = lazy_getattr(
    __name__,
    {
        "Clock": "pksk.engine.clock",
        "Delays": "pksk.engine.settings",
        "Engine": "pksk.engine.engine",
        "FileReport": "pksk.engine.checking",
        "Heat": "pksk.engine.heat.heat",
        "PartitionInfo": "pksk.engine.partitioning.partition_info",
        "Partitioning": "pksk.engine.settings",
        "check_file": "pksk.engine.checking",
    },
)
