"""Whether records still stand: re-runs compared, doubt counted, units and keys held against code."""
