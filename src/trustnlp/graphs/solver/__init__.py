"""Clique partitioning, solved: the integer program, bounds, local search, certificates."""
