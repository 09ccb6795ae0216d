"""How good and how sure: intervals, many p-values at once, calibration, sentence classification, printed numbers."""
