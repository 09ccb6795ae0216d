"""What the notebook `gender_bias_languages/lists` computes and shows."""
