"""Which measure of bias sees a bias of known size? Word vectors of a text into which one was written."""
