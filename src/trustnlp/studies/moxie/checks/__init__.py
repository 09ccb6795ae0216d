"""The printed numbers and released files, checked."""
