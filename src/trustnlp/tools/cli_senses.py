"""`trustnlp senses`: the senses of words, found in their vectors; `privatise --inventory` asks for them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trustnlp.reproduce.command_paths import REPORT, Reads, Writes, vectors_file

if TYPE_CHECKING:
    from trustnlp.embeddings.senses.sense_inventory import SenseInventory
    from trustnlp.embeddings.static import WordVectors

_NEAREST = 6


def senses(
    vectors: Annotated[
        str,
        typer.Argument(metavar="VECTORS", help="Of the registry, or a text file of word2vec or GloVe."),
        Reads(vectors_file),
    ],
    target: Annotated[
        Path,
        typer.Argument(metavar="OUT.npz", help="The senses, for `privatise --inventory`."),
        Writes((".npz",), "the inventory of senses"),
    ],
    words: Annotated[int, typer.Option(min=2, help="Use the first so many words, as `privatise` does.")] = 100_000,
    neighbours: Annotated[int, typer.Option(min=1, help="Words that the senses of a word are made of.")] = 200,
    min_size: Annotated[int, typer.Option(min=1, help="Groups of fewer words are no sense.")] = 5,
    word: Annotated[list[str] | None, typer.Option(help="Show the senses of this word; repeatable.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the clustering.")] = 0,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write what is shown as .json or .html."), REPORT
    ] = None,
) -> None:
    """Find the senses of words: groups among the nearest words of each."""
    from tqdm import tqdm

    from trustnlp.embeddings.senses.sense_induction import neighbour_graph, senses_of_graph
    from trustnlp.files.atomic_writing import replacing_by_name
    from trustnlp.reproduce.project import UserError
    from trustnlp.tools.report_files import write_report
    from trustnlp.tools.user_files import read_word_vectors

    read = read_word_vectors(vectors, words)
    known = set(read.words)
    for each in word or []:
        if each not in known:
            raise UserError(f"{vectors} has no word {each!r} among the first {len(read):,}")
    try:
        with tqdm(total=2, desc="nearest words", unit="step", disable=None, leave=False) as bar:
            graph = neighbour_graph(read, neighbours)
            bar.update()
            bar.set_description("senses")
            inventory = senses_of_graph(read, graph, min_size=min_size, seed=seed)
            bar.update()
    except ValueError as error:
        raise UserError(f"{vectors}: {error}") from None
    with replacing_by_name(target) as part:
        inventory.save(part)
    several = int((inventory.starts[1:] - inventory.starts[:-1] > 1).sum())
    facts: dict[str, Any] = {
        "vectors": vectors, "words": len(read), "senses": len(inventory), "words with several": several,
        "words whose groups are all too small": inventory.dropped, "neighbours": neighbours, "min size": min_size,
        "seed": seed,
    }  # fmt: skip
    print(
        f"{len(inventory):,} senses of {len(read):,} words; {several:,} words have several, "
        f"{inventory.dropped:,} no group"
    )
    rows = [row for each in word or [] for row in _shown(inventory, read, each)]
    for row in rows:
        print(f"{row['sense']:<20} {row['share']:.0%}: {', '.join(row['nearest words'])}")
    print(f"wrote {target}")
    if out is not None:
        write_report(out, f"Senses of {vectors}", facts, {"senses": rows})
        print(f"wrote {out}")


def _shown(found: SenseInventory, read: WordVectors, word: str) -> list[dict[str, Any]]:
    """The senses of a word, each with its share and the words nearest to it."""
    import numpy as np

    row = read.words.index(word)
    unit = read.matrix / np.linalg.norm(read.matrix, axis=1, keepdims=True)
    rows = []
    for sense in range(*found.senses_of(row).indices(len(found))):
        order = np.argsort(-(unit @ found.matrix[sense]), kind="stable")
        rows.append(
            {
                "sense": found.label(sense),
                "share": float(found.prior[sense]),
                "nearest words": [read.words[place] for place in order[: _NEAREST + 1] if place != row][:_NEAREST],
            }
        )
    return rows
