"""What the notebook `moxie/biases` computes and shows."""
