// what the map and the table share

const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, "\u202f");

/** Three significant digits, no exponent. */
function rounded(number) {
  const text = String(Number(number.toPrecision(3)));
  const [whole, rest] = text.split(".");
  return grouped(whole) + (rest ? `.${rest}` : "");
}

/** A label with its {names} filled in. */
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

function element(tag, attributes = {}, ...children) {
  const svg = ["svg", "g", "path", "rect", "circle", "line", "text", "tspan", "title"].includes(tag);
  const node = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

/** One object for each mounted component, however often it is told something new. */
function mounted(made, root, make) {
  let one = made.get(root);
  if (!one) made.set(root, (one = make()));
  return one;
}
