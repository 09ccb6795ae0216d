"""Corpora of nine languages, and how their lines are cut into words."""
