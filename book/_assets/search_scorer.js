/* How the book's search orders its results, and which words of a question it leaves out.
   Sphinx puts this file between its stop words and its search: both are defined here. */

const TN_ASKING = ["can", "could", "did", "do", "does", "how", "i", "it's", "me", "my", "should", "so", "what", "when", "where", "which", "who", "why", "you", "your"];
stopwords.push(...TN_ASKING);

/* Pages that answer come before pages that list: front pages and guides, then notebooks, then claims, then the API. */
const TN_PLACES = [
  [/^chapters\/_template\//, -40],
  [/^chapters\/[a-z_]+\/index$/, 24],
  [/^book\/(findings|own-data|how-to-run|how-to-read)$/, 18],
  [/^book\/(glossary|intro|methods|errors-in-print)$/, 8],
  [/^chapters\/[a-z_]+\/(ledger|conditions)$/, -6],
  [/^book\/(api|log|references|notation)/, -40],
];

var Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
  score: ([docname, , anchor, , score]) => {
    const place = TN_PLACES.find(([pattern]) => pattern.test(docname));
    // A section repeats its page, which is listed itself.
    return score + (place ? place[1] : 0) - (anchor ? 3 : 0);
  },
};
