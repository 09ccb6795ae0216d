"""The drawing of the chapter: one tweet, ranked by uncertainty and by AEC."""

from trustnlp.plots.drawings import Drawing


def method_drawing() -> Drawing:
    """Two ways to find a classifier's errors; what has to be labelled first is dashed (§3)."""
    picture = Drawing(
        "Two ways to find the errors of a classifier",
        "The tweet “Thanks for losing my bag again!” goes two ways. Above, the sentiment classifier says positive with "
        "probability 0.97, so uncertainty sampling ranks it last; no label is needed. Below, features to read, such "
        "as “thanks” and an exclamation mark, go to an error classifier, which ranks it first. The error classifier "
        "has learned from thousands of labelled tweets where the sentiment classifier errs.",
        caption="The upper path is uncertainty sampling, the lower path is AEC. The dashed arrow stands for tweets "
        "that must be labelled first.",
    )
    tweet = picture.text("“Thanks for\nlosing my bag\nagain!”", "a complaint", at=(0, 1))
    classifier = picture.box("sentiment\nclassifier", at=(1, 0))
    sure = picture.words("positive .97", "sure, and wrong", at=(2, 0))
    uncertainty = picture.box("uncertainty\nsampling", "ranks it last", at=(3, 0))
    labelled = picture.label("labelled tweets", "errors are known", at=(2, 1))
    features = picture.box("features", "thanks · ! · losing", at=(1, 2), tone="blue")
    errors = picture.box("error\nclassifier", at=(2, 2), tone="blue")
    ranked = picture.box("AEC", "ranks it first", at=(3, 2), tone="blue")
    picture.arrow(tweet, classifier)
    picture.arrow(classifier, sure)
    picture.arrow(sure, uncertainty)
    picture.arrow(tweet, features, tone="blue")
    picture.arrow(features, errors, tone="blue")
    picture.arrow(errors, ranked, tone="blue")
    picture.arrow(labelled, errors, tone="orange", dashed=True)
    return picture
