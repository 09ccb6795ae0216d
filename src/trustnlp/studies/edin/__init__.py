"""Experiments of the chapter on Tang and Surdeanu (2021), "Interpretability Rules"."""
