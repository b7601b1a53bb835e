// the quiet buttons that save a picture

/** Buttons that save a picture: by PNG and SVG, and by CSV where there are numbers. `help` names what a format does. */
function saveButtons(formats, help, save) {
  return formats.map((format) => {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "pa-quiet", textContent: format, title: help(format) });
    button.setAttribute("aria-label", button.title);
    button.addEventListener("click", () => save(format.toLowerCase()));
    return button;
  });
}
