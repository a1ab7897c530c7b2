"""The contract's OpenAPI file says what the code reads, sends and serves."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from tools import PRACTICE_TODAY, PracticeGateway, PracticeService, PracticeShop
from tools.http import records
from tools.http.gateway import KEY_HEADER, WRITE_PATHS
from tools.practice.service import Request
from tools.request import WriteRequest

CONTRACT = Path(__file__).resolve().parents[2] / "docs" / "shop_openapi.json"
KINDS: tuple[TypeAdapter[Any], ...] = (
    records.ORDER,
    records.ORDERS,
    records.HISTORY,
    records.TICKET,
    records.PASSAGES,
    records.CALENDAR,
    records.RECEIPT,
    TypeAdapter(WriteRequest),
)


@pytest.fixture(scope="module")
def contract() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(CONTRACT.read_text("utf-8"))
    return loaded


def objects(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the name and the schema of every record that a schema speaks of."""
    for name, each in schema.get("$defs", {}).items():
        if each.get("type") == "object":
            yield name, each


@pytest.mark.parametrize("number", range(len(KINDS)))
def test_every_record_has_the_fields_of_the_contract(contract: dict[str, Any], number: int) -> None:
    written = contract["components"]["schemas"]
    schema = KINDS[number].json_schema()
    for name, each in [(schema["title"], schema), *objects(schema)]:
        assert set(written[name]["properties"]) == set(each["properties"])
        assert set(written[name].get("required", ())) == set(each.get("required", ()))


def test_every_reference_of_the_contract_leads_somewhere(contract: dict[str, Any]) -> None:
    text = CONTRACT.read_text("utf-8")
    for kind, name in re.findall(r'"#/components/(\w+)/(\w+)"', text):
        assert name in contract["components"][kind]


def test_the_writes_are_those_that_are_sent_with_their_key(contract: dict[str, Any]) -> None:
    writes = {
        each["post"]["operationId"]: path
        for path, each in contract["paths"].items()
        if "post" in each
    }

    assert writes == WRITE_PATHS
    for path in writes.values():
        (header,) = contract["paths"][path]["post"]["parameters"]
        assert (header["name"], header["required"]) == (KEY_HEADER, True)


def test_the_practice_service_serves_every_address_of_the_contract(
    contract: dict[str, Any], shop: PracticeShop
) -> None:
    with PracticeGateway(shop.path, today=lambda: PRACTICE_TODAY) as gateway:
        service = PracticeService(shop, gateway)
        for path, methods in contract["paths"].items():
            for method in methods:
                target = re.sub(r"\{\w+\}", "x", path)
                reply = service.answer(Request(method=method.upper(), target=target))
                assert reply is not None
                assert b"no such address" not in reply.body, path
                assert reply.status < 500
