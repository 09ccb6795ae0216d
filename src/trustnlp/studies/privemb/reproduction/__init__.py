"""What the notebook `privemb/reproduction` computes and shows."""
