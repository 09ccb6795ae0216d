"""What the notebook `decoys/reproduction` computes and shows."""
