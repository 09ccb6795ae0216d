"""Association tests on word vectors (WEAT): measures, statistics, effect sizes, exact p-values."""

from trustnlp.bias.association import WeatResult, weat
from trustnlp.bias.many_tests import battery
from trustnlp.bias.measures import MEASURES
from trustnlp.bias.statistics import STATISTICS

__all__ = ["MEASURES", "STATISTICS", "WeatResult", "battery", "weat"]
