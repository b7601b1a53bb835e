// What scrolls inside itself (a wide table or formula on a phone) can be reached and scrolled with the keyboard.

const SCROLLERS = ".stMarkdown, .stMarkdown table, .stMarkdown .katex-display, [data-testid=stMarkdownContainer]";

function reachScrollers() {
  for (const element of document.querySelectorAll(SCROLLERS)) {
    const scrolls = element.scrollWidth > element.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(element).overflowX);
    if (scrolls) element.tabIndex = 0;
    else element.removeAttribute("tabindex");
  }
}

function watchScrollers() {
  if (globalThis.__paScrollers) return; // once a document
  let waiting;
  const soon = () => {
    clearTimeout(waiting);
    waiting = setTimeout(reachScrollers, 200);
  };
  globalThis.__paScrollers = new MutationObserver(soon);
  globalThis.__paScrollers.observe(document.body, { childList: true, subtree: true });
  addEventListener("resize", soon);
  soon();
}
