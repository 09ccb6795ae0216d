"""Word embeddings that give one vector per word: tables of them, training, alignment, analogies."""
