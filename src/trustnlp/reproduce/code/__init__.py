"""What code does, as far as its text says: the definitions that a measurement reaches, with hashes."""
