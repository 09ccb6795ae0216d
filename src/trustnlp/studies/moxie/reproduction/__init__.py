"""What the notebook `moxie/reproduction` computes and shows."""
