// Elements, made and found.

const SVG = "http://www.w3.org/2000/svg";

/** An element. Attributes that are null, undefined or false are left out; `onclick` listens. */
export function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** An element of a drawing. */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) {
      node.setAttribute(name, value);
    }
  }
  node.append(...children.flat().filter((child) => child !== null && child !== false));
  return node;
}

export const byId = (id) => document.getElementById(id);

/** Sets the text unless it is unchanged: a screen reader would say it again. */
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Replaces what an element holds, unless nothing changes: readers and selections are not disturbed. */
export function refill(host, ...children) {
  const next = host.cloneNode(false);
  next.append(...children);
  if (!next.isEqualNode(host)) host.replaceChildren(...next.childNodes);
}
