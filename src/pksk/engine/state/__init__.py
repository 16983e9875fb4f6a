"""The state of an engine: tables, their records, and calls in progress."""

from .catalogue import Catalogue, Change
from .conflicts import Conflicts, ItemId
from .lag import Lag
from .stream_record import SequenceNumbers, Shard, Stream
from .table import Expiry, IndexEntryWrite, Outcome, Table, Test, Write
from .table_record import IndexRecord, StreamOwner, TableDefinition, TableRecord, VectorIndexRecord
from .tally import Tally, Traffic
from .tokens import Token, Tokens

__all__ = [
    "Catalogue", "Change", "Conflicts", "Expiry", "IndexEntryWrite", "IndexRecord", "ItemId", "Lag",
    "Outcome", "SequenceNumbers", "Shard", "Stream", "StreamOwner", "Table", "TableDefinition",
    "TableRecord", "Tally", "Test", "Token", "Tokens", "Traffic", "VectorIndexRecord", "Write",
]  # fmt: skip
