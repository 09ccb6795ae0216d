"""Records: measurements with units and intervals, on which data, code and machine."""

from trustnlp.moved import names_of

__getattr__ = names_of(__name__)
