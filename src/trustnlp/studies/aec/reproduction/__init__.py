"""What the notebook `aec/reproduction` computes and shows."""
