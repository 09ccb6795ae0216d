"""Zouhri and Abecidan (2021), a study of DPNR: training with noise, what word vectors leak, and their figures."""
