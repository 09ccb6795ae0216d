"""A user's files: what counts as missing or hidden, whole writes, private modes, and no output over an input."""
