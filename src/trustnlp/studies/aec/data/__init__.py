"""Which texts, vectors and splits the chapter reads."""
