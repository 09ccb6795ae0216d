"""How sure a number is: intervals, and p-values of many tests at once."""
