"""A user's files: reading texts, what is missing or hidden, whole writes, private modes, no output over an input."""
