// When a page writes its address in its first run, Streamlit 1.67 lets the address arrive before the path of that page:
// the history would get the old path with the new page's parameters, an entry that nobody has visited.

const push = window.history.pushState.bind(window.history);
const replace = window.history.replaceState.bind(window.history);

function settings(search) {
  const parameters = new URLSearchParams(search);
  parameters.delete("t"); // a step is a place in a run, not a setting: going back undoes settings
  return parameters.toString();
}

// The play page writes its moves into the address itself, at once. Streamlit's answer to a move that others have
// followed comes late and would undo them.
function answersThePast(url) {
  return Boolean(globalThis.__pa?.stale?.(url));
}

function tidyReplace(state, title, url) {
  const next = new URL(url ?? window.location.href, window.location.href);
  if (next.pathname !== window.location.pathname || !answersThePast(next)) replace(state, title, url);
}

// Entries that are no act of the reader take the place of the one before.
function tidyPush(state, title, url) {
  const now = window.location;
  const next = new URL(url ?? now.href, now.href);
  const samePath = next.pathname === now.pathname;
  if (samePath && answersThePast(next)) return;
  const completed = samePath && !new URLSearchParams(now.search).has("v"); // a bare address gets its parameters
  const stepped = samePath && settings(next.search) === settings(now.search);
  const pathCameLate = !samePath && now.search !== "" && next.search === now.search;
  if (completed || stepped || pathCameLate) replace(state, title, url);
  else push(state, title, url);
}

function tidyHistory() {
  window.history.pushState = tidyPush;
  window.history.replaceState = tidyReplace;
}
