"""The practice shop: a real SQLite database built from data files (``docs/data.md``)."""
