// @ts-check

// Registry of the views beside the board, such as Learn and Arena. Each is a module, loaded when first shown.
//
//   register("learn", { title: "Learn", nav: true, load: () => import("./learn.js") })
//   learn.js: export function mount(element, context) and, if it has to clean up, unmount()
//
// The address selects the view: `view=learn`; further parameters (`lesson=3`) belong to the view.
// `context` has:
//
//   app             the application: `app.state` (game, position, moves …), `app.known`, `app.view`
//   extra           the view's own parameters, as an object of strings
//   go(changes)     changes the address: {view, game, moves, extra: {…}}; Back returns, unless the second
//                   argument is "replace"
//   title(words)    sets the title of the window
//
// When only the address changes, `update(context)` is called if the module exports it; otherwise the view is
// unmounted and mounted again.

import { given } from "./given.js";

/** @type {Map<string, ViewEntry>} */
const views = new Map();

/**
 * Adds a view. `view` has `title`, `load` and `nav` (whether the header lists it).
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
   * Shows a view; resolves when it is mounted.
   * @param {string} name
   * @param {ViewContext} context
   */
  async show(name, context) {
    const view = given(views.get(name));
    if (this.name === name && this.module?.update) return this.module.update(context);
    this.clear();
    this.name = name;
    const module = await view.load();
    // Another view was opened while this one was loading.
    if (this.name !== name || this.module) return undefined;
    this.module = module;
    this.element.hidden = false;
    this.element.dataset.place = name;
    return module.mount(this.element, context);
  }

  /** Removes the current view. */
  clear() {
    this.module?.unmount?.();
    this.module = null;
    this.name = "";
    this.element.hidden = true;
    this.element.replaceChildren();
  }
}

// All views.
register("learn", { title: "Learn", nav: true, load: () => import("./learn.js") });
register("rules", { title: "Rules", load: () => import("./rules.js") });
register("tree", { title: "Tree", load: () => import("./tree.js") });
register("proof", { title: "Proof", load: () => import("./proof-tree.js") });
register("arena", { title: "Arena", nav: true, load: () => import("./arena.js") });
register("statistics", { title: "Statistics", load: () => import("./statistics.js") });
