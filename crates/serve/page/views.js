// @ts-check

// Views beside the board: Learn, Arena and the like. Each is a module of its own, fetched when it is first
// shown.
//
//   register("learn", { title: "Learn", nav: true, load: () => import("./learn.js") })
//   learn.js: export function mount(element, context) and, if it has something to end, unmount()
//
// The address says which: `view=learn`, and any further words of it (`lesson=3`) are the view's own.
// `context` has:
//
//   app             the screen: `app.state` (game, position, moves …), `app.known`, `app.view`
//   extra           the view's own words of the address, as an object of strings
//   go(changes)     to another address: {view, game, moves, extra: {…}}; Back returns, unless the second
//                   word is "replace"
//   title(words)    the title of the window
//
// When only the address changes, `update(context)` is called if the module has it; else it is unmounted and
// mounted anew.

import { given } from "./given.js";

/** @type {Map<string, ViewEntry>} */
const views = new Map();

/**
 * Adds a view. `view` has `title`, `load` and `nav` (is it in the header).
 * @param {string} name
 * @param {Omit<ViewEntry, "name" | "nav"> & { nav?: boolean }} view
 */
export function register(name, view) {
  views.set(name, { name, nav: false, ...view });
}

/**
 * The view of that name, or undefined.
 * @param {string} name
 * @returns {ViewEntry | undefined}
 */
export const known = (name) => views.get(name);

/** Views that the header lists, in the order of registration. */
export const navigation = () => [...views.values()].filter((view) => view.nav);

/** Shows views in an element, one at a time. */
export class Stage {
  /** @type {ViewModule | null} */
  module = null;

  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    this.name = "";
  }

  /**
   * Shows a view; resolves when it stands.
   * @param {string} name
   * @param {ViewContext} context
   */
  async show(name, context) {
    const view = given(views.get(name));
    if (this.name === name && this.module?.update) return this.module.update(context);
    this.clear();
    this.name = name;
    const module = await view.load();
    // Somebody who has gone on meanwhile wants no view of before.
    if (this.name !== name || this.module) return undefined;
    this.module = module;
    this.element.hidden = false;
    this.element.dataset.place = name;
    return module.mount(this.element, context);
  }

  /** Takes the present view away. */
  clear() {
    this.module?.unmount?.();
    this.module = null;
    this.name = "";
    this.element.hidden = true;
    this.element.replaceChildren();
  }
}

// Who adds a view adds a line here.
register("learn", { title: "Learn", nav: true, load: () => import("./learn.js") });
register("rules", { title: "Rules", load: () => import("./rules.js") });
register("tree", { title: "Tree", load: () => import("./tree.js") });
register("proof", { title: "Proof", load: () => import("./proof-tree.js") });
register("arena", { title: "Arena", nav: true, load: () => import("./arena.js") });
register("statistics", { title: "Statistics", load: () => import("./statistics.js") });
