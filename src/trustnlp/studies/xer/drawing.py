"""The drawing of the chapter: three records whose scores contradict each other, merged and partitioned."""

from trustnlp.plots.drawings import Drawing


def method_drawing() -> Drawing:
    """Above, everything that matches is merged; below, every way to group is weighed (Eqs. 1 to 5)."""
    picture = Drawing(
        "Scores that contradict each other, settled in two ways",
        "Three records: A is Petra, B is Petra (Jordan), C is Petra (Mallorca). A classifier scores the pairs: A and B "
        "0.9, A and C 0.8, B and C 0.1. Above, whatever matches is merged, and all three become one town, which is "
        "wrong. Below, each way to group the records is weighed by the scores inside its groups, each less one half: A "
        "with B weighs 0.4, A with C 0.3, all three together 0.3, the other two ways nothing or less. The heaviest, A "
        "with B and C alone, is taken, with a proof that none weighs more.",
        caption="A bar separates two groups. The weight of a grouping adds up the scores of the pairs inside its "
        "groups, each minus one half.",
    )
    records = picture.text("A: Petra\nB: Petra (Jordan)\nC: Petra (Mallorca)", "three records", at=(0, 0))
    scores = picture.box("A–B  .9\nA–C  .8\nB–C  .1", "a classifier’s scores", at=(0, 1))
    merge = picture.box("merge what\nmatches", at=(1, 0))
    pairs = picture.words("A–B and A–C\nmatch", at=(2, 0))
    one = picture.words("A B C", "one town, wrong", at=(3, 0))
    weigh = picture.box("weigh every\ngrouping", at=(1, 1), tone="blue")
    weights = picture.words("A B | C:  .4\nA C | B:  .3\nA B C:  .3", at=(2, 1))
    best = picture.label("A B | C", "the heaviest,\nwith a proof", at=(3, 1), tone="blue")
    picture.arrow(records, scores)
    picture.arrow(scores, merge)
    picture.arrow(merge, pairs)
    picture.arrow(pairs, one)
    picture.arrow(scores, weigh, tone="blue")
    picture.arrow(weigh, weights, tone="blue")
    picture.arrow(weights, best, tone="blue")
    return picture
