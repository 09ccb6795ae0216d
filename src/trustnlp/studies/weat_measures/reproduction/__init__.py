"""What the notebook `weat_measures/reproduction` computes and shows."""
