"""``handrail doctor``: is everything there that the bot needs, and what to do where it is not."""
