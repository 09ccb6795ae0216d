"""Static analysis of the book's code: the definitions that a measurement reaches, with hashes."""
