"""From what a shop answered to what is stored: receipts and errors become outcomes."""

from __future__ import annotations

from typing import Any, assert_never

from approvals.execution import Trouble
from approvals.operation_rows import Done, Failed, Unknown
from tools import (
    NotFound,
    NotYours,
    Receipt,
    ReceiptState,
    ShopBroke,
    ShopConflict,
    ShopDenied,
    ShopError,
    ShopInvalid,
    ShopMismatch,
    ShopUnavailable,
)

__all__ = ["refusal_of", "trouble_of", "verdict_of"]


def verdict_of(receipt: Receipt) -> Done | Failed | Unknown:
    """Return what a receipt settles an operation as."""
    match receipt.state:
        case ReceiptState.SETTLED:
            return Done(result=_result(receipt))
        case ReceiptState.PENDING:
            return Done(result=_result(receipt), pending=True)
        case ReceiptState.FAILED:
            return Failed(
                code="failed_at_shop",
                words=f"the shop took it as {receipt.reference} and then failed to carry it out",
            )
        case ReceiptState.UNCLEAR:
            return Unknown(
                code="unclear_at_shop",
                words=f"the shop holds it as {receipt.reference}; a person must look at it there",
            )
        case _:
            assert_never(receipt.state)


def trouble_of(error: ShopError) -> Trouble | None:
    """Return what an error of ``send`` leaves open; None where it is a refusal and nothing is."""
    match error:
        case ShopUnavailable():
            return Trouble.UNAVAILABLE
        case ShopConflict():
            return Trouble.IN_FLIGHT
        case ShopBroke():
            return Trouble.BROKE
        case ShopDenied() | ShopInvalid() | ShopMismatch() | NotFound() | NotYours():
            return None
        case _:  # a time-out, an answer that cannot be read, and whatever a plugin may raise
            return Trouble.TIMEOUT


def refusal_of(error: ShopError) -> Failed:
    """Return the verdict of a refusal: nothing was written."""
    match error:
        case ShopInvalid():
            return Failed(code=error.code, words=f"the shop refuses it: {error}")
        case ShopDenied():
            return Failed(code="denied", words=f"the shop refuses us: {error}")
        case ShopMismatch():
            return Failed(code="key_mismatch", words=f"the shop refuses the key: {error}")
        case NotFound():
            return Failed(code="not_found", words=f"the shop does not have it: {error}")
        case NotYours():
            words = "the order is not this customer's, whatever was approved"
            return Failed(code="not_yours", words=words)
        case _:
            return Failed(code="refused", words=f"the shop refuses it: {error}")


def _result(receipt: Receipt) -> dict[str, Any]:
    return {
        "reference": receipt.reference,
        "repeated": receipt.repeated,
        "summary": dict(receipt.summary),
    }
