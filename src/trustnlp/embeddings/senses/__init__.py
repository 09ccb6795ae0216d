"""Senses of words: induced from word vectors, kept in an inventory, told apart by context."""
