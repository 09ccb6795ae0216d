"""Word embeddings that give one vector per word."""
