"""What the notebook `aec/loop` computes and shows."""
