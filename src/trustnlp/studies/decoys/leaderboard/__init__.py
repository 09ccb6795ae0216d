"""The notebook `decoys/leaderboard`: explained models, searches for bugs, and the numbers of its record."""
