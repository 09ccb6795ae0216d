"""The base classifiers that the chapter trains."""
