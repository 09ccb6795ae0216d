"""English corpora of sentences, reviews, news, posts and owned documents."""
