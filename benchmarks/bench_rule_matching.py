"""Speed of the rule matcher: all released rules on many sentences, beside recursion over every rule.

    python benchmarks/bench_rule_matching.py  # SemEval's training sentences; the obvious way on 40 of them
    python benchmarks/bench_rule_matching.py --quick  # on 8 of them
    python benchmarks/bench_rule_matching.py --kbp37  # KBP37's training sentences as well, commas optional

Needs the released rules and the corpora (TRUSTNLP_MIRROR, or their sources). Both ways see the same sentences with
commas, subject and object in both directions, no gate; the matches are compared. The obvious way is `naive_rules.py`
among the tests: every rule on its own, recursion over its tree from every token. Half of its
sentences are spread over the corpus, some rule matches in the others.
Seconds are of the processor, as others may use this machine.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from _timing import options, say, start

sys.path.append(str(Path(__file__).parents[1] / "tests" / "oracle" / "references"))
from naive_rules import naive_match_all

from trustnlp.data.relations.kbp37 import read_kbp37
from trustnlp.data.relations.semeval_relations import read_semeval_relations
from trustnlp.relations.rules.rule_base import read_rule_base
from trustnlp.relations.rules.rule_index import RuleIndex

Result = TypeVar("Result")


def timed(job: Callable[[], Result]) -> tuple[Result, float]:
    """What a job returns, and the processor's seconds."""
    begun = time.process_time()
    return job(), time.process_time() - begun


def main() -> None:
    parser = options(__doc__, repeat=3)
    parser.add_argument("--kbp37", action="store_true")
    arguments = parser.parse_args()
    bench = start("All released rules on many sentences", arguments)
    base, seconds = timed(read_rule_base)
    say(f"{len(base):,} rules read in {seconds:.1f} s, {len(base.usable):,} of them usable")
    index, seconds = timed(lambda: RuleIndex(base))
    say(f"compiled in {seconds:.1f} s")

    examples = read_semeval_relations("train")
    first = index.match(examples, lemmas=True, gate=False, both_directions=True).matches
    wanted = 4 if arguments.quick else 20
    few = examples[:: len(examples) // wanted][:wanted]
    few += [example for example, found in zip(examples, first, strict=True) if found][:wanted]
    slow, slow_seconds = timed(
        lambda: naive_match_all(base, few, lemmas=True, commas="required", gate=False, both_directions=True)
    )
    say(f"obvious way: {1e3 * slow_seconds / len(few):.1f} ms a sentence ({len(few)} sentences)")
    for _ in range(bench.repeat):
        fast, seconds = timed(lambda: index.match(examples, lemmas=True, gate=False, both_directions=True))
        each, ratio = seconds / len(examples), slow_seconds / len(few) / (seconds / len(examples))
        say(f"SemEval: {1e3 * each:.2f} ms a sentence ({len(examples):,}); {ratio:.0f} times as fast")
    again = index.match(few, lemmas=True, gate=False, both_directions=True).matches
    say(f"same matches: {again == slow} ({sum(map(len, slow))} here, {sum(map(len, fast.matches)):,} in all)")
    if arguments.kbp37:
        examples = read_kbp37("train") + read_kbp37("dev") + read_kbp37("test")
        lenient = RuleIndex(base, commas="optional")
        fast, seconds = timed(lambda: lenient.match(examples, lemmas=True, gate=True, both_directions=True))
        say(f"KBP37: {seconds:.0f} s for {len(examples):,} sentences; rules fire in {sum(map(bool, fast.matches)):,}")


if __name__ == "__main__":
    main()
