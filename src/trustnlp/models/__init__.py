"""Classifiers: what stands between a representation and a label."""
