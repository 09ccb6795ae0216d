"""Azarpanah and Farhadloo (2021), measures of bias in word embeddings."""
