"""What the notebook `dpnr_study/leakage` computes and shows."""
