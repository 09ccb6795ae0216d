"""What the notebook `sense_privatization/tasks` computes and shows."""
