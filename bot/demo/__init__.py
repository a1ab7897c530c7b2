"""The demo: the real bot in the local workspace, over recorded replies and the practice shop."""
