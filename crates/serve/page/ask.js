// @ts-check

// A question in a dialog, answered by one of two buttons; closing the dialog is the second answer.

import { $, h, put } from "./dom.js";

/**
 * @param {string} question
 * @param {string} words
 * @param {string} yes
 * @param {string} no
 * @returns {Promise<boolean>}
 */
export function ask(question, words, yes, no) {
  const dialog = $("#dialog");
  let answer = false;
  put(
    dialog,
    h("div", { class: "dialog-head" }, h("h2", {}, question)),
    h("p", {}, words),
    h(
      "p",
      { class: "actions" },
      h(
        "button",
        {
          type: "button",
          class: "main",
          id: "ask-yes",
          onclick: () => {
            answer = true;
            dialog.close();
          },
        },
        yes,
      ),
      h("button", { type: "button", id: "ask-no", onclick: () => dialog.close() }, no),
    ),
  );
  dialog.className = "ask";
  dialog.setAttribute("aria-label", question);
  dialog.showModal();
  return new Promise((done) => {
    // The event of an earlier closing may arrive after this question was opened.
    const closed = () => {
      if (dialog.open) return;
      dialog.removeEventListener("close", closed);
      done(answer);
    };
    dialog.addEventListener("close", closed);
  });
}
