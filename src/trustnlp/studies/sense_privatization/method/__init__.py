"""What the notebook `sense_privatization/method` computes and shows."""
