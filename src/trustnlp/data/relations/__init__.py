"""Corpora of relations between two marked names, and released rules for them."""
