// Opened from a disk, a page may not read other pages: search then lists titles without excerpts, and no error.
if (window.location.protocol === "file:" && typeof DOCUMENTATION_OPTIONS !== "undefined") {
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
}

// What scrolls sideways must be reachable from the keyboard.
function reachScrollers() {
  const boxes = document.querySelectorAll(
    ".tn-scroll, .bd-article .cell_output > .output, .pst-scrollable-table-container, .bd-article .math.notranslate"
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

// A link to a claim inside a folded table opens the fold first.
function openFold() {
  const place = window.location.hash && document.getElementById(decodeURIComponent(window.location.hash.slice(1)));
  const fold = place && place.closest("details:not([open])");
  if (fold) {
    fold.open = true;
    place.scrollIntoView();
  }
}
window.addEventListener("load", openFold);
window.addEventListener("hashchange", openFold);
