"""The Word Embedding Association Test: measures, statistics, permutation tests, batteries."""
