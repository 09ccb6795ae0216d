"""The notebook `sense_privatization/critique`: attackers, the guarantee of a text, and substitutes."""
