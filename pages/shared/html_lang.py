"""What the browser's document needs and Streamlit does not give: language, a clean history, word of being printed, and
of a server that is back.

Streamlit always ships ``<html lang="en">``. And in 1.67, when a page writes its address in its first run, the address
arrives before the path of that page: the history gets the old path with the new page's parameters, an entry that
nobody has visited. And nobody tells what is drawn by scripts that the page goes to paper (``assets/print.js``). The
component mends all three; it draws nothing.
"""

import streamlit as st

from pages.shared.theme import ASSETS

_component = st.components.v2.component(
    "html_lang",
    html="",
    js=(ASSETS / "print.js").read_text(encoding="utf-8")
    + """
// language and history of the document
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

// After a server has gone and come back, it knows nothing of this page, and Streamlit does not run the script before
// the reader's next act: as the first one of a new session it would change nothing. So the session is begun at once.
const connection = new MutationObserver(([change]) => {
  const now = change.target.dataset.testConnectionState;
  if (now === "CONNECTED" && change.oldValue && change.oldValue !== "CONNECTED") connection.begin?.();
});

function watchConnection(begin) {
  connection.begin = begin;
  const attributeFilter = ["data-test-connection-state"];
  const app = document.querySelector(".stApp");
  if (app) connection.observe(app, { attributeFilter, attributeOldValue: true });
}

export default function ({ data, setStateValue }) {
  document.documentElement.lang = data.lang;
  tellPrinting();
  watchConnection(() => setStateValue("connected", Date.now()));
  window.history.pushState = tidyPush;
  window.history.replaceState = tidyReplace;
}
""",
)


def html_lang(lang: str) -> None:
    """Tell the document its language (an id of `LANGUAGES`)."""
    _component(key="html_lang", data={"lang": lang}, default={"connected": None}, on_connected_change=_begun, height=0)


def _begun() -> None:
    """The run itself is all that is wanted."""
