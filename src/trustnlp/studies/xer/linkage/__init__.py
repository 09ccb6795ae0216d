"""What the notebook `xer/linkage` computes and shows."""
