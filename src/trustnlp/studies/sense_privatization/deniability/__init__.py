"""What the notebook `sense_privatization/deniability` computes and shows."""
