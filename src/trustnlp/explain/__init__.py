"""Explanations: which words a label hangs on, how well that is known, and what other words would do."""
