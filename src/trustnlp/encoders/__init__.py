"""From a text to one vector: pretrained transformers, the pooling of their states, and means of word vectors."""
