"""Association tests on word vectors (WEAT): measures, statistics, effect sizes, exact p-values."""

from trustnlp.bias.battery import battery
from trustnlp.bias.measures import MEASURES
from trustnlp.bias.statistics import STATISTICS
from trustnlp.bias.weat import WeatResult, weat

__all__ = ["MEASURES", "STATISTICS", "WeatResult", "battery", "weat"]
