"""What the notebook `xer/explanation` computes and shows."""
