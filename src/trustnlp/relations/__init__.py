"""Relation extraction with rules that explain it: the network, its rule decoder, training and use."""
