"""What the notebook `gender_bias_languages/reproduction` computes and shows."""
