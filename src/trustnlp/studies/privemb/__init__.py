"""Feyisetan and Kasiviswanathan (2021), private word embeddings: mechanisms side by side, and the figures."""
