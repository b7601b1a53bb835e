// The replay as one file: no server, no network. The runs and the words are in the page; `#t=40` opens it at step 40.

const FILE = JSON.parse(document.getElementById("pebbling").textContent);
const ROOT = document.querySelector(".pebbles");

function stepInAddress() {
  const found = /^#t=(\d{1,7})$/.exec(location.hash);
  return found ? +found[1] : null;
}

function noteStep(t) {
  try {
    history.replaceState(null, "", `#t=${t}`);
  } catch {
    // a frame in somebody else's page may not write its address
  }
}

tellPrinting();
const player = new Player(ROOT, { rest: noteStep, wish() {} });
player.load(FILE.runs, FILE.labels, stepInAddress() ?? FILE.start);
globalThis.__pa = { player }; // for measurements

// Keys work wherever the focus is, as on the app's board; a link keeps its Enter.
document.addEventListener("keydown", (event) => {
  if (!ROOT.contains(event.target)) player.onKey(event);
});
addEventListener("hashchange", () => stepInAddress() !== null && stepInAddress() !== player.t && player.jump(stepInAddress()));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => player.repaint());
