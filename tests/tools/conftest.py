"""A small shop in files, and the shop built from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tools import PRACTICE_TODAY, PracticeShop, Toolbox, ToolContext, build_toolbox

ALL_TOOLS = (
    "get_order",
    "get_customer_orders",
    "get_payments",
    "search_policy",
    "get_ticket",
    "request_refund",
    "reship_item",
    "create_return_label",
)

FILES = {
    "orders.csv": """\
order_id,customer_id,status,ordered_on,shipped_on,delivered_on,shipping_fee,total,currency,note
LK-100001,C-10001,shipped,2026-09-10,2026-09-11,,9.95,73.95,CAD,
LK-100002,C-10001,delivered,2026-09-20,2026-09-22,2026-09-25,0.00,149.00,CAD,"Happy, birthday"
LK-100003,C-10002,partly_delivered,2026-09-23,2026-09-24,,0.00,285.00,CAD,
LK-100004,C-10002,processing,2026-10-08,,,0.00,5000,JPY,
LK-100005,C-10002,cancelled,2026-09-01,2026-09-02,,0.00,10.00,CAD,
""",
    "order_items.csv": """\
order_id,sku,product,quantity,unit_price,box
LK-100001,COMPOST,compost bin,1,64.00,1
LK-100002,TROWEL,trowel,2,8.50,1
LK-100002,RUG-W,rug,1,132.00,1
LK-100003,BENCH,bench,1,249.00,1
LK-100003,CUSH,cushions,1,36.00,2
LK-100004,FEEDER,bird feeder,1,5000,
LK-100005,SOIL,soil,1,10.00,1
""",
    "products.csv": """\
sku,product,stock,change_of_mind_return
COMPOST,compost bin,5,1
TROWEL,trowel,1,1
RUG-W,rug,5,1
BENCH,bench,5,0
CUSH,cushions,5,1
FEEDER,bird feeder,0,1
""",
    "shipments.csv": """\
shipment_id,order_id,box,status,shipped_on,delivered_on,last_scan_on,courier_note
SH-100001-1,LK-100001,1,in_transit,2026-09-11,,2026-09-14,Left at the depot
SH-100002-1,LK-100002,1,delivered,2026-09-22,2026-09-25,2026-09-25,
SH-100003-1,LK-100003,1,delivered,2026-09-24,2026-09-29,2026-09-29,
SH-100003-2,LK-100003,2,in_transit,2026-09-24,,2026-09-25,
""",
    "payments.csv": """\
payment_id,order_id,kind,amount,status,created_on
PAY-100001-1,LK-100001,charge,73.95,captured,2026-09-11
PAY-100001-A,LK-100001,authorisation,73.95,released,2026-09-10
PAY-100002-1,LK-100002,charge,149.00,captured,2026-09-22
PAY-100002-2,LK-100002,charge,149.00,refunded,2026-09-22
PAY-100003-1,LK-100003,charge,285.00,captured,2026-09-24
""",
    "holidays.csv": "date,name\n2026-10-12,Thanksgiving\n2026-09-07,Labour Day\n",
    "refunds.csv": """\
operation_id,order_id,payment_id,amount,reason_code,sku,quantity,created_on
seed-r1,LK-100002,PAY-100002-2,149.00,RFD-DOUBLE,,,2026-09-30
seed-r2,LK-100002,PAY-100002-1,8.50,RFD-DAMAGE,TROWEL,1,2026-10-01
""",
    "labels.csv": """\
operation_id,order_id,sku,reason,fee,created_on
seed-l1,LK-100002,RUG-W,change_of_mind,12.95,2026-10-02
""",
    "reshipments.csv": """\
operation_id,order_id,sku,quantity,created_on
seed-s1,LK-100002,TROWEL,1,2026-10-03
""",
    "past_tickets.csv": """\
ticket_id,customer_id,status,opened_on,subject
T-50001,C-10001,closed,2026-06-18,A question
T-50002,C-10002,open,2026-09-18,Another
""",
    "policy_passages.jsonl": """\
{"passage_id":"P1","doc_id":"returns","title":"Returns","version":3,"section":"Window",\
"text":"Return within 30 days.","effective_from":"2025-01-01","effective_to":"2026-10-09",\
"access":"public"}
{"passage_id":"P2","doc_id":"returns","title":"Returns","version":4,"section":"Window",\
"text":"Return within 45 days.","effective_from":"2026-10-10","effective_to":null,\
"access":"public"}

{"passage_id":"P3","doc_id":"staff","title":"For staff","version":1,"section":"Return limits",\
"text":"Return approvals of staff.","effective_from":"2025-01-01","effective_to":null,\
"access":"staff"}
""",
}

Box = Callable[..., Toolbox]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder with every file of a shop."""
    place = tmp_path / "data"
    place.mkdir()
    for name, content in FILES.items():
        (place / name).write_text(content, "utf-8")
    return place


@pytest.fixture
def shop(folder: Path) -> Iterator[PracticeShop]:
    """The practice shop built from the folder."""
    with PracticeShop.from_folder(folder) as built:
        yield built


@pytest.fixture
def box(shop: PracticeShop) -> Box:
    """Return all tools for a customer of the small shop."""

    def build(customer_id: str = "C-10001") -> Toolbox:
        context = ToolContext.of(shop, customer_id=customer_id, today=PRACTICE_TODAY)
        return build_toolbox(ALL_TOOLS, context)

    return build
