"""Texts released word by word: substitution, senses, the guarantee of a whole text."""
