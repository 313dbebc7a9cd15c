// @ts-check

// Experiments page: published results, and the same experiment run on this server, with tables and plots.

import { ApiError, isAbort, wordsOf } from "./api.js";
import { announce, h, put } from "./dom.js";
import { ask, drop, fileName, keep, post } from "./place-api.js";

/** Milliseconds between two progress requests. */
const LOOK = 500;
/** Games, trials or positions of a quick run. */
const QUICK = 4;
/** @param {number} ms */
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/**
 * A plot in the colour scheme of the page, which may differ from the system's.
 * @param {string} svg
 */
function themed(svg) {
  const { theme } = document.documentElement.dataset;
  const now = theme === "dark" ? "all" : theme === "light" ? "not all" : "(prefers-color-scheme:dark)";
  return svg.replaceAll("@media (prefers-color-scheme:dark)", `@media ${now}`);
}

export class Laboratory {
  left = false;
  /** @type {HTMLElement} */
  findings;
  /** @type {HTMLElement} */
  trouble;
  /** @type {HTMLElement} */
  controls;
  /** @type {object | undefined} */
  following;

  /**
   * @param {HTMLElement} body
   * @param {ViewContext} context
   */
  constructor(body, context) {
    this.body = body;
    this.context = context;
    this.asking = new AbortController();
    this.ready = this.open();
  }

  leave() {
    this.left = true;
    this.asking.abort();
  }

  async open() {
    const { experiment, run } = this.context.extra;
    try {
      /** @type {{ experiments: Experiment[], latest?: { [name: string]: number } }} */
      const { experiments, latest } = await ask("/experiments", { signal: this.asking.signal });
      const about = experiments.find(({ name }) => name === experiment);
      if (!about) return this.list(experiments, latest);
      this.show(about);
      const id = run ?? latest?.[about.name];
      if (id !== undefined) this.follow(about, id).catch((error) => this.complain(error));
    } catch (error) {
      if (!this.left) put(this.body, h("p", { class: "note wrong" }, wordsOf(error)));
    }
    return undefined;
  }

  /**
   * @param {Experiment[]} experiments
   * @param {{ [name: string]: number } | undefined} latest
   */
  list(experiments, latest) {
    /** @param {Experiment} about */
    const card = (about) =>
      h(
        "button",
        {
          type: "button",
          class: "experiment",
          onclick: () => this.context.go({ view: "arena", extra: { experiment: about.name } }),
        },
        h("strong", {}, about.question),
        h("span", { class: "verdict-line" }, about.verdict),
        h("span", { class: "note" }, latest?.[about.name] ? "Reproduced here recently." : about.source),
      );
    put(this.body, h("div", { class: "experiments" }, experiments.map(card)));
  }

  /** @param {Experiment} about */
  show(about) {
    this.context.title(about.question);
    this.findings = h("div", { class: "findings" });
    this.trouble = h("p", { class: "note wrong", role: "alert" });
    const seed = h("input", { id: "run-seed", type: "number", min: 0, value: 1 });
    /**
     * @param {string} label
     * @param {string} id
     * @param {number} [sample]
     * @param {boolean} [main]
     */
    const start = (label, id, sample, main) =>
      h(
        "button",
        {
          type: "button",
          id,
          class: main ? "main" : "",
          onclick: () => this.run(about, Number(seed.value), sample),
        },
        label,
      );
    this.controls = h(
      "p",
      { class: "actions" },
      start("Run a small sample", "run", QUICK, true),
      start("Run the full sample", "run-whole", undefined),
      h("label", { class: "inline" }, "Seed ", seed),
    );
    put(
      this.body,
      h(
        "section",
        { class: "card" },
        h(
          "p",
          { class: "actions" },
          h(
            "button",
            {
              type: "button",
              class: "quiet",
              onclick: () => this.context.go({ view: "arena", extra: { experiment: "" } }),
            },
            "‹ All experiments",
          ),
        ),
        h("h2", { class: "lab-question" }, about.question),
        h("p", {}, about.verdict),
        h("p", { class: "note" }, `Source: ${about.source}`),
        this.controls,
        h(
          "p",
          { class: "note" },
          "Experiments run on this server with low priority. A small sample is quick and gives a first " +
            "impression.",
        ),
        this.trouble,
      ),
      this.findings,
    );
  }

  /** @param {unknown} error */
  complain(error) {
    if (this.left || isAbort(error)) return;
    this.trouble.textContent = wordsOf(error);
    put(this.findings);
  }

  /**
   * @param {Experiment} about
   * @param {number} seed
   * @param {number} [sample]
   */
  async run(about, seed, sample) {
    this.trouble.textContent = "";
    try {
      const { id } = await post("/experiments/run", { name: about.name, seed, sample });
      const words = new URLSearchParams(location.search);
      words.set("run", id);
      history.replaceState(null, "", `?${words}`);
      await this.follow(about, id);
    } catch (error) {
      this.complain(error);
    }
  }

  /**
   * @param {Experiment} about
   * @param {number | string} id
   */
  async follow(about, id) {
    const bar = h("progress", { "aria-label": "Progress of the experiment" });
    const words = h("p", { class: "note", role: "status" }, "running");
    const stop = h(
      "button",
      {
        type: "button",
        id: "stop-run",
        onclick: () => drop(`/experiments/run/${id}`).catch((error) => this.complain(error)),
      },
      "Stop",
    );
    const me = (this.following = {});
    let shown = false;
    for (;;) {
      const run = await ask(`/experiments/run/${encodeURIComponent(id)}`, { signal: this.asking.signal });
      if (this.left || this.following !== me) return;
      if (run.state === "done") {
        this.found(about, run);
        announce("The experiment is finished.");
        return;
      }
      if (run.state === "failed") throw new ApiError(422, run.error ?? "", run.cure);
      if (run.state === "stopped") {
        put(this.findings, h("p", { class: "note" }, "Stopped before it finished."));
        return;
      }
      if (!shown)
        put(
          this.findings,
          h("section", { class: "card" }, words, bar, h("p", { class: "actions" }, run.mine && stop)),
        );
      shown = true;
      if (run.total > 0) {
        bar.max = run.total;
        bar.value = run.done;
      }
      words.textContent = `${run.stage || "running"}, ${run.seconds.toFixed(0)} s`;
      await pause(LOOK);
    }
  }

  /**
   * @param {Experiment} about
   * @param {ExperimentRun} run
   */
  found(about, run) {
    const { findings, pictures } = run;
    /**
     * @param {string} svg
     * @param {number} i
     */
    const plot = (svg, i) => {
      const title = findings.plots[i]?.lines?.title ?? findings.plots[i]?.map?.title ?? about.name;
      const image = h("img", {
        alt: title,
        src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(themed(svg))}`,
      });
      return h(
        "figure",
        { class: "plot" },
        image,
        h(
          "figcaption",
          {},
          h(
            "button",
            {
              type: "button",
              class: "quiet",
              onclick: () => keep(svg, "image/svg+xml", fileName(`${about.name}-${i + 1}`, "svg")),
            },
            "Download this plot",
          ),
        ),
      );
    };
    /** @param {FindingsTable} options */
    const grid = ({ title, columns, rows }) =>
      h(
        "section",
        { class: "card" },
        h("h3", {}, title),
        h(
          "div",
          { class: "scroller" },
          h(
            "table",
            { class: "standings" },
            h(
              "thead",
              {},
              h(
                "tr",
                {},
                columns.map((head) =>
                  h(
                    "th",
                    { scope: "col", class: head === "ours" ? "ours" : head === "theirs" ? "theirs" : "" },
                    head,
                  ),
                ),
              ),
            ),
            h(
              "tbody",
              {},
              rows.map((row) =>
                h(
                  "tr",
                  {},
                  row.map((cell, i) =>
                    i
                      ? h(
                          "td",
                          { class: columns[i] === "ours" ? "ours" : columns[i] === "theirs" ? "theirs" : "" },
                          cell,
                        )
                      : h("th", { scope: "row" }, cell),
                  ),
                ),
              ),
            ),
          ),
        ),
      );
    const holds =
      findings.holds === true
        ? h("p", { class: "right" }, "The result was reproduced.")
        : findings.holds === false
          ? h("p", { class: "wrong" }, "The result was not reproduced; see the remarks.")
          : null;
    put(
      this.findings,
      h(
        "section",
        { class: "card", id: "found" },
        h("h2", {}, "Result on this server"),
        holds,
        h("p", { class: "note" }, `${findings.setting} · seed ${run.seed} · ${run.seconds.toFixed(1)} s`),
        findings.remarks.map((remark) => h("p", {}, remark)),
        h(
          "p",
          { class: "actions" },
          h(
            "button",
            {
              type: "button",
              onclick: () =>
                keep(JSON.stringify(findings, null, 1), "application/json", fileName(about.name, "json")),
            },
            "Download as JSON",
          ),
        ),
      ),
      pictures.length > 0 && h("div", { class: "plots" }, pictures.map(plot)),
      findings.tables.map(grid),
    );
  }
}
