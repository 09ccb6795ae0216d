"""What the notebook `moxie/counterfactuals` computes and shows."""
