"""Pretrained transformer encoders and the pooling of their states into one vector per input."""
