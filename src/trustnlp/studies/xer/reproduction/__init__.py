"""What the notebook `xer/reproduction` computes and shows."""
