"""Whether records still stand: re-runs compared, doubt counted."""
