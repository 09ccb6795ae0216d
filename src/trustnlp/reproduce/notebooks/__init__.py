"""Notebooks as files: twins, templates, and where each output comes from."""
