"""The drawing of the chapter: one sentence, sent with the noise of the released code and with that of the text."""

from trustnlp.plots.drawings import Drawing


def method_drawing() -> Drawing:
    """A sentence is encoded and scaled; one shared noise comes off again, noise for each coordinate stays (§3.3)."""
    picture = Drawing(
        "One sentence, two kinds of noise",
        "A phone encodes the sentence “My doctor says the test was positive” and scales the vector, which makes its "
        "smallest coordinate zero. Above, as in the released code, one number is added to all coordinates: the vector "
        "is shifted and keeps its shape. An attacker who subtracts its smallest coordinate has the vector back, with "
        "topic and test result. Below, as in the paper's text, each coordinate gets its own number. That hides "
        "the shape from an attacker and from the server.",
        caption="A strong colour marks a large coordinate. The attacker needs nothing but the vector that is sent.",
    )
    sentence = picture.text("“My doctor\nsays the test\nwas positive.”", "on the phone", at=(0, 0))
    encoder = picture.box("encoder", at=(0, 1))
    scaled = picture.vector([0.45, 0.0, 0.65, 0.2], "scaled", "smallest: 0", at=(1, 1))
    shared = picture.noise("one number", "released code", at=(2, 0))
    own = picture.noise("one for each", "paper's text", at=(2, 2))
    shifted = picture.vector([0.75, 0.3, 0.95, 0.5], "shifted", "same shape", at=(3, 0))
    scrambled = picture.vector([0.1, 0.85, 0.3, 0.95], "scrambled", at=(3, 2))
    back = picture.vector(
        [0.45, 0.0, 0.65, 0.2], "the vector\nis back", "smallest\nsubtracted", at=(4, 0), tone="vermilion"
    )
    hidden = picture.words("hidden", "from attacker\nand server", at=(4, 2))
    picture.arrow(sentence, encoder)
    picture.arrow(encoder, scaled)
    picture.arrow(scaled, shared)
    picture.arrow(scaled, own)
    picture.arrow(shared, shifted)
    picture.arrow(own, scrambled)
    picture.arrow(shifted, back, tone="vermilion")
    picture.arrow(scrambled, hidden)
    return picture
