"""The notebook `sense_privatization/critique`: attackers, and the guarantee of a text."""
