// @ts-check

// Share dialog, second part: pictures of the board, QR code, HTML for an embedded board.

import { $, copy, h, put, style, toast } from "./dom.js";
import { write } from "./link.js";
import { fullName } from "./names.js";
import { boardPng, boardSvg } from "./picture.js";
import { fileName, keep } from "./place-api.js";
import { wordsOf } from "./api.js";

/**
 * The caption of the picture: the game and the headline.
 * @param {App} app
 */
const caption = (app) => [fullName(app.state.game), $("#status")?.textContent].filter(Boolean).join(" · ");

/** @param {App} app */
export async function more(app) {
  await style("place.css");
  const board = $("#board svg.board");
  const drawn = board && !board.hasAttribute("hidden") && !$("#screen").hidden;
  /** @param {string} ending */
  const name = (ending) => fileName(app.state.game, ending);
  const svg = () => boardSvg(board ?? undefined, caption(app));
  /**
   * @param {string} id
   * @param {string} label
   * @param {() => unknown} work
   */
  const act = (id, label, work) =>
    h(
      "button",
      {
        type: "button",
        id,
        onclick: async () => {
          try {
            await work();
          } catch (error) {
            toast(`That failed: ${wordsOf(error)}`);
          }
        },
      },
      label,
    );
  const pictures =
    drawn &&
    h(
      "div",
      { class: "share-part" },
      h("h3", {}, "Picture"),
      h(
        "p",
        { class: "note" },
        app.valuesShown
          ? "The current board, with its values."
          : "The current board. To include values in the picture, show them first (v).",
      ),
      h(
        "p",
        { class: "actions" },
        act("copy-png", "Copy as PNG", async () => {
          if (!navigator.clipboard?.write)
            throw new Error("this browser cannot copy pictures; save the picture instead");
          await navigator.clipboard.write([new ClipboardItem({ "image/png": boardPng(svg()) })]);
          toast("Picture copied");
        }),
        act("save-png", "Save PNG", async () => keep(await boardPng(svg()), "image/png", name("png"))),
        act("save-svg", "Save SVG", () => keep(svg(), "image/svg+xml", name("svg"))),
      ),
    );
  const code = h("div", { class: "share-part" }, h("h3", {}, "QR code"), codeOf(location.href));
  const shown = { ...app.state, view: "explore", values: app.valuesShown };
  const framed = `${location.origin}/embed${write(shown)}`;
  const snippet =
    `<iframe src="${framed.replaceAll("&", "&amp;")}" width="420" height="440" title="outplay board" ` +
    `loading="lazy"></iframe>`;
  const embed = h(
    "div",
    { class: "share-part" },
    h("h3", {}, "Embed this board"),
    h(
      "p",
      { class: "note" },
      "Paste this HTML into your page. Readers who can reach this server can play on the board.",
    ),
    h("textarea", {
      id: "share-embed",
      readOnly: true,
      rows: 3,
      value: snippet,
      spellcheck: false,
      "aria-label": "HTML of the embedded board",
    }),
    h(
      "p",
      { class: "actions" },
      h("button", { type: "button", onclick: () => copy(snippet, "HTML") }, "Copy"),
    ),
  );
  return h("div", { class: "share-more" }, pictures, code, embed);
}

/**
 * The QR code of an address, drawn by the server.
 * @param {string} address
 */
function codeOf(address) {
  const holder = h("div", { class: "qr" });
  const image = h("img", {
    id: "qr",
    alt: "QR code of the link",
    width: 176,
    height: 176,
    src: `/api/v1/qr.svg?text=${encodeURIComponent(address)}`,
    onerror: () => put(holder, h("p", { class: "note" }, "This link is too long for a QR code.")),
  });
  put(holder, image);
  const local = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
  return [
    holder,
    local &&
      h(
        "p",
        { class: "note" },
        "A phone can reach this server only if it listens on a network address (--addr).",
      ),
  ];
}
