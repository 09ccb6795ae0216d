"""The commands of `trustnlp` that run notebooks, keep records and judge claims, one file for each subject."""
