"use strict";
// Each picture can be made as large as the window, and larger, and saved as a file.
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
  const save = button("Save as SVG", () => {
    const copy = figure.querySelector("svg").cloneNode(true);
    const [, , width, height] = copy.getAttribute("viewBox").split(" ");
    copy.setAttribute("width", width + "pt");
    copy.setAttribute("height", height + "pt");
    copy.setAttribute("style", "color: #000; background: #fff");
    const file = new Blob(['<?xml version="1.0" encoding="utf-8"?>\n', new XMLSerializer().serializeToString(copy)], {type: "image/svg+xml"});
    const link = document.createElement("a");
    link.href = URL.createObjectURL(file);
    link.download = figure.querySelector("figcaption").textContent.toLowerCase().replace(/[^a-z0-9.]+/g, "-").slice(0, 60) + ".svg";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
  for (const each of [enlarge, save]) {
    each.setAttribute("aria-label", each.textContent + ": " + figure.querySelector("figcaption").textContent);
    figure.append(each);
  }
}
