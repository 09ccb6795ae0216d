"""Experiments across the papers, without a paper of their own: what only this chapter's notebooks call."""
