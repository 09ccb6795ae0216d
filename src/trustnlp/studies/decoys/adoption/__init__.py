"""What the notebook `decoys/adoption` computes and shows."""
