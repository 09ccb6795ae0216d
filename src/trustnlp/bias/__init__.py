"""Association tests on word vectors (WEAT): measures, statistics, effect sizes, exact p-values."""

from trustnlp.bias.association_tests.association import WeatResult, weat
from trustnlp.bias.association_tests.many_tests import battery
from trustnlp.bias.association_tests.measures import MEASURES
from trustnlp.bias.association_tests.statistics import STATISTICS

__all__ = ["MEASURES", "STATISTICS", "WeatResult", "battery", "weat"]
