"""What the notebook `moxie/faithfulness` computes and shows."""
