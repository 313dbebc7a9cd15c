// @ts-check

// Entry point: creates the parts of the page and connects buttons and keys to actions.

import { After } from "./after.js";
import * as api from "./api.js";
import { App } from "./app.js";
import { $, announce, h, toast } from "./dom.js";
import { Drawer } from "./drawer.js";
import { Explore } from "./explore.js";
import { Gallery } from "./gallery.js";
import { History } from "./history.js";
import { listen, showHelp } from "./keys.js";
import { Knowledge } from "./knowledge.js";
import { showLastBoard } from "./offline.js";
import { Players } from "./players.js";
import { Puzzle } from "./puzzle.js";
import { keep, kept, showProjecting } from "./settings.js";
import { Setup } from "./setup.js";
import { Share } from "./share.js";
import { Sheet } from "./sheet.js";
import { navigation } from "./views.js";
import { Welcome } from "./welcome.js";

const themes = ["", "dark", "light"];

/** @param {string} name */
function setTheme(name) {
  document.documentElement.dataset.theme = name;
  keep("theme", name);
}

function nextTheme() {
  const at = themes.indexOf(document.documentElement.dataset.theme ?? "");
  const name = themes[(at + 1) % themes.length];
  setTheme(name);
  toast(name ? `${name} colours` : "system colours");
}

async function start() {
  setTheme(kept("theme"));
  showProjecting();
  api.onReach((reachable) => {
    $("#reach").hidden = reachable;
    document.body.toggleAttribute("data-offline", !reachable);
    if (reachable) announce("Reconnected");
  });
  const known = await reach();
  const app = new App(known);
  const history = new History();
  const explore = new Explore();
  [
    new Welcome(),
    new Puzzle(history),
    new Players(),
    explore,
    history,
    new Sheet(history),
    new After(history),
    new Knowledge(),
    new Gallery(),
    new Drawer(),
  ].forEach((part) => app.add(part));
  history.listeners.push(() => app.drawSoon());
  addEventListener("pagehide", () => history.leave());
  const setup = new Setup(app);
  const share = new Share(app);

  /** @type {{ [name: string]: () => unknown }} */
  const doings = {
    undo: () => app.undo(),
    redo: () => app.redo(),
    back: () => app.moves.length && app.jump(app.moves.length - 1),
    forth: () => app.state.at !== null && app.jump(app.moves.length + 1),
    swap: () => app.swap(),
    hint: () => app.hint(),
    values: () => app.toggleValues(),
    again: () => app.again(false),
    shuffle: () => app.again(true),
    why: () => explore.why(),
    letgo: () => app.board.stepBack(),
    board: () => app.board.enter(),
    type: () => $("#move").focus(),
    play: () => app.show("play"),
    explore: () => app.show("explore"),
    puzzle: () => app.openPuzzles(),
    choose: () => setup.open(),
    share: () => share.open(),
    help: () => showHelp(nextTheme),
    theme: () => nextTheme(),
  };
  listen(app, doings);
  /** @type {NodeListOf<HTMLButtonElement>} */
  const buttons = document.querySelectorAll("[data-do]");
  for (const button of buttons) {
    const name = button.dataset.do ?? "";
    button.addEventListener("click", (event) =>
      event.shiftKey && name === "again" ? doings.shuffle() : doings[name](),
    );
  }
  for (const { name, title } of navigation()) {
    doings[name] ??= () => app.go({ view: name, extra: {} });
    if (!$(`.tabs [data-view=${name}]`))
      $(".tabs").append(h("button", { type: "button", "data-view": name }, title));
  }
  for (const tab of document.querySelectorAll(".tabs [data-view]"))
    tab.addEventListener("click", () => doings[tab.getAttribute("data-view") ?? ""]());
  $("#game").addEventListener("click", doings.choose);
  $("#board").addEventListener("focus", doings.board);
  addEventListener("popstate", () => $("#dialog").close());
  $("#share").addEventListener("click", doings.share);
  $("#help").addEventListener("click", doings.help);
  $("#theme").addEventListener("click", doings.theme);
  $("#dialog").addEventListener("click", (event) => event.target === $("#dialog") && $("#dialog").close());
  $("#type").addEventListener("submit", (event) => {
    event.preventDefault();
    typed(app);
  });
  $("#move").addEventListener("keydown", (event) => event.key === "Escape" && app.board.enter());
  window.outplay = app;
  await app.refresh();
  document.body.dataset.ready = "yes";
  import("./install.js").then(({ install }) => install());
}

/** The games of the server; the last board is shown while it does not answer. */
async function reach() {
  let answered = false;
  api.onReach((reachable) => {
    if (!reachable && !answered) showLastBoard();
  });
  const known = await api.games();
  answered = true;
  return known;
}

/**
 * Plays the move in the text field.
 * @param {App} app
 */
async function typed(app) {
  const field = $("#move");
  const word = field.value.trim();
  if (!word) return;
  const trouble = await app.playWord(word);
  $("#type-trouble").textContent = trouble;
  if (!trouble && field.value.trim() === word) field.value = "";
}

start().catch((error) => {
  const line = $("#trouble");
  line.hidden = false;
  line.textContent = api.wordsOf(error);
});
