"""The notebook `decoys/debugging`: comparisons of models, repairs, and the numbers of its record."""
