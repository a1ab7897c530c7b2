"""The Web API methods, by family."""

from __future__ import annotations
