"""The notebook `gender_bias_languages/reproduction`: one language at a time, then the nine compared."""
