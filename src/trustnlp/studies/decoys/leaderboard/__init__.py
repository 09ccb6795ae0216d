"""What the notebook `decoys/leaderboard` computes and shows."""
