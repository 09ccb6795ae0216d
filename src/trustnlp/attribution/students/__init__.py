"""MOXIE: students that learn what a span does to a teacher's representation, and what they are asked."""
