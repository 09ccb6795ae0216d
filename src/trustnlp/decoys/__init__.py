"""Decoys: spurious cues planted in training data, and whether a model has learned them."""
