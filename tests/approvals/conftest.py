"""A desk: a store with all of approvals on it, in a folder of the test's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.approvals.desk import Desk, open_desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A desk under the policy of the design."""
    yield from open_desk(tmp_path / "handrail.db")
