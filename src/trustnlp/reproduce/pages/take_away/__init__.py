"""What readers take along: all claims as a table, BibTeX, and the evidence of a chapter as an RO-Crate."""
