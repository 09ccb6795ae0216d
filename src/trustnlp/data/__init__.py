"""Data: the registry of what is used and on what terms, the fetcher, one reader per family, and stand-ins."""
