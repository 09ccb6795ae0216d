"""How data sets that no one publishes as they are here are made of public files: one function of bytes a family."""
