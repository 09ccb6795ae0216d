"""The drawing of the chapter: a sentence as the mean of its words, and three ways to train the layer that reads it."""

from trustnlp.plots.drawings import Drawing


def method_drawing() -> Drawing:
    """A small model: word vectors, their mean, noise, a linear layer; what training adds is dashed (§5)."""
    picture = Drawing(
        "A small model under noise, and three ways to train it",
        "The words and word pairs of the sentence “Shares fall after bank's warning” are looked up in a table of "
        "vectors. Their mean, scaled to run from 0 to 1, is the sentence's vector. Each coordinate gets noise, and a "
        "linear layer reads the topic: business. In training, five passes over the news, the noise of a pass is none "
        "(classic), that of the test (robust), or more from pass to pass (adaptive).",
        caption="Dashed arrows show the training, which fits vectors and layer together.",
    )
    sentence = picture.text("“Shares fall\nafter bank's\nwarning”", at=(0, 0))
    words = picture.vector([0.3, 1, 0, 0.6], "mean of its\nword vectors", "scaled", at=(1, 0))
    noise = picture.noise("noise", "per number", at=(2, 0))
    layer = picture.box("linear\nlayer", at=(3, 0))
    topic = picture.label("business?", "one of four", at=(4, 0))
    news = picture.label("labelled\nnews", at=(0, 1))
    training = picture.box("no noise, the test's, or growing", "classic · robust · adaptive", at=(1, 1), span=3)
    picture.arrow(sentence, words)
    picture.arrow(words, noise)
    picture.arrow(noise, layer)
    picture.arrow(layer, topic)
    picture.arrow(news, training, tone="orange", dashed=True)
    picture.arrow(training, layer, tone="orange", dashed=True)
    return picture
