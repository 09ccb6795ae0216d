"""Word lists, lexicons, similarity sets and published word vectors."""
