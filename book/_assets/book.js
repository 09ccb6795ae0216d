// Opened from a disk, a page may not read other pages: search then lists titles without excerpts, and no error.
if (window.location.protocol === "file:" && typeof DOCUMENTATION_OPTIONS !== "undefined") {
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
}

// What scrolls sideways must be reachable from the keyboard.
function reachScrollers() {
  const boxes = document.querySelectorAll(
    ".tn-scroll, .bd-article .cell_output > .output, .pst-scrollable-table-container, .bd-article .math.notranslate, " +
      '.bd-article mjx-container[display="true"]'
  );
  for (const box of boxes) {
    if (box.scrollWidth > box.clientWidth + 1 && !box.hasAttribute("tabindex")) {
      box.tabIndex = 0;
      if (!box.hasAttribute("role")) {
        box.setAttribute("role", "region");
        box.setAttribute("aria-label", "Wide content, scrolls sideways");
      }
    }
  }
}
window.addEventListener("load", reachScrollers);
window.addEventListener("resize", reachScrollers);

// Formulas get their width when MathJax, which may come late, has typeset them.
function reachFormulas() {
  if (!document.querySelector(".math.notranslate")) {
    return;
  }
  const typeset = window.MathJax && window.MathJax.startup && window.MathJax.startup.promise;
  if (typeset) {
    typeset.then(reachScrollers);
  } else {
    window.setTimeout(reachFormulas, 100);
  }
}
window.addEventListener("load", reachFormulas);

// What the theme and Sphinx write that a screen reader stumbles over: arrows without a name in the sidebar, lists of
// definitions that only indent a long signature, a list whose items are none.
function mendTheme() {
  for (const arrow of document.querySelectorAll(".bd-sidebar-primary summary:not([aria-label])")) {
    const link = arrow.closest("li").querySelector("a");
    arrow.setAttribute("aria-label", `Pages of ${link ? link.textContent.trim() : "this chapter"}`);
  }
  for (const part of document.querySelectorAll("dt.sig dl, dt.sig dl dd")) {
    part.setAttribute("role", "presentation");
  }
  for (const list of document.querySelectorAll(".citation-list[role=list]")) {
    list.removeAttribute("role");
  }
}
window.addEventListener("DOMContentLoaded", mendTheme);

// A claim's place: its row may be filtered away, or lie in a fold; on a front page, where the claims once were, it is
// on the ledger page.
function goToClaim() {
  const hash = decodeURIComponent(window.location.hash.slice(1));
  if (!hash) {
    return;
  }
  const form = document.querySelector("form.tn-filter");
  if (form && hash.startsWith("tn-")) {
    form.elements.verdict.value = hash;
    form.dispatchEvent(new Event("input"));
    form.scrollIntoView();
    return;
  }
  const place = document.getElementById(hash);
  if (!place) {
    if (hash.startsWith("claim-") && document.querySelector("a[href$='ledger.html'], a[href*='ledger.html#']")) {
      window.location.replace("ledger.html" + window.location.hash);
    }
    return;
  }
  if (form && place.closest("tr[hidden]")) {
    form.reset();
    form.dispatchEvent(new Event("input"));
  }
  for (let fold = place.closest("details"); fold; fold = fold.parentElement.closest("details")) {
    fold.open = true;
  }
  place.scrollIntoView();
}

// The ledger: search, filters, and headings that sort. The cells of a sentence are folded in the row below its own: they
// are found with it, shown with it and follow it.
function wireLedger(ledger) {
  const form = ledger.querySelector("form.tn-filter");
  const body = ledger.querySelector("tbody");
  const rows = [...body.rows].filter((row) => !row.classList.contains("tn-under"));
  const under = (row) => [row.nextElementSibling].filter((next) => next && next.classList.contains("tn-under"));
  const folds = new Map(rows.map((row) => [row, under(row)]));
  const texts = new Map(
    rows.map((row) => [row, [row, ...folds.get(row)].map((part) => part.textContent.toLowerCase()).join(" ")])
  );
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => {
    const words = form.elements.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const { verdict, group, place } = form.elements;
    let shown = 0;
    for (const row of rows) {
      const text = texts.get(row);
      row.hidden =
        (verdict.value && row.dataset.verdict !== verdict.value) ||
        (group.value && row.dataset.group !== group.value) ||
        (place.value && row.dataset.place !== place.value) ||
        !words.every((word) => text.includes(word));
      folds.get(row).forEach((fold) => (fold.hidden = row.hidden));
      shown += row.hidden ? 0 : 1;
    }
    form.querySelector("output").textContent =
      shown === rows.length ? `${shown} claims` : `${shown} of ${rows.length} claims`;
  });
  const number = (text) => parseFloat(text.replace(/−/g, "-").replace(/[|]/g, ""));
  for (const head of body.parentElement.tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "tn-sort";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of head.parentElement.cells) {
        other.removeAttribute("aria-sort");
      }
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const order = [...rows].sort((one, other) => {
        const [a, b] = [one, other].map((row) => row.cells[head.cellIndex].textContent.trim());
        const [x, y] = [number(a), number(b)];
        if (!Number.isNaN(x) && !Number.isNaN(y)) {
          return x - y;
        }
        return Number.isNaN(x) !== Number.isNaN(y) ? Number.isNaN(x) - Number.isNaN(y) : a.localeCompare(b);
      });
      body.replaceChildren(...(down ? order.reverse() : order).flatMap((row) => [row, ...folds.get(row)]));
    });
  }
}
window.addEventListener("load", () => {
  document.querySelectorAll("section.tn-ledger").forEach(wireLedger);
  goToClaim();
});
window.addEventListener("hashchange", goToClaim);

// On paper the page is light, what is folded is read, and no link names a folder of this machine.
let undoPrint = [];
window.addEventListener("beforeprint", () => {
  const root = document.documentElement;
  const theme = root.dataset.theme;
  root.dataset.theme = "light";
  undoPrint.push(() => (root.dataset.theme = theme));
  for (const fold of document.querySelectorAll(".bd-article details:not([open])")) {
    fold.open = true;
    undoPrint.push(() => (fold.open = false));
  }
  for (const link of document.querySelectorAll("a[href]")) {
    const address = link.getAttribute("href");
    if (link.protocol === "file:" && !address.startsWith("#")) {
      link.removeAttribute("href");
      undoPrint.push(() => link.setAttribute("href", address));
    }
  }
});
window.addEventListener("afterprint", () => {
  undoPrint.forEach((undo) => undo());
  undoPrint = [];
});
