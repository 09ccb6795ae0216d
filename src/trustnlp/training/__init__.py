"""Training: batches of like length, frozen lower layers, one loop with checkpoints."""
