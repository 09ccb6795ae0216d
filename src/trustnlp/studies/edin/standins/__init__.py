"""Made-up data with planted truth, for smoke runs and tests."""
