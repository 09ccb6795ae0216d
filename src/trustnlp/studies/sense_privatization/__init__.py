"""Arnold, Yesilbas and Weinzierl (2023): what only this chapter's notebooks call."""
