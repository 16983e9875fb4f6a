"""Sends requests to DynamoDB: steps, the drivers that run them, and retries."""

from pksk.sending.diagnosis import request_name, table_differs, unknown_outcome
from pksk.sending.hooks import Finish, Hook, RequestFinished, RequestStarted
from pksk.sending.meter import Meter, MeterRow, consumed_capacity
from pksk.sending.operation import Call, Core, Effect, Pause, Steps, Together
from pksk.sending.retry import FailureKind, Retry, is_concurrent_change_limit, is_transient, reasons_of
from pksk.sending.send import Answer, RetriedRequest, send

__all__ = [
    "Answer", "Call", "Core", "Effect", "FailureKind", "Finish", "Hook", "Meter", "MeterRow", "Pause",
    "RequestFinished", "RequestStarted", "RetriedRequest", "Retry", "Steps", "Together", "consumed_capacity",
    "is_concurrent_change_limit", "is_transient", "reasons_of", "request_name", "send", "table_differs",
    "unknown_outcome",
]  # fmt: skip
