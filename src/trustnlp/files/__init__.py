"""Files that a user gives: what every method and command reads them with."""
