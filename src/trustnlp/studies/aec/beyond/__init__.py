"""What the notebook `aec/beyond` computes and shows."""
