"""PolarizedText: word vectors trained in the field of document labels."""
