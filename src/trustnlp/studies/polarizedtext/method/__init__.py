"""What the notebook `polarizedtext/method` computes and shows."""
