"""What the notebook `polarizedtext/reidentification` computes and shows."""
