"""Patterns in a classifier's errors: error classifiers, slices, readable features, which texts to label next."""
