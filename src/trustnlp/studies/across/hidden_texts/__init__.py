"""Information left in a text after it was hidden: five papers' ways to hide one, one task, one adversary."""
