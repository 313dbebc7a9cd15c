// Shared types of the page's scripts, for JSDoc: the server's JSON, and interfaces between modules.
//
// The JSON types follow the serde types of crates/workbench, teach, arena and serve; docs/api.md and
// /api/v1/openapi.json describe them. A field that serde may skip has a `?`, one that may be null has
// `| null`.

// Enumerations.

type Side = "first" | "second";
/** The side to move. */
type Turn = Side | "chance";
type Verdict = "win" | "draw" | "loss";
type ValueWord = Verdict | "unknown";
type Layout = "grid" | "drop" | "chess" | "points" | "piles" | "text";
/** The visual style of a scene: a layout, or a special case of one. */
type Face = Layout | "go" | "cubes" | "race";
type Holder = Side | "nobody";

// Scenes.

interface Spot {
  name: string;
  x: number;
  y: number;
  holder: Holder | null;
  label: string;
  /** Set by the page: a match that was taken last. */
  gone?: boolean;
}

/** A legal move as the spots to click. */
interface Gesture {
  move: string;
  path: number[];
  choice?: string;
  odds?: number;
  ways?: number[][];
  /** The move after the player's name, `plays b2`; missing for moves without a report. */
  said?: string;
}

interface Scene {
  layout: Layout;
  width: number;
  height: number;
  spots: Spot[];
  links?: [number, number][];
  lines?: [number, number][];
  moves: Gesture[];
  decisive?: number[];
  facts?: [string, string][];
  /** A prompt for the player to move. */
  prompt?: string;
}

// Positions and their values.

/** A position in a request. */
interface Place {
  game: string;
  position?: string;
  moves?: string[];
}

/** A position with all fields set. */
type WholePlace = Required<Place>;

interface PlayerInfo {
  name: string;
  about: string;
  example?: string;
}

/** A move that was made. */
interface Ply {
  move: string;
  /** The player; for a roll, the player who rolled. */
  by: Side;
  chance: boolean;
  said?: string;
}

interface View {
  game: string;
  position: string;
  to_move: Turn;
  /** The first player's payoff, once the game is over. */
  outcome: number | null;
  scene: Scene;
  warning?: string | null;
  players?: PlayerInfo[];
  engines?: string[];
  levels?: string[];
  named_levels?: Level[];
  exact?: boolean;
  /** Whether the game rolls dice. */
  chance: boolean;
  /** Whether the game has no start position. */
  startless: boolean;
  /** The longest that the values may take, in seconds. */
  seconds: number;
  /** Whether /proof writes proofs of this game. */
  provable: boolean;
  /** Whether it is expected to prove this position. */
  proof_expected: boolean;
  /** Evaluations for the horizon of a tree. */
  evals: string[];
  /** The side that makes the first move. */
  begins: Side;
  /** The side whose turn it is, also during a roll. */
  turn_of: Side;
  /** Moves made before the position. */
  at: number;
  /** All moves of the request, including those after the position. */
  plies: Ply[];
}

interface Family {
  name: string;
  about: string;
  example: string;
  parameters: string;
  /** Whether its games have no start position. */
  startless: boolean;
}

interface Level {
  number: number;
  name: string;
  player: string;
}

interface Games {
  games: Family[];
  players: PlayerInfo[];
  levels: string[];
  named_levels: Level[];
}

type Source = "rules" | "theory" | "table" | "book" | "kept" | "search";

/** A value in the server's JSON. */
interface Answer {
  value?: ValueWord | null;
  distance?: number | null;
  bounds?: [number, number];
  payoff?: number;
  repetition?: boolean;
  expected?: number;
  mean?: number;
  score?: number | null;
}

interface MoveAnswer extends Answer {
  move: string;
  san?: string;
  probability?: number;
}

interface PositionAnswer extends Answer {
  game: string;
  position: string;
  to_move: Turn;
  best: string[];
  moves: MoveAnswer[];
  line: string[];
  source: Source;
  notes?: string[];
}

/** The heuristic estimate of a move. */
interface Opinion {
  move: string;
  opinion: number;
  depth: number;
  over: boolean;
  /** The value of the move, where it is proven. */
  value?: Verdict;
}

interface OpinionsAnswer {
  moves: Opinion[];
  /** The value of the position, where it is proven. */
  value?: Verdict;
}

/** An answer from the mover's point of view (verdict.js). */
interface Seen extends Omit<Answer, "value"> {
  value: ValueWord;
  /** The mover's mean payoff, in games with dice. */
  own?: number;
  /** The mover's chance to win, if a game pays at most 1. */
  odds?: number | null;
  opinion?: number;
  depth?: number;
  source?: Source;
}

interface SeenMove extends Seen {
  move: string;
  /** Whether its value has not arrived yet. */
  waiting?: boolean;
}

interface SeenPosition extends Seen {
  best: string[];
  moves: SeenMove[];
  line: string[];
}

interface Progress {
  stage?: string;
  done?: number;
  total?: number;
}

interface Choice {
  game: string;
  position: string;
  player: string;
  move: string;
  said?: string;
  line: string[];
}

interface Mistake {
  by: Side;
  from: Verdict;
  to: Verdict;
  loss: number;
}

interface HistoryPly extends Answer {
  ply: number;
  move: string | null;
  by: Side | null;
  chance: boolean;
  position: string;
  to_move: Turn;
  mistake: Mistake | null;
}

type SeenPly = HistoryPly & Seen;

/** How many moves of a player kept the value, of those that could be judged. */
interface JudgedMoves {
  moves: number;
  judged: number;
  unjudged: number;
  kept: number;
  /** The share of the judged moves; null if none was judged. */
  accuracy: number | null;
}

interface TurningPoint extends Mistake {
  /** The move's number, from 1. */
  ply: number;
  move: string;
  /** Whether no later move can have been the turning point. */
  certain: boolean;
}

interface GameReview {
  outcome: number | null;
  /** Positions without a known value. */
  unknown: number;
  turning_point: TurningPoint | null;
  accuracy: { first: JudgedMoves; second: JudgedMoves };
}

/** A finished game, as its review describes it. */
interface ReviewedGame {
  /** The side of the only human player. */
  own: Side | null;
  names: Names;
  moves: string[];
  /** The number of a move in the list of moves, by its place from 0. */
  number: (i: number) => number;
  /** 1 if the first player won, −1 if the second did, 0 for a draw. */
  result: number;
  dice: boolean;
  humans: Side[];
}

interface ReasonMark {
  spot: number;
  name: string;
  kind: "win" | "block" | "threat" | "pair" | "key";
  by: Turn;
  pair?: number;
}

/** A move of a line that is drawn on the board. */
interface LineMove {
  path: number[];
  by: Turn;
  forced?: boolean;
}

interface Why {
  sentence: string;
  marks: ReasonMark[];
  line: (LineMove & { move: string })[];
}

// Puzzles.

interface PuzzleStep {
  move: string;
  reply?: string | null;
}

interface PuzzleAnswer extends Answer {
  game: string;
  position: string;
  to_move: Side;
  kind: "only" | "soonest" | "best" | "fours";
  task: string;
  solution: string;
  line: string[];
  choices: number;
  steps: PuzzleStep[];
  themes: string[];
  difficulty?: { level: number; nodes: number; refutations: number };
  number?: number;
  of?: number;
  date?: string;
}

/** A puzzle that is being solved. */
interface PuzzleState extends PuzzleAnswer {
  at: number;
  tried: string[];
  solved: boolean;
  clean: boolean;
  words: string;
  waiting?: boolean;
  given?: boolean;
  /** Whether a hint was asked for, and the step of the last one. */
  hinted?: boolean;
  hintAt?: number;
}

interface PuzzleEntry {
  number: number;
  level: number;
  themes: string[];
  moves: number;
}

// Searches, lessons and proofs.

/** The value of a position in a recorded search, from the first player's point of view. */
type Worth = { value: Verdict; distance: number | null } | { opinion: number } | { mean: number };

/** The two sides of a search window; null is infinity. */
type SearchWindow = [Worth | null, Worth | null];

interface TraceNode {
  parent: number | null;
  move: string | null;
  position?: string;
  turn: Turn;
  ply: number;
  probability?: number;
  glance?: boolean;
  window: SearchWindow;
  fate: string;
  cut?: string;
  reason?: string;
  bound?: string;
  worth?: Worth | null;
  principal?: boolean;
  twin?: number;
  left_out?: number;
  cut_left_out?: number;
  /** Set by the page: the label of the branch. */
  label?: string | null;
}

type CounterName =
  "nodes" | "static_evaluations" | "alpha_cutoffs" | "beta_cutoffs" | "best_payoff_cutoffs" | "dice_cutoffs";
type Counters = { [name in CounterName]: number };

interface Trace {
  game: string;
  position: string;
  method: string;
  order: string;
  depth: number;
  counters: Counters;
  recorded_plies: number;
  /** Whether the root's value is that of the game; otherwise it is an estimate. */
  exact: boolean;
  note: string | null;
  nodes: TraceNode[];
}

interface TreeOptions {
  [key: string]: string | number | undefined;
  depth?: number;
  method?: string;
  order?: string;
  eval?: string;
  most?: number;
  seed?: number;
}

/** A game in full: (S, I, Succs, T, V). */
interface Textbook {
  positions: string[];
  start: string;
  successors: [string, string[]][];
  terminals: [string, number][];
}

interface RulesAnswer {
  game: string;
  name: string;
  about: string;
  rules: string;
  parameters: string;
  example: string;
  textbook: Textbook | null;
}

interface IndexAnswer {
  game: string;
  size: number | string;
  number: number | string;
  tier: string;
  position: string | null;
  unreached: string | null;
}

interface WavesAnswer {
  game: string;
  count: number;
  positions: number;
  draws: number;
  waves: { distance: number; win: number; loss: number }[];
}

interface ValuedPosition extends Answer {
  legal: boolean;
}

interface Evaluation {
  score: number;
  opinion: number;
  parts: { name?: string; feature?: string; count?: number; value?: number; weight?: number }[];
}

interface ProofAnswer {
  game: string;
  value: ValueWord | null;
  nodes: number;
  steps: number;
  proof: string | null;
}

interface ProofStone {
  cell: string;
  by: Side;
}

interface CheckAnswer {
  valid: boolean;
  value?: string;
  steps: number;
  followed: number;
  error?: string;
  step?: number | null;
  seen: { step: number; depth: number; attacker: Side; attacks: boolean; stones: ProofStone[] }[];
}

interface WalkAnswer {
  player: Side;
  wins: boolean;
  over: boolean;
  stones: (ProofStone & { step: number | null })[];
  waiting: {
    step: number;
    arms: { cells: string[]; step: number }[];
    pairs: [string, string][];
    threats: string[];
  }[];
}

/** A question of a lesson: with choices, with a number to find, or answered on the stage. */
interface Question {
  text: string;
  choices?: { text: string; right?: boolean; why: string }[];
  number?: number;
  within?: number;
  why?: string;
  hint?: (said: number) => string;
  /** Whether the stage shows the requested state. */
  check?: () => boolean;
  /** Whether the search is about to cut something off; for tests. */
  cut?: boolean;
}

interface LessonStep {
  words: LessonWords | (() => LessonWords);
  draw?: () => unknown;
  question?: Question;
}
type LessonWords = string | (string | HTMLElement)[];

interface LessonInfo {
  name: string;
  title: string;
  lead: string;
  load: () => Promise<{ begin(lesson: Lesson): Promise<void> }>;
}

/** Title, neighbours and callbacks of a lesson, supplied by learn.js. */
interface LessonAbout extends LessonInfo {
  number: number;
  of: number;
  before?: LessonInfo;
  after?: LessonInfo;
  open(event: MouseEvent, name: string): void;
  extra: Extra;
  note(extra: Extra): unknown;
  all(event: Event): void;
  done(): void;
}

// Tables, matches and experiments.

interface Counts {
  legal: number;
  win: number;
  draw: number;
  loss: number;
  finished: number;
}

interface StatsReport {
  game: string;
  merged: boolean;
  positions: Counts;
}

interface Knowledge {
  game: string;
  positions: string | null;
  chance: boolean;
  solvable: boolean;
  statistics: StatsReport | null;
}

interface Job extends Progress {
  id: number;
  game: string;
  state: "waiting" | "running" | "stopping" | "done" | "cancelled" | "failed";
  answer?: { game: string; nodes: number; table?: { bytes: number } };
  error?: string;
  cure?: string | null;
}

interface Example extends Answer {
  position: string;
  to_move: Side;
  keeping: number;
  choices: number;
}

interface TableRecords {
  longest_plies: number | null;
  longest_count: number;
  longest: Example[];
  hardest: Example[];
}

type RunState = "running" | "stopping" | "stopped" | "done" | "failed";

interface MatchSummary {
  id: number;
  game: string;
  players: string[];
  state: RunState;
  mine: boolean;
  games: number;
  planned: number;
}

interface PlayerRow {
  player: string;
  games: number;
  wins: number;
  draws: number;
  losses: number;
  score: number;
  strength: { elo: number; low: number | null; high: number | null };
}

/** Games, score, its two bounds, and the log-likelihood ratio. */
type MatchPoint = [number, number, number, number, number];

interface MatchBoard {
  slot: number;
  number: number;
  first: number;
  second: number;
  plies: number;
  last: string | null;
  payoff: number | null;
  to_move: Turn;
  position: string;
  scene: Scene;
}

interface MatchNews extends MatchSummary {
  seconds: number;
  standings: {
    players: PlayerRow[];
    ratings?: { elo: number; low: number; high: number }[];
    cross_table?: { points: number[][]; games: number[][] };
  };
  sprt: {
    elo0: number;
    elo1: number;
    low: number;
    high: number;
    decision: "accepted" | "rejected" | "open";
  } | null;
  points: MatchPoint[];
  /** Number, places of both players, the first player's payoff. */
  results: [number, number, number, number][];
  boards: MatchBoard[];
  error: string | null;
  cure: string | null;
}

interface Experiment {
  name: string;
  question: string;
  verdict: string;
  source: string;
}

interface FindingsTable {
  title: string;
  columns: string[];
  rows: string[][];
}

interface Findings {
  setting: string;
  holds: boolean | null;
  remarks: string[];
  tables: FindingsTable[];
  plots: { lines?: { title: string }; map?: { title: string } }[];
}

interface ExperimentRun extends Progress {
  id: number;
  name: string;
  seed: number;
  mine: boolean;
  state: RunState;
  seconds: number;
  findings: Findings;
  pictures: string[];
  error?: string;
  cure?: string | null;
}

// Interfaces between modules.

type App = import("../page/app.js").App;
type Board = import("../page/board.js").Board;
type Lesson = import("../page/lesson.js").Lesson;
type ValueHistory = import("../page/history.js").History;

/** Parameters of the address that belong to a view. */
type Extra = { [word: string]: string };

/** The state described by an address (link.js). */
interface State {
  game: string;
  position: string;
  moves: string[];
  /** Plies shown; null for all of them. */
  at: number | null;
  first: string;
  second: string;
  view: string;
  /** null: the default of the view. */
  values: boolean | null;
  seed: string;
  extra: Extra;
}

type HistoryStep = "push" | "replace";

/** The context of a view beside the board (views.js). */
interface ViewContext {
  app: App;
  extra: Extra;
  go(changes: Partial<State>, how?: HistoryStep): Promise<unknown>;
  title(words: string): void;
}

interface ViewModule {
  mount(element: HTMLElement, context: ViewContext): unknown;
  update?(context: ViewContext): unknown;
  unmount?(): void;
}

interface ViewEntry {
  name: string;
  title: string;
  nav: boolean;
  load(): Promise<ViewModule>;
}

/** A part of the screen. */
interface Part {
  prepare?(app: App, signal: AbortSignal): Promise<void>;
  draw(app: App): void;
}

/** Display options of a board, beside its scene (board.js). */
interface Look {
  live: boolean;
  why?: string | null;
  /** Whether the last move still waits for the server; clicks are kept until it has answered. */
  waiting?: boolean;
  mover?: Turn;
  owner?: Turn;
  names?: Names;
  answers?: Map<string, SeenMove>;
  guesses?: string[];
  best?: Set<string> | null;
  tells?: boolean;
  values: boolean;
  last?: number[];
  rolled?: string | null;
  fresh?: boolean;
  label: string;
}

type Names = { first: string; second: string; chance?: string };

/** The geometry of a scene's picture (ground.js). */
interface Metrics {
  dx: number;
  dy: number;
  left: number;
  top: number;
  width: number;
  height: number;
  print: number;
  at(spot: { x: number; y: number }): [number, number];
}

/** The elements of a drawn spot. */
interface DrawnSpot {
  group: SVGGElement;
  handle: SVGGElement;
  stone: SVGGElement;
  mark: SVGGElement;
  place: SVGGElement;
  hint: SVGGElement;
  drawn: string;
  marked: string;
  hinted: string;
}

/** The value that a spot shows. */
interface SpotMark {
  answer: SeenMove;
  best: boolean;
}

/** The visible state of a node in a tree picture (tree-picture.js). */
interface NodeLook {
  seen?: boolean;
  done?: boolean;
  worth?: Worth | null;
  here?: boolean;
  path?: boolean;
  cut?: boolean;
  fold?: string;
  hide?: boolean;
  principal?: boolean;
  twin?: boolean;
  open?: boolean;
}

/** A step of a recorded search. */
interface SearchStep {
  kind: "enter" | "leave" | "cut";
  i: number;
  /** For a cutoff: the children left out, the reason, and the window. */
  cut?: number[];
  why?: string;
  alpha?: Worth | null;
  beta?: Worth | null;
  /** For a finished node: whether it was the best so far, and its next sibling. */
  better?: boolean;
  next?: number;
}

// Elements.

/** A child of an element; null, undefined and false are left out. */
type Child = Node | string | number | false | null | undefined | Child[];

/** An event as a listener of an element receives it. */
type Heard<E, K extends keyof HTMLElementEventMap> = HTMLElementEventMap[K] & {
  currentTarget: E;
} & (K extends "change" | "input" | "submit" ? { target: E } : unknown);

/** Properties, attributes and listeners of an element. */
type Props<E> = { [K in keyof HTMLElementEventMap as `on${K}`]?: (event: Heard<E, K>) => unknown } & {
  [name: string]: unknown;
};

/** Elements of index.html and embed.html, by selector. */
interface PageElements {
  "#after": HTMLElement;
  "#back": HTMLButtonElement;
  "#bar": HTMLElement;
  "#board": HTMLElement;
  "#dialog": HTMLDialogElement;
  "#drawer": HTMLElement;
  "#drawer-handle": HTMLButtonElement;
  "#elsewhere": HTMLElement;
  "#gallery": HTMLElement;
  "#game": HTMLButtonElement;
  "#game-detail": HTMLElement;
  "#game-name": HTMLElement;
  "#help": HTMLButtonElement;
  "#history": HTMLElement;
  "#knowledge": HTMLElement;
  "#move": HTMLInputElement;
  "#place": HTMLElement;
  "#players": HTMLElement;
  "#puzzle": HTMLElement;
  "#reach": HTMLElement;
  "#say": HTMLElement;
  "#screen": HTMLElement;
  "#share": HTMLButtonElement;
  "#sheet": HTMLElement;
  "#status": HTMLElement;
  "#sub": HTMLElement;
  "#theme": HTMLButtonElement;
  "#thinking": HTMLElement;
  "#toast": HTMLElement;
  "#trouble": HTMLElement;
  "#turns": HTMLElement;
  "#type": HTMLFormElement;
  "#type-trouble": HTMLOutputElement;
  "#values": HTMLButtonElement;
  "#verdict": HTMLElement;
  "#welcome": HTMLElement;
  "#whole": HTMLAnchorElement;
  ".tabs": HTMLElement;
  "[data-do=again]": HTMLButtonElement;
  "[data-do=hint]": HTMLButtonElement;
  "[data-do=redo]": HTMLButtonElement;
  "[data-do=swap]": HTMLButtonElement;
  "[data-do=undo]": HTMLButtonElement;
  "[data-do=values]": HTMLButtonElement;
}

interface Window {
  /** For tests and debugging. */
  outplay: App;
}

/** Listener of a stream: a function for each event, `done` and `fail` for its end. */
type Hear<Done> = {
  [event: string]: ((news: any) => unknown) | undefined;
  done(news: Done): unknown;
  fail(error: unknown): unknown;
};

// Types of single modules that other modules use.

type Painter = import("../page/paint.js").Painter;
type ChessPainter = import("../page/chess-setup.js").ChessPainter;
type Diary = import("../page/puzzle-sets.js").Diary;

/** A board of lines as a spec describes it (paint.js). */
interface BoardSpec {
  width: number;
  height: number;
  k: number;
  gravity: boolean;
  misere: boolean;
  turn: string;
  cells: Map<string, string>;
}

type PositionListener = Hear<PositionAnswer> & {
  move(answer: MoveAnswer): unknown;
  progress?(progress: Progress): unknown;
};
