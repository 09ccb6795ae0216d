"""What the notebook `decoys/debugging` computes and shows."""
