"""Take-aways for readers: all claims as a table, BibTeX, and the evidence of a chapter as an RO-Crate."""
