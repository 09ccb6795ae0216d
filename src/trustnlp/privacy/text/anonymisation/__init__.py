"""Documents whose private words are scored and redacted."""
