"""Misra, Liu and Mahmud (2021), AEC: what only this chapter's notebooks call."""
