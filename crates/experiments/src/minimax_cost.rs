//! `minimax-cost`: cost of an exhaustive search on 4x4 boards, by the number of empty cells.
//!
//! Hayes and Loge measured minimax on partly filled boards. Here random unfinished positions with the same number of
//! stones are searched by plain minimax, memoised minimax, alpha-beta with a transposition table, and the bit-plane
//! solver. Plain minimax has a time limit; for boards on which it does not finish in time, its cost is extrapolated and
//! marked as an estimate.

use crate::helpful_memory::{costs, figure_10};
use crate::plot::{Lines, Point, Series};
use crate::sample::{Sample, seconds};
use crate::{Bench, Findings, Grid};
use outplay_arena::seed::part;
use outplay_core::figures::{bytes, duration, grouped};
use outplay_core::{Game, Native, Notation, Turn, Value};
use outplay_games::mnk::Mnk;
use outplay_players::Player;
use outplay_runtime::{Deadline, NoMonitor};
use outplay_search::{SearchEngine, SearchLimits, SearchOptions, SearchValue};
use outplay_solve::{SolveError, memo, plain};
use outplay_workbench::Trouble;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::time::{Duration, Instant};

/// Empty cells, and the hours and gigabytes of the paper's minimax. The paper marks predicted figures by colour,
/// which this table does not; ten runs of 55.97 hours each were certainly not measured.
const THEIRS: [(usize, f64, f64); 9] = [
    (8, 0.0, 0.0),
    (9, 0.0, 0.0),
    (10, 0.0, 0.0),
    (11, 0.0, 0.0),
    (12, 0.04, 0.03),
    (13, 0.55, 0.04),
    (14, 5.16, 0.10),
    (15, 55.97, 0.27),
    (16, 607.25, 0.70),
];

/// Complete games from the empty board: all lines of play that plain minimax visits.
const COMPLETE_GAMES: f64 = 15_038_733_958_272.0;

/// Time limit of plain minimax in seconds, all rows together.
const CURIOUS: f64 = 20.0;
/// The same for the full setting.
const PATIENT: f64 = 600.0;

/// The paper's number of runs.
const RUNS: u32 = 10;

/// Time limit of the full board by alpha-beta or by tables, in seconds.
const MOST_SECONDS: f64 = 60.0;

/// Time in seconds after which a method is not repeated in a row.
const ROW_SECONDS: f64 = 10.0;

/// The cost of a method in a row.
#[derive(Clone, Default)]
struct MethodCost {
    seconds: Sample,
    nodes: Sample,
    /// Memory in bytes.
    memory: Sample,
}

impl MethodCost {
    fn add(&mut self, seconds: f64, nodes: u64, memory: u64) {
        self.seconds.add(seconds);
        self.nodes.add(nodes as f64);
        self.memory.add(memory as f64);
    }

    /// Whether another run fits in the time limit.
    fn goes_on(&self) -> bool {
        self.seconds.sum() < ROW_SECONDS
    }

    /// Time with its confidence interval, and the number of runs if not all.
    fn time(&self, runs: usize) -> String {
        let few = if self.seconds.len() < runs && self.seconds.len() > 0 {
            format!(", {} runs", self.seconds.len())
        } else {
            String::new()
        };
        self.seconds.text(seconds) + &few
    }

    fn size(&self) -> String {
        let whole = |sample: &Sample| sample.mean().unwrap_or(0.0) as u64;
        format!("{}, {}", grouped(whole(&self.nodes)), bytes(whole(&self.memory)))
    }
}

/// The exact methods besides plain minimax, and the heuristic.
const METHODS: [&str; 4] = ["memo", "alpha-beta", "tables", "helpful (one move)"];

/// Adds one run of every method at a position; returns whether they agree on its value.
fn measure(
    bench: &Bench<'_>,
    board: &Native<Mnk<u64>>,
    helpful: &mut dyn Player,
    pos: &<Mnk<u64> as Game>::Position,
    took: &mut [MethodCost; METHODS.len()],
    mut value: Option<Value>,
) -> Result<bool, Trouble> {
    let game = &board.game;
    let mut agree = true;
    let mut check =
        |found: Value| agree &= value.replace(found).is_none_or(|known| known.cmp(&found).is_eq());
    let [memoized, searched, tabled, helped] = took;
    if memoized.goes_on() {
        let start = Instant::now();
        let found =
            memo(game, pos, u64::MAX, &Deadline::new(Some(Duration::from_secs(600)), bench.watch).silent())?;
        let seconds = start.elapsed().as_secs_f64();
        check(found.found().value);
        let remembered = (size_of::<<Mnk<u64> as Game>::Position>() + size_of::<Value>() + 1) as u64;
        let nodes = found.found().nodes;
        memoized.add(seconds, nodes, nodes * remembered);
    }
    if searched.goes_on() {
        let options = SearchOptions { table: 1 << 18, symmetry: true, ..SearchOptions::default() };
        let start = Instant::now();
        let report = SearchEngine::new(game, options).search(pos, SearchLimits::NONE, &NoMonitor)?;
        let seconds = start.elapsed().as_secs_f64();
        if let SearchValue::Exact(exact) = report.answer {
            check(exact);
        }
        let table = (options.table * SearchEngine::<'_, Mnk<u64>>::entry_bytes()) as u64;
        searched.add(seconds, report.counts.nodes, table);
    }
    if tabled.goes_on() {
        let tables = bench.tables(&preset(game, pos))?;
        if let (Some(exact), Some(value)) = (tables.value, value) {
            agree &= exact.payoff() == value.payoff();
        }
        tabled.add(tables.seconds, tables.positions.unwrap_or(0), tables.bytes.unwrap_or(0));
    }
    let any = board.any(*pos);
    helpful.begin(bench.seed);
    let start = Instant::now();
    let choice = helpful.choose(&any, bench.watch)?;
    helped.add(start.elapsed().as_secs_f64(), choice.nodes, helpful.bytes() as u64);
    Ok(agree)
}

/// Plain minimax, abandoned when its time for all rows together is spent.
struct PlainMinimax<'a> {
    limit: Deadline<'a>,
    given_up: bool,
    /// Nodes and seconds of the last completed row, or their extrapolation.
    known: Option<(f64, f64)>,
    /// Empty cells of the last completed row.
    last_measured: usize,
}

impl PlainMinimax<'_> {
    /// Adds one run at a position; returns its value, if the search finished.
    fn measure(
        &mut self,
        bench: &Bench<'_>,
        game: &Mnk<u64>,
        pos: &<Mnk<u64> as Game>::Position,
        took: &mut MethodCost,
    ) -> Result<Option<Value>, Trouble> {
        if self.given_up || !took.goes_on() {
            return Ok(None);
        }
        let start = Instant::now();
        match plain(game, pos, &self.limit) {
            Ok(found) => {
                took.add(start.elapsed().as_secs_f64(), found.nodes, 0);
                Ok(Some(found.value))
            }
            Err(SolveError::Stopped) if !bench.watch.stopped() => {
                self.given_up = true;
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Positions a second if the paper's `hours` were spent on the nodes of the last row; `None` for its rounded times.
    fn their_rate(&self, hours: f64) -> Option<f64> {
        let (nodes, _) = self.known.filter(|_| hours > 0.0)?;
        Some(nodes / (hours * 3600.0))
    }

    /// Time and nodes of a row, extrapolated if nothing was measured.
    fn row(&mut self, open: usize, took: &MethodCost, runs: usize) -> [String; 2] {
        if let (Some(seconds), Some(nodes)) = (took.seconds.mean(), took.nodes.mean()) {
            (self.known, self.last_measured) = (Some((nodes, seconds)), open);
            return [took.time(runs), grouped(nodes as u64)];
        }
        // Each further empty cell multiplies the lines of play by about the number of empty cells.
        self.known = self.known.map(|(nodes, seconds)| (nodes * open as f64, seconds * open as f64));
        let (nodes, seconds) = self.known.unwrap_or_default();
        [format!("≈ {} (extrapolated)", duration(seconds)), format!("≈ {nodes:.1e} (extrapolated)")]
    }
}

/// The tables and the series of the plots.
struct Costs {
    runs: usize,
    times: Grid,
    sizes: Grid,
    time_lines: Vec<Series>,
    memory_lines: Vec<Series>,
}

impl Costs {
    fn new(runs: usize) -> Costs {
        let grid = |title: &str| {
            let mut grid = Grid::new(title, &["open cells", "theirs", "plain minimax"]);
            grid.columns.extend(METHODS.map(String::from));
            grid.columns.push("their algorithm".into());
            grid
        };
        let ours = METHODS.map(|name| Series::new(format!("ours: {name}")));
        let theirs = Series::new("theirs: minimax");
        let plain = Series::new("ours: plain minimax, points without bars extrapolated");
        let time_lines = [theirs.clone(), plain].into_iter().chain(ours.clone()).collect();
        let memory_lines = std::iter::once(theirs).chain(ours).collect();
        let (times, sizes) = (grid("time to look to the end"), grid("positions entered, and memory"));
        Costs { runs, times, sizes, time_lines, memory_lines }
    }

    /// Adds the rows of a number of empty cells to the tables.
    fn add_rows(
        &mut self,
        (open, hours, gigabytes): (usize, f64, f64),
        [plain_time, plain_nodes]: [String; 2],
        took: &[MethodCost],
    ) {
        let theirs = match (hours, open) {
            (0.0, _) => "0.00 h".to_string(),
            (hours, 15..) => format!("{hours} h (predicted)"),
            (hours, _) => format!("{hours} h"),
        };
        let mut row = vec![open.to_string(), theirs, plain_time];
        row.extend(took.iter().map(|took| took.time(self.runs)));
        row.push("< 0.001 h".into());
        self.times.row(row);
        let theirs = if gigabytes == 0.0 { "0.00 GB".into() } else { format!("{gigabytes} GB") };
        let mut row = vec![open.to_string(), theirs, format!("{plain_nodes}, stack only")];
        row.extend(took.iter().map(MethodCost::size));
        row.push("< 0.001 GB".into());
        self.sizes.row(row);
    }

    /// Adds the points of a number of empty cells to the series.
    fn add_points(
        &mut self,
        (open, hours, gigabytes): (usize, f64, f64),
        plainly: Option<Point>,
        took: &[MethodCost],
    ) {
        let x = open as f64;
        if hours > 0.0 {
            self.time_lines[0].points.push(Point::exact(x, hours * 3600.0));
            self.memory_lines[0].points.push(Point::exact(x, gigabytes * 1e9));
        }
        self.time_lines[1].points.extend(plainly);
        for (number, took) in took.iter().enumerate() {
            let memory = took.memory.mean().map(|mean| Point::exact(x, mean));
            self.time_lines[number + 2].points.extend(took.seconds.point(x));
            self.memory_lines[number + 1].points.extend(memory);
        }
    }
}

pub(crate) fn run(bench: &Bench<'_>) -> Result<Findings, Trouble> {
    let (board, kit) = bench.board("mnk:4x4,k=4")?;
    let game = &board.game;
    let budget = if bench.full { PATIENT } else { CURIOUS };
    let runs = bench.runs.unwrap_or(RUNS).max(1) as usize;
    let mut findings = Findings::new(format!(
        "mnk:4x4,k=4, {} random unfinished positions a row, {}, means with 95 % bounds; a method that took {ROW_SECONDS} s in a row is not repeated there; {budget} s for plain minimax",
        runs,
        bench.seeds_phrase(RUNS)
    ));
    let mut found = Costs::new(runs);
    let limit = Deadline::new(Some(Duration::from_secs_f64(budget)), bench.watch).silent();
    let mut minimax = PlainMinimax { limit, given_up: false, known: None, last_measured: 0 };
    let mut agree = true;
    let mut helpful = kit.player("helpful")?;
    let mut full_board: [MethodCost; METHODS.len()] = Default::default();
    let mut their_rates = Vec::new();
    bench.watch.stage("open cells", THEIRS.len() as u64);
    for theirs in THEIRS {
        let open = theirs.0;
        let mut took: [MethodCost; METHODS.len()] = Default::default();
        let mut plainly = MethodCost::default();
        for seed in bench.seeds(RUNS) {
            bench.check_cancelled()?;
            let pos = position(game, open, seed);
            let value = minimax.measure(bench, game, &pos, &mut plainly)?;
            agree &= measure(bench, &board, &mut *helpful, &pos, &mut took, value)?;
        }
        found.add_rows(theirs, minimax.row(open, &plainly, runs), &took);
        // Their times from 15 open cells on are predictions.
        let rate = minimax.their_rate(theirs.1).filter(|_| open < 15);
        their_rates.extend(rate.map(|rate| format!("{:.1} at {open}", rate / 1e6)));
        let x = open as f64;
        let extrapolated = minimax.known.map(|(_, seconds)| Point::exact(x, seconds));
        found.add_points(theirs, plainly.seconds.point(x).or(extrapolated), &took);
        full_board = took;
        bench.watch.advance(1);
    }
    findings.tables = vec![found.times, found.sizes];
    findings.remark(format!(
        "The paper's times over our numbers of positions are {} open cells, in million positions a second. The rate is roughly constant, so its minimax searched to the end of the game, without a limit of depth.",
        their_rates.join(", ")
    ));
    conclude(&mut findings, &full_board, &minimax, runs, agree);
    let (title, axes) = ("Figure 9a: time by open cells on 4x4", ["open cells", "time, s"]);
    findings.plot(Lines::new(title, axes, found.time_lines).logarithmic());
    let (title, axes) = ("Figure 9b: memory by open cells on 4x4", ["open cells", "memory, bytes"]);
    findings.plot(Lines::new(title, axes, found.memory_lines).logarithmic());
    findings.plot(figure_10(&costs(bench, 5)?));
    Ok(findings)
}

/// Adds the conclusions.
fn conclude(
    findings: &mut Findings,
    full_board: &[MethodCost],
    minimax: &PlainMinimax<'_>,
    runs: usize,
    agree: bool,
) {
    findings.remark(format!(
        "The full board: {} by alpha-beta, {} by tables of all {} positions; the paper predicts 607.25 h.",
        full_board[1].time(runs),
        full_board[2].time(runs),
        grouped(full_board[2].nodes.mean().unwrap_or(0.0) as u64),
    ));
    if let Some((nodes, seconds)) = minimax.known {
        findings.remark(format!(
            "Plain minimax from the empty board walks {} complete games; at the measured {:.1} million positions a second \
             their ends alone take {}. Measured up to {} open cells.",
            grouped(COMPLETE_GAMES as u64),
            nodes / seconds / 1e6,
            duration(COMPLETE_GAMES * seconds / nodes),
            minimax.last_measured
        ));
    }
    findings.remark("The paper's algorithm does not look to the end: its columns, and `helpful`, are the cost of one move that is guessed. What is compared is therefore a guess with a proof; alpha-beta proves the whole board in less time than a person takes to look.");
    if agree {
        findings.remark("All methods agree on every value.");
    }
    findings.claim(agree, "The methods do not agree: this is an error of the program.");
    let mean = |number: usize| full_board[number].seconds.mean().unwrap_or(f64::MAX);
    let slowest = mean(1).max(mean(2));
    findings.claim(
        slowest < MOST_SECONDS,
        format!("The full board took {}, which is too long for alpha-beta or tables.", duration(slowest)),
    );
}

/// A random unfinished position with `open` empty cells; the empty board if all are empty.
fn position(game: &Mnk<u64>, open: usize, seed: u64) -> <Mnk<u64> as Game>::Position {
    let mut moves = Vec::new();
    // Half-full boards are often finished, but enough are not: this loop ends soon.
    for attempt in 0.. {
        let mut rng = SmallRng::seed_from_u64(part(part(seed, open as u64), attempt));
        let Some(mut pos) = game.start() else { break };
        for _ in open..16 {
            moves.clear();
            game.moves(&pos, &mut moves);
            if moves.is_empty() {
                break;
            }
            pos = game.play(&pos, moves[rng.random_range(0..moves.len())]);
        }
        moves.clear();
        game.moves(&pos, &mut moves);
        if moves.len() == open {
            return pos;
        }
    }
    unreachable!("the attempts never end")
}

/// A position as the spec of a board with preset stones.
fn preset(game: &Mnk<u64>, pos: &<Mnk<u64> as Game>::Position) -> String {
    use outplay_core::{Content, LineGame, cell_name};
    let board = game.board(pos);
    let cells = |player: Content| {
        let held = (0..board.cells.len()).filter(|&cell| board.cells[cell] == player);
        held.map(|cell| cell_name(cell / board.height, cell % board.height)).collect::<Vec<_>>().join("+")
    };
    let mut spec = game.spec();
    for (key, player) in [("x", Content::First), ("o", Content::Second)] {
        let cells = cells(player);
        if !cells.is_empty() {
            spec += &format!(",{key}={cells}");
        }
    }
    if board.stones() > 0 {
        spec += if board.turn == Turn::Second { ",turn=o" } else { ",turn=x" };
    }
    spec
}
