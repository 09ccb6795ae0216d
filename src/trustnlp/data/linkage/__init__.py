"""Records, mentions and scored pairs for entity resolution."""
