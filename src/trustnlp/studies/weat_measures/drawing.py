"""The drawing of the chapter: one name, measured against two sets of words, then sixteen names in one test."""

from trustnlp.plots.drawings import Drawing


def method_drawing() -> Drawing:
    """WEAT 6 in word2vec with cosine and mean (§2); the two steps that the paper varies are blue."""
    picture = Drawing(
        "How an association test measures a bias",
        "The vector of Amy is compared with eight words of career, such as salary, and eight of family, such as home. "
        "Step one is a distance: cosine, Euclidean, Manhattan or Mahalanobis. It yields eight numbers for each side, "
        "those of family being higher. Step two is a statistic: mean, median, minimum, maximum or Eq. 2. It reduces "
        "them to one association, by which Amy leans to family. John and fourteen more names go the same way. The "
        "effect size counts the standard deviations between the male and the female names.",
        caption="Blue marks the two choices that the paper varies. The numbers come from word2vec, cosine and mean.",
    )
    career = picture.text("salary\noffice …", "career", at=(0, 0))
    amy = picture.vector((0.9, 0.2, 0.6, 0.3, 0.8), "Amy", at=(0, 1), tone="ink")
    family = picture.text("home\nparents …", "family", at=(0, 2))
    distance = picture.box("distance", "cosine?\nEuclidean?", at=(1, 1), tone="blue")
    to_career = picture.vector(
        (0.48, 0.23, 0.52, 0.0, 0.41, 0.44, 0.53, 0.78), "to career", "word by word", at=(2, 0), tone="ink"
    )
    to_family = picture.vector(
        (0.8, 1.0, 0.97, 0.94, 0.43, 0.52, 0.71, 0.59), "to family", "word by word", at=(2, 2), tone="ink"
    )
    statistic = picture.box("statistic", "mean?\nminimum?", at=(3, 1), tone="blue")
    association = picture.words("Amy: −0.07", "leans to family", at=(4, 0))
    effect = picture.box("effect size", "1.89 standard\ndeviations", at=(4, 1))
    others = picture.words("John: +0.08", "and 14 others", at=(4, 2))
    for given in (career, amy, family):
        picture.arrow(given, distance)
    picture.arrow(distance, to_career)
    picture.arrow(distance, to_family)
    picture.arrow(to_career, statistic)
    picture.arrow(to_family, statistic)
    picture.arrow(statistic, association)
    picture.arrow(association, effect)
    picture.arrow(others, effect)
    return picture
