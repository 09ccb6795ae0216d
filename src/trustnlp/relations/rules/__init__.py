"""Rules of relations: TokensRegex and Semgrex patterns, parsed and matched over sentences."""
