"""Association tests on word vectors (WEAT), with exact p-values; gender directions and scores in nine languages."""

from trustnlp.bias.association import WeatResult, weat
from trustnlp.bias.language_bias import LanguageBias, gender_bias
from trustnlp.bias.many_tests import battery
from trustnlp.bias.measures import MEASURES
from trustnlp.bias.statistics import STATISTICS

__all__ = ["MEASURES", "STATISTICS", "LanguageBias", "WeatResult", "battery", "gender_bias", "weat"]
