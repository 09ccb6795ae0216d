"""What a text still says after it was hidden: five papers' ways to hide one, one task, one adversary."""
