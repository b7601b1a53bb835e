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

// A line that comes and goes can break off in the middle of a page. Streamlit 1.67 may then put an element where there
// is no place for it, fails, and leaves an empty window. The address has all: the page is opened anew once there is a
// server to ask.
const FIRST_LOOK = 1000; // ms; each further look waits a little longer
const life = new MutationObserver(() => document.querySelector(".stApp") || openAnew(FIRST_LOOK));

async function openAnew(pause) {
  life.disconnect();
  await new Promise((resolve) => setTimeout(resolve, pause));
  const answer = await fetch(new URL("_stcore/health", document.baseURI)).catch(() => null);
  if (answer?.ok) window.location.reload();
  else openAnew(Math.min(2 * pause, 30 * FIRST_LOOK));
}

function watchLife() {
  const root = document.getElementById("root");
  if (root) life.observe(root, { childList: true });
}
