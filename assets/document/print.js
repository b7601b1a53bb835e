// Paper is white: before printing, the page takes the light theme and the width of a sheet, and what is drawn on a canvas
// or by plotly.js hears of it (the event `pa-print` on window), since style sheets alone cannot redraw it.

function tellPrinting() {
  if (globalThis.__paPrinting) return; // once a document
  globalThis.__paPrinting = true;
  const root = document.documentElement, media = matchMedia("print");
  const turn = (on) => {
    if (root.classList.contains("pa-print") === on) return;
    root.classList.toggle("pa-print", on);
    dispatchEvent(new Event("pa-print"));
  };
  addEventListener("beforeprint", () => turn(true));
  addEventListener("afterprint", () => turn(false));
  media.addEventListener("change", () => turn(media.matches));
  turn(media.matches);
}
