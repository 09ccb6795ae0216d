"""The pages of the book: built, staged, checked; numbers, ledgers and figures in them."""
