"""Bugs that are planted in a text classifier by its training data, and the search for them by explanations."""
