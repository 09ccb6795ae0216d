"""A classifier's errors: predicted from readable features, ranked by their causes, sliced, and chosen for labelling."""
