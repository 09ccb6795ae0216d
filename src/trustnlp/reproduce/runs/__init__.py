"""Runs of notebooks: parameters, execution, sweeps, joins."""

from trustnlp.moved import names_of

__getattr__ = names_of(__name__)
