"""What the notebook `dpnr/tradeoff` computes and shows."""
