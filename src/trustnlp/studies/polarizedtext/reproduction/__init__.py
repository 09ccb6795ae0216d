"""What the notebook `polarizedtext/reproduction` computes and shows."""
