"""Rules over words and over dependencies that extract relations: their languages, a matcher, and a decoder's view."""
