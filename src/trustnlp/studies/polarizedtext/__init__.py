"""The experiments of the chapter on a post of 2016 that anonymises documents by word vectors in a field."""
