// Streamlit's side of the board (Components v2). Called again at every change of data or theme, so it must be idempotent:
// one player for each place in the page; the same revision of the runs keeps its position and goes on playing.

const PLAYERS = new WeakMap();

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".pebbles");
  let entry = PLAYERS.get(parentElement);
  if (!entry) {
    const host = {};
    entry = { host, player: new Player(root, host), rev: null, lang: null, start: null, told: new Set() };
    PLAYERS.set(parentElement, entry);
  }
  const { player, host } = entry;
  host.rest = (t) => {
    if (entry.start === t) return;
    entry.told.add(t);
    setStateValue("step", { rev: entry.rev, t });
  };
  host.wish = (what) => setStateValue("wish", { ...what, at: Date.now() });
  if (entry.rev !== data.rev) {
    entry.told.clear();
    entry.start = data.start;
    entry.rev = data.rev;
    player.load(JSON.parse(data.runs), data.labels, data.start);
  } else if (entry.lang !== data.lang) {
    const { playing } = player; // new words for the same runs: keep the place
    player.load(JSON.parse(data.runs), data.labels, player.t);
    if (playing) player.play();
  } else {
    player.fit(); // the theme may have changed
    // What we told comes back and is no news; anything else was asked for in the address.
    const echo = entry.told.delete(data.start);
    if (data.start !== entry.start && !echo) player.jump(data.start);
    entry.start = data.start;
  }
  entry.lang = data.lang;
  globalThis.__pa = { ...globalThis.__pa, player }; // for measurements
  return () => {
    player.destroy();
    PLAYERS.delete(parentElement);
  };
}
