"""What the notebook `polarizedtext/critique` computes and shows."""
