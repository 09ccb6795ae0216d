"""One paper's experiments, comparisons and figures each: what its notebooks call and nobody else would."""
