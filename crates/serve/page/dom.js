// Elements in one line each, so that the other modules read like the page they make.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, props, children) {
  for (const [key, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "class") element.setAttribute("class", value);
    else if (key in element && !key.startsWith("aria") && !(element instanceof SVGElement)) element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** An HTML element with properties, listeners (`onclick`) and children. */
export function h(tag, props, ...children) {
  return fill(document.createElement(tag), props, children);
}

/** An SVG element with attributes and children. */
export function s(tag, props, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

export function $(selector, within = document) {
  return within.querySelector(selector);
}

/** Puts children in the place of all that an element held. */
export function put(element, ...children) {
  element.replaceChildren(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
}

/** Lines that a screen reader is still to be given; what was said is not overwritten by what comes next. */
const LINES = 5;

/** Tells a screen reader what happened. */
export function announce(words) {
  const region = $("#live");
  if (!region || !words) return;
  region.append(h("p", {}, words));
  while (region.children.length > LINES) region.firstElementChild.remove();
}

let timer;

/** A few words at the foot of the window that go away by themselves. */
export function toast(words) {
  const box = $("#toast");
  box.textContent = words;
  box.hidden = false;
  clearTimeout(timer);
  timer = setTimeout(() => (box.hidden = true), 4000);
  announce(words);
}

/** Copies text, on old browsers and plain http too. */
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

/** Fetches a style sheet that only some views need, once; resolves when it applies. */
export function style(file) {
  const there = $(`link[href="${file}"]`);
  if (there) return Promise.resolve();
  return new Promise((done) => {
    document.head.append(h("link", { rel: "stylesheet", href: file, onload: done, onerror: done }));
  });
}
