"""The page of the local workspace: a small Slack in the browser, served by the workspace itself."""
