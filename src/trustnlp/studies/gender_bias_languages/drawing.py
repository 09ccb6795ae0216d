"""The drawing of the chapter: pairs of words make a direction, and *husband* is scored along it."""

from trustnlp.plots.drawings import Drawing


def method_drawing() -> Drawing:
    """From seven pairs to the score of one word (§4); the check that the chapter adds is dashed."""
    picture = Drawing(
        "How a word is scored along a gender direction",
        "Above, the vectors of seven pairs such as queen and king are subtracted, and the first principal component "
        "of these differences is the gender direction g. Below, texts of the same language yield the vector of "
        "husband, which is compared with g by their cosine. Above zero the word leans female, below zero male. Before "
        "the score is believed, g should put other pairs in order, such as sister and brother; this check is dashed.",
        caption="Dashed lines mark a check that this chapter adds to the paper's method.",
    )
    pairs = picture.text("queen − king\nwife − husband\n…", "seven pairs", at=(0, 0))
    component = picture.box("principal\ncomponent", "main difference", at=(1, 0), tone="blue")
    direction = picture.vector((0.2, 0.9, 0.5, 0.1, 0.7), "g", "gender direction", at=(2, 0))
    check = picture.box("other pairs\nin order?", "sister – brother", at=(3, 0), tone="orange")
    text = picture.text("… and her\nhusband said …", "texts of a language", at=(0, 1))
    husband = picture.vector((0.6, 0.4, 0.8, 0.3, 0.5), "husband", at=(1, 1), tone="ink")
    cosine = picture.box("cosine", "above or below 0", at=(2, 1), tone="blue")
    score = picture.label("female?", "or male", at=(3, 1))
    picture.arrow(pairs, component)
    picture.arrow(component, direction)
    picture.arrow(direction, check, tone="orange", dashed=True)
    picture.arrow(text, husband)
    picture.arrow(husband, cosine)
    picture.arrow(direction, cosine)
    picture.arrow(cosine, score)
    picture.arrow(check, score, tone="orange", dashed=True)
    return picture
