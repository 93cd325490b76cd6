"""Looks at MindRecord files as a whole: the command `mindrecord`, and what it calls. Nothing else imports this."""
