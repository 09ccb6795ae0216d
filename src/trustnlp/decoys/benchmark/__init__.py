"""Which explainers find planted decoys: cells, simulated inspectors, leaderboards."""
