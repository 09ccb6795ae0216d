"""Files: written whole or not at all, private ones for their owner alone, and no output over an input."""
