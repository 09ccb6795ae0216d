"""Vadrevu et al. (2021), "xER": graphs of mentions and records, linkage end to end, printed edges."""
