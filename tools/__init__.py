"""The tools floor: what a tool is, the reads and the writes, the shop behind them, and faults.

This door is all that the floors above may import. Nothing here imports from them.
"""

from __future__ import annotations

from tools.actions import (
    ACTION_FIELDS,
    MAX_REFUND,
    WRITE_TOOLS,
    Action,
    CreateReturnLabel,
    LabelReason,
    RefundReason,
    RefundTarget,
    RequestRefund,
    ReshipItem,
    action_from_dict,
    action_to_dict,
)
from tools.arguments import (
    Arguments,
    DecimalNumber,
    WholeNumber,
    call_signature,
    canonical_arguments,
    id_of,
    parameters_of,
    problems_of,
    read_arguments,
)
from tools.canonical import FORM, canonical, digest, parse_json
from tools.check import check_action, check_possible, left_to_refund
from tools.context import ToolContext
from tools.contract import CallResult, Kind, OrderFact, Tool, ToolSpec
from tools.dates import BusinessCalendar
from tools.errors import (
    ArgumentsRefused,
    ClientRefused,
    DataError,
    FaultRefused,
    FormRefused,
    JsonRefused,
    MoneyError,
    NotFound,
    NotYours,
    PluginError,
    ShopBroke,
    ShopBusy,
    ShopConflict,
    ShopDenied,
    ShopError,
    ShopGarbled,
    ShopInvalid,
    ShopMismatch,
    ShopTimeout,
    ShopUnavailable,
    ToolsError,
)
from tools.faults import Fault, FaultMode, FaultPlan, FaultyShop
from tools.faulty_gateway import FaultyGateway, TicketFaultsGateway
from tools.forms import IdForm, IdForms
from tools.gateway import MAX_KEY_CHARS, Gateway, GatewayTraits, Receipt, ReceiptState
from tools.http.client import HttpClient, secret_from
from tools.http.gateway import HTTP_TRAITS, HttpGateway
from tools.http.shop import HttpShop
from tools.money import Money, currency_digits
from tools.plugins import PluginGroup, Plugins, build_toolbox
from tools.practice.gateway import PRACTICE_TRAITS, PracticeGateway
from tools.practice.lasting import build_lasting, open_lasting
from tools.practice.ledger import Change
from tools.practice.passing import PassingFolder
from tools.practice.server import PracticeServer, serve_practice_shop
from tools.practice.service import PracticeService
from tools.practice.shop import PRACTICE_IDS, PRACTICE_TODAY, SHIPPED_DATA, PracticeShop
from tools.practice.tickets import Expected, TicketCase, load_tickets
from tools.records import (
    Box,
    Label,
    Order,
    OrderLine,
    Passage,
    PastTicket,
    Payment,
    PaymentHistory,
    Refund,
    Reshipment,
)
from tools.shop import Shop, ShopView, open_view
from tools.stripe import STRIPE_API, StripeGateway
from tools.tickets import MAX_TICKET_CHARS, Ticket, clean_text, visible_text
from tools.toolbox import Toolbox

__all__ = [
    "ACTION_FIELDS",
    "FORM",
    "HTTP_TRAITS",
    "MAX_KEY_CHARS",
    "MAX_REFUND",
    "MAX_TICKET_CHARS",
    "PRACTICE_IDS",
    "PRACTICE_TODAY",
    "PRACTICE_TRAITS",
    "SHIPPED_DATA",
    "STRIPE_API",
    "WRITE_TOOLS",
    "Action",
    "Arguments",
    "ArgumentsRefused",
    "Box",
    "BusinessCalendar",
    "CallResult",
    "Change",
    "ClientRefused",
    "CreateReturnLabel",
    "DataError",
    "DecimalNumber",
    "Expected",
    "Fault",
    "FaultMode",
    "FaultPlan",
    "FaultRefused",
    "FaultyGateway",
    "FaultyShop",
    "FormRefused",
    "Gateway",
    "GatewayTraits",
    "HttpClient",
    "HttpGateway",
    "HttpShop",
    "IdForm",
    "IdForms",
    "JsonRefused",
    "Kind",
    "Label",
    "LabelReason",
    "Money",
    "MoneyError",
    "NotFound",
    "NotYours",
    "Order",
    "OrderFact",
    "OrderLine",
    "Passage",
    "PassingFolder",
    "PastTicket",
    "Payment",
    "PaymentHistory",
    "PluginError",
    "PluginGroup",
    "Plugins",
    "PracticeGateway",
    "PracticeServer",
    "PracticeService",
    "PracticeShop",
    "Receipt",
    "ReceiptState",
    "Refund",
    "RefundReason",
    "RefundTarget",
    "RequestRefund",
    "ReshipItem",
    "Reshipment",
    "Shop",
    "ShopBroke",
    "ShopBusy",
    "ShopConflict",
    "ShopDenied",
    "ShopError",
    "ShopGarbled",
    "ShopInvalid",
    "ShopMismatch",
    "ShopTimeout",
    "ShopUnavailable",
    "ShopView",
    "StripeGateway",
    "Ticket",
    "TicketCase",
    "TicketFaultsGateway",
    "Tool",
    "ToolContext",
    "ToolSpec",
    "Toolbox",
    "ToolsError",
    "WholeNumber",
    "action_from_dict",
    "action_to_dict",
    "build_lasting",
    "build_toolbox",
    "call_signature",
    "canonical",
    "canonical_arguments",
    "check_action",
    "check_possible",
    "clean_text",
    "currency_digits",
    "digest",
    "id_of",
    "left_to_refund",
    "load_tickets",
    "open_lasting",
    "open_view",
    "parameters_of",
    "parse_json",
    "problems_of",
    "read_arguments",
    "secret_from",
    "serve_practice_shop",
    "visible_text",
]
