export default function ({ data, setStateValue }) {
  document.documentElement.lang = data.lang;
  tellPrinting();
  tidyHistory();
  watchScrollers();
  watchConnection(() => setStateValue("connected", Date.now()));
  watchLife();
}
