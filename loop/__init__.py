"""The loop floor: rules (pure), decisions, gates, the run, and the model seam.

This door is all that the floors above may import. Nothing here can write to a shop.
"""

from loop.attempts import Attempt, Fault
from loop.clock import Clock, MonotonicClock
from loop.decision import Ask, decide
from loop.ending import Ended, Totals
from loop.errors import (
    BudgetCut,
    JournalDiverged,
    LimitRefused,
    LoopError,
    ModelError,
    ProfileRefused,
    ProviderFailed,
    RecordingMissing,
    ServerRefused,
)
from loop.journal import Journal, MemorySink, Sink
from loop.limits import (
    LIMIT_NAMES,
    NOT_GIVEN,
    Duplicates,
    Limits,
    NotGiven,
    Repeat,
    RunClock,
    TimeCheck,
    limits_from_text,
)
from loop.live.client import LiveModel, Means
from loop.live.server import LengthField, Schemas, Server, Style, ToolChoice
from loop.live.stream import Progress
from loop.live.waits import Retries
from loop.messages import (
    Message,
    Request,
    RequestHead,
    Role,
    WireCall,
    head_value,
    message_value,
)
from loop.model import Cost, CostState, Model, Reply, Usage
from loop.price_data import PriceBook
from loop.prices import PRICES, PRICES_AS_OF, Price, price_of
from loop.profiles import PROFILES, Door, FinishForm, Profile, get_profile
from loop.records import (
    Asked,
    Called,
    Cancelled,
    Checked,
    Closed,
    Entry,
    Failed,
    LostAttempt,
    Opened,
    Record,
    Replied,
    Stopped,
)
from loop.resolution import (
    Confidence,
    Language,
    OrderClaim,
    Outcome,
    Problem,
    Resolution,
    Result,
)
from loop.rules import Stop, StopReason, Tally
from loop.run import run
from loop.testing import FixedIds, ScriptedModel, ScriptFailed, VirtualClock
from loop.work import Work, work_for

__all__ = [
    "LIMIT_NAMES",
    "NOT_GIVEN",
    "PRICES",
    "PRICES_AS_OF",
    "PROFILES",
    "Ask",
    "Asked",
    "Attempt",
    "BudgetCut",
    "Called",
    "Cancelled",
    "Checked",
    "Clock",
    "Closed",
    "Confidence",
    "Cost",
    "CostState",
    "Door",
    "Duplicates",
    "Ended",
    "Entry",
    "Failed",
    "Fault",
    "FinishForm",
    "FixedIds",
    "Journal",
    "JournalDiverged",
    "Language",
    "LengthField",
    "LimitRefused",
    "Limits",
    "LiveModel",
    "LoopError",
    "LostAttempt",
    "Means",
    "MemorySink",
    "Message",
    "Model",
    "ModelError",
    "MonotonicClock",
    "NotGiven",
    "Opened",
    "OrderClaim",
    "Outcome",
    "Price",
    "PriceBook",
    "Problem",
    "Profile",
    "ProfileRefused",
    "Progress",
    "ProviderFailed",
    "Record",
    "RecordingMissing",
    "Repeat",
    "Replied",
    "Reply",
    "Request",
    "RequestHead",
    "Resolution",
    "Result",
    "Retries",
    "Role",
    "RunClock",
    "Schemas",
    "ScriptFailed",
    "ScriptedModel",
    "Server",
    "ServerRefused",
    "Sink",
    "Stop",
    "StopReason",
    "Stopped",
    "Style",
    "Tally",
    "TimeCheck",
    "ToolChoice",
    "Totals",
    "Usage",
    "VirtualClock",
    "WireCall",
    "Work",
    "decide",
    "get_profile",
    "head_value",
    "limits_from_text",
    "message_value",
    "price_of",
    "run",
    "work_for",
]
