"""Lyu, He and Li (2020), "Differentially Private Representation for NLP": what its tables measure.

Another study reads this one through `reproduction.train_and_measure` alone.
"""
