"""The command `trustnlp`, and its commands for one's own data."""
