"""Idahl et al. (2021), benchmarking explanations for debugging: what only this chapter's notebooks call."""
