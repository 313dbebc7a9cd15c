// @ts-check

// DOM helpers: element builders, queries, announcements, toasts, clipboard.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Children flattened, without null, undefined and false.
 * @param {Child[]} children
 * @returns {(Node | string)[]}
 */
const present = (children) =>
  children.flatMap((child) => {
    if (Array.isArray(child)) return present(child);
    if (child === null || child === undefined || child === false) return [];
    return [typeof child === "number" ? String(child) : child];
  });

/**
 * @template {Element} E
 * @param {E} element
 * @param {{ [name: string]: unknown }} props
 * @param {Child[]} children
 */
function fill(element, props, children) {
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), /** @type {EventListener} */ (value));
    else if (key === "class") element.setAttribute("class", String(value));
    else if (key in element && !key.startsWith("aria") && !(element instanceof SVGElement))
      Object.assign(element, { [key]: value });
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...present(children));
  return element;
}

/**
 * An HTML element with properties, listeners (`onclick`) and children.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Props<HTMLElementTagNameMap[K]>} props
 * @param {...Child} children
 */
export function h(tag, props, ...children) {
  return fill(document.createElement(tag), props, children);
}

/**
 * An SVG element with attributes and children.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Props<SVGElementTagNameMap[K]>} props
 * @param {...Child} children
 */
export function s(tag, props, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

/**
 * The first element that matches a selector, within another element or the document.
 * @template {string} S
 * @param {S} selector
 * @param {ParentNode} [within]
 * @returns {S extends keyof PageElements ? PageElements[S] : HTMLElement | SVGElement | null}
 */
export function $(selector, within = document) {
  return /** @type {any} */ (within.querySelector(selector));
}

/**
 * The closest ancestor of an event's target that matches a selector, or null.
 * @param {Event} event
 * @param {string} selector
 * @returns {HTMLElement | SVGElement | null}
 */
export const around = (event, selector) =>
  event.target instanceof Element ? event.target.closest(selector) : null;

/**
 * The closest matching ancestor of the element under the pointer, or null.
 * @param {MouseEvent} event
 * @param {string} selector
 * @returns {HTMLElement | SVGElement | null}
 */
export const beneath = (event, selector) =>
  document.elementFromPoint(event.clientX, event.clientY)?.closest(selector) ?? null;

/**
 * Replaces all children of an element.
 * @param {Element} element
 * @param {...Child} children
 */
export function put(element, ...children) {
  element.replaceChildren(...present(children));
}

/** Announcements kept in the live region, so that a new one does not overwrite an unread one. */
const LINES = 5;

/**
 * Announces a text to screen readers.
 * @param {string | null} words
 */
export function announce(words) {
  const region = $("#live");
  if (!region || !words) return;
  region.append(h("p", {}, words));
  while (region.children.length > LINES) region.firstElementChild?.remove();
}

let timer = 0;

/**
 * Shows a short message at the bottom of the window for a few seconds.
 * @param {string} words
 */
export function toast(words) {
  const box = $("#toast");
  box.textContent = words;
  box.hidden = false;
  clearTimeout(timer);
  timer = setTimeout(() => (box.hidden = true), 4000);
  announce(words);
}

/**
 * Copies text to the clipboard; also works in old browsers and over plain HTTP.
 * @param {string} text
 * @param {string} what
 */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = h("textarea", { value: text, class: "away" });
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  toast(`${what} copied`);
}

/**
 * Loads a style sheet that only some views need, once; resolves when it applies.
 * @param {string} file
 */
export function style(file) {
  const there = $(`link[href="${file}"]`);
  if (there) return Promise.resolve();
  return new Promise((done) => {
    document.head.append(h("link", { rel: "stylesheet", href: file, onload: done, onerror: done }));
  });
}
