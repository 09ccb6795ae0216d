"""What the notebook `dpnr/reproduction` computes and shows."""
