"""Which words of a text a classifier goes by: occlusion, gradients, LIME, Shapley values, influence students."""
