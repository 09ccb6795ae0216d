"""Gender directions from pairs of words, and scores along them in nine languages."""
