"""What the notebook `gender_bias_languages/beyond` computes and shows."""
