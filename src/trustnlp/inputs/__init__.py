"""What all methods share about a user's files: which values are missing, and which files are no documents."""
