"""The drawing of the chapter: one sentence, redacted by polarised vectors, and by the count they are compared with."""

from trustnlp.plots.drawings import Drawing


def method_drawing() -> Drawing:
    """Skip-gram (Eq. 1) and the field (Eq. 4), then the threshold on the cosine; below, our baseline."""
    picture = Drawing(
        "How word vectors redact a document, and how a count does",
        "The sentence “the office on Zairund Street” stands in a document that is labelled with its owner, Alder. Two "
        "forces move the vector of the word “Zairund”: skip-gram draws it to its neighbours; the post's field, in "
        "blue, draws it to the axis of the label Alder. Its cosine with the vector of the name “Alder” is its score, "
        "and words with a high score are removed: Zairund and Street are blacked out. Below, the count that we "
        "compare: Alder uses the word twice and others never, so its log-odds are high, and it is removed, too.",
        caption="Blue marks what the post adds to skip-gram. The bottom row is a count of words, with which "
        "we compare the post's method.",
    )
    label = picture.label("Alder", "the owner", at=(0, 0))
    document = picture.text("the office\non Zairund\nStreet", at=(0, 1))
    field = picture.box("field", "to Alder's axis", at=(1, 0), tone="blue")
    neighbours = picture.box("skip-gram", "to neighbours", at=(1, 1))
    count = picture.box("count", "how often?", at=(1, 2))
    vector = picture.vector([0.9, 0.2, 0.8, 0.3], "“Zairund”", at=(2, 1))
    times = picture.words("Alder 2\nothers 0", at=(2, 2))
    cosine = picture.box("cosine", "with “Alder”", at=(3, 1))
    picture.words("high score:\nremoved", at=(4, 0))
    odds = picture.box("log-odds", at=(3, 2))
    redacted = picture.text("the office\non ▇▇▇▇\n▇▇▇▇", at=(4, 1))
    picture.arrow(label, field, tone="blue")
    picture.arrow(document, neighbours)
    picture.arrow(document, count)
    picture.arrow(field, vector, tone="blue")
    picture.arrow(neighbours, vector)
    picture.arrow(vector, cosine)
    picture.arrow(cosine, redacted)
    picture.arrow(count, times)
    picture.arrow(times, odds)
    picture.arrow(odds, redacted)
    return picture
