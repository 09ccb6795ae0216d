"""Attacks on releases: attributes, words, authors, and the state of a random generator."""
