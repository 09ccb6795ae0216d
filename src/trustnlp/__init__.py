"""Methods and machinery behind the executable book "Trustworthy NLP, Reproduced"."""

__version__ = "0.1.0"
