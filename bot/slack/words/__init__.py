"""Every sentence of the bot in Slack, in a file for each surface; a test keeps them in here.

A function returns mrkdwn: what it is given from outside goes through ``bot.slack.markup`` in it.
Sentences say what happened, to what, and what to do next; who should act is named by role.
"""
