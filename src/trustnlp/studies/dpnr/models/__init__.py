"""What the chapter trains."""
