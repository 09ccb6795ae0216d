"""What the notebook `aec/critique` computes and shows."""
