"""The drawing of the chapter: one gap in one sentence, one word of a dictionary, and what the word would change."""

from itertools import pairwise

from trustnlp.plots.drawings import Drawing


def method_drawing() -> Drawing:
    """The student of Figure 1 of the paper; what its teacher answers, to train and to check it, is dashed."""
    picture = Drawing(
        "How a student predicts what a word does to a classifier",
        "A sentence with a gap, “unflinchingly, gap, and desperate”, goes through a context network to a vector, which "
        "is stored. A word, “gentle”, goes through a word network to another vector, stored as well. A small network "
        "of two layers combines the two vectors, and its result is what the word changes: the student says positive. "
        "Below, the classifier reads the sentence with the word in the gap. Its answer trains the student, and checks "
        "it. Any other word in this gap, and this word in any other gap, needs only the small network anew.",
        caption="Dashed lines are questions to the classifier; its answers train and check the student. The answers "
        "shown are made up.",
    )
    gap = picture.text("unflinchingly\n▢ and\ndesperate", "one gap", at=(0, 0))
    context = picture.box("context\nnetwork", at=(1, 0), tone="blue")
    gap_vector = picture.vector([0.2, 0.9, 0.5], "", "stored", at=(2, 0))
    word = picture.text("gentle", "one of thousands", at=(0, 2))
    token = picture.box("word\nnetwork", at=(1, 2), tone="blue")
    word_vector = picture.vector([0.8, 0.1, 0.6], "", "stored", at=(2, 2))
    combine = picture.box("combine", "two layers", at=(3, 1), tone="blue")
    student = picture.words("positive", "says the student", at=(4, 1), tone="blue")
    whole = picture.text("unflinchingly\ngentle and\ndesperate", at=(0, 3))
    classifier = picture.box("classifier", "large, slow", at=(2, 3))
    answer = picture.words("positive?", "its own answer", at=(4, 3))
    for path in ((gap, context, gap_vector, combine), (word, token, word_vector, combine, student)):
        for start, end in pairwise(path):
            picture.arrow(start, end, tone="blue")
    for start, end in pairwise((whole, classifier, answer, student)):
        picture.arrow(start, end, tone="orange", dashed=True)
    return picture
