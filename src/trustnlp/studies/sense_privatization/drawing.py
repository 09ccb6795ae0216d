"""The drawing of the chapter: the word “bank”, replaced without and with a look at the words around it."""

from trustnlp.plots.drawings import Drawing


def method_drawing() -> Drawing:
    """One vector for a word, or one for each sense, chosen by the neighbours without noise: that leaks (§3)."""
    picture = Drawing(
        "The word “bank”, replaced without and with its context",
        "The text is “I sat down by the river bank”. Above, the word bank has one vector; noise is added, and "
        "the nearest word takes its place: perhaps loan, perhaps shore. In the middle, the words around it choose "
        "between two senses of bank. The vector of the sense at the river gets noise, and the nearest sense takes its "
        "place: shore. Below, somebody has written office for river. Now the neighbours choose the other sense of "
        "bank, and the substitute is loan: it tells something of a word that was to stay secret.",
        caption="Dashed arrows: if river becomes office, shore becomes loan, which reveals the change.",
    )
    text = picture.text("“I sat down\nby the river\nbank.”", at=(0, 0))
    word = picture.vector([0.5, 0.4, 0.6, 0.5], "bank", "one vector", at=(1, 0))
    noise = picture.noise("noise", at=(2, 0))
    either = picture.words("loan? shore?", "nearest word", at=(3, 0))
    neighbours = picture.box("neighbours\nchoose", "sat · down · river", at=(0, 1), tone="blue")
    water = picture.vector([0.9, 0.7, 0.1, 0.4], "bank₁", "river · shore", at=(1, 1))
    second = picture.noise("noise", at=(2, 1))
    shore = picture.words("shore", "nearest sense", at=(3, 1), tone="blue")
    changed = picture.words("river → office", at=(0, 2), tone="vermilion")
    money = picture.vector([0.1, 0.2, 0.9, 0.6], "bank₂", "loan · deposit", at=(1, 2))
    third = picture.noise("noise", at=(2, 2))
    loan = picture.words("loan", at=(3, 2), tone="vermilion")
    picture.arrow(text, word)
    picture.arrow(word, noise)
    picture.arrow(noise, either)
    picture.arrow(text, neighbours, tone="blue")
    picture.arrow(neighbours, water, tone="blue")
    picture.arrow(water, second, tone="blue")
    picture.arrow(second, shore, tone="blue")
    picture.arrow(changed, money, tone="vermilion", dashed=True)
    picture.arrow(money, third, tone="vermilion", dashed=True)
    picture.arrow(third, loan, tone="vermilion", dashed=True)
    return picture
