"""What the notebook `dpnr/critique` computes and shows."""
