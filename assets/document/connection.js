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
