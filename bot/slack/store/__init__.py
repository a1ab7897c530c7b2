"""The tables of the Slack side and every statement on them: SQL of the bot stands here alone."""
