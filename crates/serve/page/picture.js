// @ts-check

// Export of the board as a standalone SVG with inlined styles, or as PNG.

import { $ } from "./dom.js";
import { given } from "./given.js";

/** Style properties that are copied; the others keep the browser's defaults. */
const PARTS = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-linecap",
  "stroke-linejoin",
  "stroke-opacity",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
  "dominant-baseline",
  "paint-order",
  "visibility",
  "display",
  "filter",
  "text-decoration-line",
  "stop-color",
  "stop-opacity",
];

/**
 * @param {Node} node
 * @returns {node is HTMLElement | SVGElement}
 */
const isStyled = (node) => node instanceof SVGElement || node instanceof HTMLElement;

const NS = "http://www.w3.org/2000/svg";

/**
 * Copies the computed style of an element and its descendants.
 * @param {Element} from
 * @param {Element} to
 */
function dress(from, to) {
  const look = getComputedStyle(from);
  if (!isStyled(to)) return;
  for (const part of PARTS) {
    const value = look.getPropertyValue(part);
    if (value && value !== "none" && value !== "normal") to.style.setProperty(part, value);
    else if (part === "fill" || part === "stroke") to.style.setProperty(part, value);
  }
  for (const name of ["class", "tabindex", "role", "aria-label", "aria-disabled"]) to.removeAttribute(name);
  // Custom properties of the page are not defined in the exported file.
  for (const { name, value } of [...to.attributes])
    if (name !== "style" && value.includes("var(")) to.removeAttribute(name);
  for (const part of [...to.style]) if (part.startsWith("--")) to.style.removeProperty(part);
  [...from.children].forEach((child, i) => dress(child, to.children[i]));
}

/** The board on the screen, with its values and a caption, as the text of an SVG file. */
export function boardSvg(board = given($("#board svg.board")), words = "") {
  const copy = /** @type {SVGElement} */ (board.cloneNode(true));
  dress(board, copy);
  const [x, y, width, height] = given(board.getAttribute("viewBox"))
    .split(/[\s,]+/)
    .map(Number);
  const below = words ? Math.max(28, width * 0.05) : 0;
  // Gradients and patterns are defined elsewhere in the page, so they are copied.
  const needed = new Set(
    [...new XMLSerializer().serializeToString(copy).matchAll(/url\((?:&quot;|"|')?[^#)]*#([\w-]+)/g)].map(
      (found) => found[1],
    ),
  );
  const defs = document.createElementNS(NS, "defs");
  for (const id of needed) {
    const there = document.getElementById(id);
    if (!there || copy.querySelector(`#${CSS.escape(id)}`)) continue;
    const other = /** @type {Element} */ (there.cloneNode(true));
    dress(there, other);
    defs.append(other);
  }
  for (const used of copy.querySelectorAll("use")) {
    const there = document.getElementById((used.getAttribute("href") ?? "").slice(1));
    if (there && !defs.querySelector(`#${CSS.escape(there.id)}`)) defs.append(there.cloneNode(true));
  }
  copy.prepend(defs);
  const paper = document.createElementNS(NS, "rect");
  const colours = getComputedStyle(document.body);
  for (const [name, value] of Object.entries({
    x,
    y,
    width,
    height: height + below,
    fill: colours.backgroundColor,
  }))
    paper.setAttribute(name, String(value));
  defs.after(paper);
  if (words) {
    const line = document.createElementNS(NS, "text");
    line.textContent = words;
    for (const [name, value] of Object.entries({
      x: x + width / 2,
      y: y + height + below * 0.6,
      "text-anchor": "middle",
      "font-size": below * 0.5,
      "font-family": "system-ui, sans-serif",
      "font-weight": 600,
      fill: colours.color,
    }))
      line.setAttribute(name, String(value));
    copy.append(line);
  }
  copy.setAttribute("xmlns", NS);
  copy.setAttribute("viewBox", `${x} ${y} ${width} ${height + below}`);
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height + below));
  copy.removeAttribute("style");
  return new XMLSerializer()
    .serializeToString(copy)
    .replace(/url\((&quot;|"|')?[^#)"']*#([\w-]+)(&quot;|"|')?\)/g, "url(#$2)");
}

/**
 * Renders an SVG as PNG, `wide` pixels wide.
 * @param {string} svg
 * @returns {Promise<Blob>}
 */
export async function boardPng(svg, wide = 1200) {
  const image = new Image();
  const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = wide;
    canvas.height = Math.round((wide * image.naturalHeight) / image.naturalWidth);
    given(canvas.getContext("2d")).drawImage(image, 0, 0, canvas.width, canvas.height);
    return given(await new Promise((/** @type {BlobCallback} */ done) => canvas.toBlob(done, "image/png")));
  } finally {
    URL.revokeObjectURL(address);
  }
}
