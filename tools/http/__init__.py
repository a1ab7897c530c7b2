"""Shops behind HTTP: one client, the documented contract (``docs/shop_http.md``), its backend."""
