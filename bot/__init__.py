"""Slack in and out, the worker, settings and the command line."""

from __future__ import annotations

__all__: list[str] = []
