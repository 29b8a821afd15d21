"use strict";
// Each picture can be made as large as the window, and larger.
const dialog = document.querySelector("dialog");
const button = (words, act) => {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = words;
  made.addEventListener("click", act);
  return made;
};
for (const figure of document.querySelectorAll(".pictures figure")) {
  const enlarge = button("Enlarge", () => {
    const copy = figure.querySelector("svg").cloneNode(true);
    let width = 98;
    const zoom = (factor) => { width = Math.min(800, Math.max(50, width * factor)); copy.style.width = width + "%"; };
    const tools = document.createElement("div");
    tools.className = "tools";
    tools.append(button("Close", () => dialog.close()), button("Larger", () => zoom(1.5)), button("Smaller", () => zoom(1 / 1.5)));
    zoom(1);
    dialog.replaceChildren(tools, copy);
    dialog.showModal();
  });
  enlarge.setAttribute("aria-label", "Enlarge: " + figure.querySelector("figcaption").textContent);
  figure.append(enlarge);
}
