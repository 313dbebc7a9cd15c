// @ts-check

// Lesson player: a stage for the picture, the text of the step, buttons and keys to step, and questions.

import * as api from "./api.js";
import { around, copy, h, put } from "./dom.js";

const BEAT = 1100;

/**
 * Renders `code` and *emphasis* in a text as elements.
 * @param {string} text
 */
export function rich(text) {
  if (typeof text !== "string") return text;
  return text.split(/(\x60[^\x60]+\x60|\*[^*]+\*)/).map((piece) => {
    if (piece.startsWith("\x60")) return h("code", {}, piece.slice(1, -1));
    if (piece.startsWith("*")) return h("em", {}, piece.slice(1, -1));
    return piece;
  });
}

/** @param {LessonWords} words */
const paragraphs = (words) =>
  [words].flat().map((text) => (typeof text === "string" ? h("p", {}, rich(text)) : text));

export class Lesson {
  /** @type {LessonStep[]} */
  steps = [];
  // Questions answered so far; false if the answer was shown.
  /** @type {Map<Question, boolean>} */
  answered = new Map();
  /** @type {Question | undefined} */
  asked;
  /** @type {number | undefined} */
  timer;
  started = false;
  tries = 0;
  /** @type {HTMLElement} */
  verdict;
  // Data of the lessons; read by tests.
  /** @type {Trace | undefined} */
  trace;
  /** @type {Trace[] | undefined} */
  traces;
  /** @type {unknown} */
  counts;
  /** @type {Map<string, ValuedPosition> | undefined} */
  values;
  /** @type {WavesAnswer | undefined} */
  waves;
  /** @type {IndexAnswer | undefined} */
  whole;
  /** @type {IndexAnswer | undefined} */
  ranked;
  /** @type {ProofAnswer | undefined} */
  proved;
  /** @type {CheckAnswer | undefined} */
  told;
  /** @type {CheckAnswer | undefined} */
  verdictOfReader;

  /**
   * @param {HTMLElement} host
   * @param {LessonAbout} about
   */
  constructor(host, about) {
    this.about = about;
    this.asking = new AbortController();
    this.at = 0;
    this.busy = 0; // choices whose steps are on their way
    this.stage = h("section", { class: "stage", "aria-label": "Picture" });
    this.say = h(
      "div",
      { class: "say", "aria-live": "polite" },
      h("p", { class: "note pulse" }, "Waiting for the solver …"),
    );
    this.ask = h("section", { class: "question", "aria-label": "Question", hidden: true });
    this.tools = h("div", { class: "lesson-tools" });
    this.count = h("span", { class: "count-steps" });
    this.slider = h("input", {
      type: "range",
      min: 0,
      max: 0,
      value: 0,
      "aria-label": "Step",
      oninput: (event) => this.goTo(Number(event.target.value)),
    });
    /**
     * @param {string} words
     * @param {string} title
     * @param {() => unknown} act
     */
    const button = (words, title, act) =>
      h("button", { type: "button", title, "aria-label": title, onclick: act }, words);
    this.back = button("← Back", "Back (left arrow)", () => this.step(-1));
    this.next = h(
      "button",
      {
        type: "button",
        class: "main",
        title: "Next (right arrow)",
        "aria-label": "Next (right arrow)",
        onclick: () => this.step(1),
      },
      "Next →",
    );
    this.player = h(
      "button",
      {
        type: "button",
        class: "quiet",
        "aria-pressed": "false",
        title: "Run through the steps (space)",
        onclick: () => this.toggle(),
      },
      "▶ Run",
    );
    this.stepper = h(
      "div",
      { class: "stepper", role: "group", "aria-label": "Steps", hidden: true },
      h("div", { class: "stepper-row" }, this.back, this.next, this.player),
      h("div", { class: "stepper-row" }, this.slider, this.count),
    );
    this.shell = h("footer", { class: "lesson-foot" });
    const { before, after, open, number, of } = about;
    /**
     * @param {LessonInfo | undefined} to
     * @param {string} words
     * @param {string} side
     */
    const link = (to, words, side) =>
      to &&
      h(
        "a",
        {
          class: `lesson-link ${side}`,
          href: `?view=learn&lesson=${to.name}`,
          onclick: (event) => open(event, to.name),
        },
        h("span", { class: "note" }, words),
        to.title,
      );
    this.element = h(
      "article",
      { class: "learn lesson-page", "data-lesson": about.name },
      h(
        "header",
        { class: "learn-head" },
        h(
          "p",
          { class: "eyebrow" },
          h("a", { href: "?view=learn", onclick: about.all }, "Learn"),
          ` · lesson ${number} of ${of}`,
        ),
        h("h1", {}, about.title),
        h("p", { class: "lead" }, about.lead),
      ),
      h(
        "div",
        { class: "lesson" },
        this.stage,
        h(
          "aside",
          { class: "told", "aria-label": "Explanation" },
          h("div", { class: "card" }, this.say, this.ask, this.stepper),
          this.tools,
        ),
      ),
      this.shell,
      h(
        "nav",
        { class: "lesson-links", "aria-label": "Lessons" },
        link(before, "← previous", "before"),
        link(after, "next →", "after"),
      ),
    );
    put(host, this.element);
    this.keys = (/** @type {KeyboardEvent} */ event) => this.pressed(event);
    // Captures the keys before the board's shortcuts, which do not apply here.
    addEventListener("keydown", this.keys, true);
  }

  get signal() {
    return this.asking.signal;
  }

  end() {
    this.asking.abort();
    clearInterval(this.timer);
    removeEventListener("keydown", this.keys, true);
  }

  /**
   * Shows an error from the server.
   * @param {unknown} error
   */
  fail(error) {
    put(
      this.say,
      h("p", { class: "wrong", role: "alert" }, api.wordsOf(error)),
      h("p", {}, h("button", { type: "button", onclick: () => location.reload() }, "Try again")),
    );
  }

  /**
   * Shows the equivalent command lines, to copy.
   * @param {...string} lines
   */
  command(...lines) {
    put(
      this.shell,
      h(
        "p",
        { class: "note" },
        lines.length > 1 ? "The same on the command line: " : "The same on the command line: ",
        lines.map((line) => [
          h(
            "button",
            { type: "button", class: "quiet command", title: "Copy", onclick: () => copy(line, "Command") },
            h("code", {}, line),
          ),
          " ",
        ]),
      ),
    );
  }

  // Steps.

  /**
   * Starts a list of steps at step `at`, or at the step in the address.
   * @param {LessonStep[]} steps
   * @param {number} [at]
   */
  run(steps, at) {
    this.steps = steps;
    this.stepper.hidden = steps.length < 2;
    this.slider.max = String(steps.length - 1);
    const wanted = at ?? (this.started ? 0 : Number(this.about.extra.step ?? 0));
    this.started = true;
    this.at = -1;
    this.goTo(Number.isInteger(wanted) ? wanted : 0, false);
  }

  get current() {
    return this.steps[this.at];
  }

  /** @param {number} by */
  step(by) {
    if (by > 0 && this.at === this.steps.length - 1) this.stop();
    this.goTo(this.at + by);
  }

  /**
   * @param {number} at
   * @param {boolean} [tell]
   */
  goTo(at, tell = true) {
    const to = Math.max(0, Math.min(this.steps.length - 1, Number.isInteger(at) ? at : 0));
    if (to === this.at || !this.steps.length) return;
    this.at = to;
    this.draw();
    if (tell) this.about.note({ step: String(to) });
  }

  draw() {
    const step = this.current;
    step.draw?.();
    put(this.say, paragraphs(typeof step.words === "function" ? step.words() : step.words));
    this.slider.value = String(this.at);
    this.count.textContent = `${this.at + 1} of ${this.steps.length}`;
    this.back.disabled = this.at === 0;
    this.next.disabled = this.at === this.steps.length - 1;
    this.question(step.question);
  }

  /** Steps automatically until a question comes up. */
  toggle() {
    if (this.timer) return this.stop();
    this.player.textContent = "❚❚ Stop";
    this.player.setAttribute("aria-pressed", "true");
    const go = () => {
      const { question } = this.current;
      if (this.at === this.steps.length - 1 || (question && !this.answered.has(question))) return this.stop();
      return this.step(1);
    };
    this.timer = setInterval(go, BEAT);
    go();
    return undefined;
  }

  stop() {
    clearInterval(this.timer);
    this.timer = undefined;
    this.player.textContent = "▶ Run";
    this.player.setAttribute("aria-pressed", "false");
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const { target } = event;
    const typing =
      target instanceof Element && target.matches("input, textarea, select") && target !== this.slider;
    const inside = around(event, "[data-node], [data-spot]");
    const act = {
      ArrowRight: () => this.step(1),
      ArrowLeft: () => this.step(-1),
      Home: () => this.goTo(0),
      End: () => this.goTo(this.steps.length - 1),
    }[event.key];
    if (typing || inside || !act || !this.steps.length) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  // Questions.

  /**
   * Shows a question: `text` with `choices` ({text, right, why}), with a `number` to find, or with neither;
   * then the stage calls `answer(right, why)`.
   * @param {Question | undefined} question
   */
  question(question) {
    this.asked = question;
    this.ask.hidden = !question;
    if (!question) return;
    this.verdict = h("p", { class: "feedback", role: "status" });
    /** @type {HTMLElement[]} */
    const parts = [
      h(
        "p",
        { class: "ask-text" },
        h("span", { class: "ask-mark", "aria-hidden": "true" }, "?"),
        h("strong", {}, rich(question.text)),
      ),
    ];
    if (question.choices) {
      parts.push(
        h(
          "div",
          { class: "ask-choices" },
          question.choices.map((option, i) =>
            h(
              "button",
              {
                type: "button",
                "data-choice": i,
                onclick: (event) => this.answer(Boolean(option.right), option.why, event.currentTarget),
              },
              rich(option.text),
            ),
          ),
        ),
      );
    } else if (question.number !== undefined) {
      const { number, why = "" } = question;
      const field = h("input", {
        type: "text",
        inputmode: "decimal",
        "aria-label": "Your answer",
        autocomplete: "off",
      });
      /** @param {Event} event */
      const check = (event) => {
        event.preventDefault();
        const said = Number(field.value.replace(/[−–]/g, "-").replace(/[\s,]/g, ""));
        if (field.value.trim() === "" || Number.isNaN(said))
          return this.answer(false, "Please enter a number.", field, true);
        const right = Math.abs(said - number) <= (question.within ?? 0);
        return this.answer(
          right,
          right ? why : (question.hint?.(said) ?? "Not quite. Try again, or click Show me."),
          field,
        );
      };
      parts.push(
        h(
          "form",
          { class: "ask-number", onsubmit: check },
          field,
          h("button", { type: "submit" }, "Check"),
          h(
            "button",
            {
              type: "button",
              class: "quiet",
              "data-show": "",
              onclick: () => {
                field.value = String(number);
                this.answered.set(question, false);
                this.feedback(true, why);
              },
            },
            "Show me",
          ),
        ),
      );
    }
    parts.push(this.verdict);
    put(this.ask, parts);
    if (this.answered.has(question))
      this.feedback(true, question.why ?? question.choices?.find(({ right }) => right)?.why ?? "");
  }

  /**
   * @param {boolean} right
   * @param {string} why
   */
  feedback(right, why) {
    this.verdict.className = `feedback ${right ? "right" : "wrong"}`;
    put(this.verdict, right ? "✓ " : "✗ ", rich(why));
  }

  /**
   * Records an answer, and shows whether it is right and why.
   * @param {boolean} right
   * @param {string} why
   * @param {Element} [element]
   * @param {boolean} [quiet]
   */
  answer(right, why, element, quiet = false) {
    if (!this.asked) return;
    element?.classList?.add(right ? "was-right" : "was-wrong");
    this.feedback(right, why);
    if (quiet) return;
    if (!this.answered.has(this.asked)) this.tries = (this.tries ?? 0) + 1;
    if (right && !this.answered.has(this.asked)) {
      this.answered.set(this.asked, true);
      if (this.answered.size >= this.steps.filter((step) => step.question).length) this.about.done();
    }
  }

  /**
   * Adds buttons for the variants of a lesson; `list` maps names to `words`. Errors are shown in the lesson.
   * @param {string} label
   * @param {{ [name: string]: { words: string } }} list
   * @param {string} chosen
   * @param {(name: string) => unknown} act
   */
  choose(label, list, chosen, act) {
    /** @param {string} name */
    const safe = async (name) => {
      this.busy += 1;
      this.element.dataset.ready = "no";
      try {
        await act(name);
      } catch (error) {
        if (!api.isAbort(error)) this.fail(error);
      }
      this.busy -= 1;
      if (!this.busy) this.element.dataset.ready = "yes";
    };
    this.tools.append(
      choice(
        label,
        Object.entries(list).map(([name, { words }]) => [name, words]),
        chosen,
        safe,
      ),
    );
  }

  // The server.

  /**
   * Requests the trace of a search.
   * @param {Place} place
   * @param {TreeOptions} options
   */
  tree(place, options) {
    return api.tree(place, options, this.signal);
  }
}

/**
 * The heading of a page of the Learn section, with a link back to the lessons.
 * @param {ViewContext} context
 * @param {string} name
 * @param {string} title
 * @param {string} lead
 */
export function heading(context, name, title, lead) {
  context.title(title);
  /** @param {Event} event */
  const back = (event) => {
    event.preventDefault();
    context.go({ view: "learn", extra: {} });
  };
  return h(
    "header",
    { class: "learn-head" },
    h("p", { class: "eyebrow" }, h("a", { href: "?view=learn", onclick: back }, "Learn"), ` · ${name}`),
    h("h1", {}, title),
    h("p", { class: "lead" }, lead),
  );
}

/**
 * Shows an error from the server, unless the request was aborted.
 * @param {HTMLElement} element
 * @param {unknown} error
 */
export function complain(element, error) {
  if (!api.isAbort(error)) put(element, h("p", { class: "wrong", role: "alert" }, api.wordsOf(error)));
}

/**
 * A row of buttons of which one is chosen.
 * @param {string} label
 * @param {string[][]} options
 * @param {string} chosen
 * @param {(value: string) => unknown} act
 */
export function choice(label, options, chosen, act) {
  const group = h("div", { class: "segmented wrap", role: "group", "aria-label": label });
  /** @param {string} now */
  const draw = (now) =>
    put(
      group,
      options.map(([value, words]) =>
        h(
          "button",
          {
            type: "button",
            "data-value": value,
            "aria-pressed": String(value === now),
            onclick: () => {
              draw(value);
              act(value);
            },
          },
          words,
        ),
      ),
    );
  draw(chosen);
  return h("div", { class: "tool" }, h("span", { class: "tool-name" }, label), group);
}
