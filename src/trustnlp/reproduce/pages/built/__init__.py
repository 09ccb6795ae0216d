"""The rendered book as files: links and anchors checked, old addresses forwarded, chapters printed as PDF."""
