"""What the notebook `edin/mappings` computes and shows."""
