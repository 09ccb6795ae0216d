"""What the notebook `moxie/method` computes and shows."""
