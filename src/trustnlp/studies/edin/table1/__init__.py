"""Tables 1 and 3 on one corpus, as the notebooks kbp37, semeval and tacred record them."""
