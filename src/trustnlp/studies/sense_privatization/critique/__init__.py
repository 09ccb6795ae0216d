"""What the notebook `sense_privatization/critique` computes and shows."""
