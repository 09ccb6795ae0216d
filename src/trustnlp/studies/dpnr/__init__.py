"""Lyu, He and Li (2020), "Differentially Private Representation for NLP": what its tables measure, and its figures.

Another study reads this one through `private_representations.measure` alone.
"""
