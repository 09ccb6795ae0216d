"""Kumar, Dixit and Shah (2021), MOXIE: what only this chapter's notebooks call."""
