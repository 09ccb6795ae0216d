"""What the notebook `sense_privatization/inventory` computes and shows."""
