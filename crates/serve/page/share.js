// @ts-check

// Share dialog: link, position, moves and the equivalent command, to copy and paste.

import { $, copy, h, put } from "./dom.js";
import { command, words } from "./link.js";

export class Share {
  /** @type {HTMLElement} */
  trouble;

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.dialog = $("#dialog");
  }

  open() {
    const { app } = this;
    const { state } = app;
    const place = app.place ?? { position: "", moves: [] };
    this.trouble = h("p", { class: "note wrong", role: "status" });
    /**
     * @param {string} id
     * @param {string} label
     * @param {string} value
     * @param {((text: string) => unknown) | null} load
     */
    const row = (id, label, value, load) => {
      const field = h("input", { id, value, spellcheck: false, readOnly: !load });
      /** @param {Event} event */
      const submit = (event) => {
        event.preventDefault();
        load?.(field.value.trim());
      };
      return h(
        "form",
        { class: "share-row", onsubmit: submit },
        h("label", { htmlFor: id }, label),
        field,
        h("button", { type: "button", onclick: () => copy(field.value, label) }, "Copy"),
        load ? h("button", { type: "submit" }, "Load") : h("span", {}),
      );
    };
    put(
      this.dialog,
      h(
        "div",
        { class: "dialog-head" },
        h("h2", {}, "Share"),
        h(
          "button",
          { type: "button", class: "icon-button", "aria-label": "Close", onclick: () => this.dialog.close() },
          "×",
        ),
      ),
      h(
        "div",
        { class: "share" },
        row("share-link", "Link", location.href, null),
        row("share-position", "Position", app.view?.position ?? "", (text) =>
          this.load({ position: text, moves: [], at: null }),
        ),
        row("share-moves", "Moves", place.moves.join(" "), (text) =>
          this.load({ moves: words(state.game, text), at: null }),
        ),
        row(
          "share-command",
          "Command",
          command({ game: state.game, position: place.position }, place.moves),
          null,
        ),
        this.trouble,
      ),
    );
    // The second part of the dialog is loaded on demand.
    import("./share-more.js")
      .then(({ more }) => more(app))
      .then((part) => this.dialog.open && this.dialog.className === "sharing" && this.dialog.append(part));
    this.dialog.className = "sharing";
    this.dialog.setAttribute("aria-label", "Share");
    this.dialog.showModal();
  }

  /** @param {Partial<State>} changes */
  async load(changes) {
    const view =
      this.app.state.view === "play" || this.app.state.view === "explore" ? this.app.state.view : "explore";
    await this.app.go({ ...changes, view });
    const trouble = $("#trouble");
    if (trouble.hidden) this.dialog.close();
    else {
      this.trouble.textContent = trouble.textContent;
      this.app.complain(null);
    }
  }
}
