//! `minimax-cost`: what full search costs on 4x4 boards, by the number of open cells.
//!
//! The paper fills a part of the board and lets minimax look to the end. Here random unfinished positions with as
//! many stones are searched by plain minimax, minimax that remembers, alpha-beta with a table, and tables of
//! every position that follows. Plain minimax is given up when its time is spent; what it would have taken beyond
//! is extrapolated, and says so.

use crate::helpful_memory::{costs, figure_10};
use crate::plot::{Lines, Plot, Point, Series};
use crate::sample::{Sample, seconds};
use crate::{Bench, Findings, Grid};
use outplay_answer::Trouble;
use outplay_arena::seed::part;
use outplay_core::figures::{bytes, duration, grouped};
use outplay_core::{Deadline, Game, Native, Notation, Quiet, Turn, Value};
use outplay_games::mnk::Mnk;
use outplay_players::Player;
use outplay_search::{Answer, Engine, Limits, Options};
use outplay_solve::{SolveError, memo, plain};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::time::{Duration, Instant};

/// Open cells, and the hours and gigabytes of the paper's minimax. Colour tells there what was predicted and is lost
/// here; ten runs of 55.97 hours each were certainly not measured.
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

/// Games from the empty board: all lines of play that plain minimax walks to their ends.
const COMPLETE_GAMES: f64 = 15_038_733_958_272.0;

/// Seconds for plain minimax, all rows together.
const CURIOUS: f64 = 20.0;
/// The same with the time that the setting asks for.
const PATIENT: f64 = 600.0;

/// The paper's number of runs.
const RUNS: u32 = 10;

/// What the full board may take by alpha-beta or by tables.
const MOST_SECONDS: f64 = 60.0;

/// A method that is no longer repeated in a row after so many seconds.
const ROW_SECONDS: f64 = 10.0;

/// What a method took in a row.
#[derive(Clone, Default)]
struct Took {
    seconds: Sample,
    nodes: Sample,
    /// Bytes.
    memory: Sample,
}

impl Took {
    fn add(&mut self, seconds: f64, nodes: u64, memory: u64) {
        self.seconds.add(seconds);
        self.nodes.add(nodes as f64);
        self.memory.add(memory as f64);
    }

    /// Whether another run is worth waiting for.
    fn goes_on(&self) -> bool {
        self.seconds.sum() < ROW_SECONDS
    }

    /// Time with bounds, and how many runs if not all.
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

/// Who looks to the end, besides plain minimax.
const METHODS: [&str; 4] = ["memo", "alpha-beta", "tables", "helpful (one move)"];

/// Adds one run of every method at a position; whether they agree on its value.
fn measure(
    bench: &Bench<'_>,
    board: &Native<Mnk<u64>>,
    helpful: &mut dyn Player,
    pos: &<Mnk<u64> as Game>::Position,
    took: &mut [Took; METHODS.len()],
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
        let options = Options { table: 1 << 18, symmetry: true, ..Options::default() };
        let start = Instant::now();
        let report = Engine::new(game, options).search(pos, Limits::NONE, &Quiet)?;
        let seconds = start.elapsed().as_secs_f64();
        if let Answer::Exact(exact) = report.answer {
            check(exact);
        }
        let table = (options.table * Engine::<'_, Mnk<u64>>::entry_bytes()) as u64;
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

pub(crate) fn run(bench: &Bench<'_>) -> Result<Findings, Trouble> {
    let (board, kit) = bench.board("mnk:4x4,k=4")?;
    let game = &board.game;
    let budget = if bench.full { PATIENT } else { CURIOUS };
    let runs = bench.runs.unwrap_or(RUNS).max(1) as usize;
    let mut findings = Findings::new(format!(
        "mnk:4x4,k=4, {} random unfinished positions a row, {}, means with 95 % bounds; a method that took {ROW_SECONDS} s in a row is not repeated there; {budget} s for plain minimax",
        runs,
        bench.told_seeds(RUNS)
    ));
    let mut times = Grid::new("time to look to the end", &["open cells", "theirs", "plain minimax"]);
    times.columns.extend(METHODS.map(String::from));
    times.columns.push("their algorithm".into());
    let mut sizes = Grid::new("positions entered, and memory", &["open cells", "theirs", "plain minimax"]);
    sizes.columns.extend(METHODS.map(String::from));
    sizes.columns.push("their algorithm".into());
    let mut time_lines =
        vec![line("theirs: minimax"), line("ours: plain minimax, points without bars extrapolated")];
    time_lines.extend(METHODS.map(|name| line(&format!("ours: {name}"))));
    let mut memory_lines = vec![line("theirs: minimax")];
    memory_lines.extend(METHODS.map(|name| line(&format!("ours: {name}"))));
    // All rows together.
    let limit = Deadline::new(Some(Duration::from_secs_f64(budget)), bench.watch).silent();
    // Nodes and seconds of the last row in which plain searches came to their ends.
    let mut known: Option<(f64, f64)> = None;
    let (mut given_up, mut last_measured, mut agree) = (false, 0, true);
    let mut helpful = kit.player("helpful")?;
    let mut full_board: [Took; METHODS.len()] = Default::default();
    bench.watch.stage("open cells", THEIRS.len() as u64);
    for (open, hours, gigabytes) in THEIRS {
        let mut took: [Took; METHODS.len()] = Default::default();
        let mut plainly = Took::default();
        for seed in bench.seeds(RUNS) {
            bench.go_on()?;
            let pos = position(game, open, seed);
            let mut value = None;
            if !given_up && plainly.goes_on() {
                let start = Instant::now();
                match plain(game, &pos, &limit) {
                    Ok(found) => {
                        plainly.add(start.elapsed().as_secs_f64(), found.nodes, 0);
                        value = Some(found.value);
                    }
                    Err(SolveError::Stopped) if !bench.watch.stopped() => given_up = true,
                    Err(error) => return Err(error.into()),
                }
            }
            agree &= measure(bench, &board, &mut *helpful, &pos, &mut took, value)?;
        }
        let plain_cells = match (plainly.seconds.mean(), plainly.nodes.mean()) {
            (Some(seconds), Some(nodes)) => {
                (known, last_measured) = (Some((nodes, seconds)), open);
                [plainly.time(runs), grouped(nodes as u64)]
            }
            _ => {
                // One more open cell is one more move to try at the top: a position has about that many times the lines.
                known = known.map(|(nodes, seconds)| (nodes * open as f64, seconds * open as f64));
                let (nodes, seconds) = known.unwrap_or_default();
                [format!("≈ {} (extrapolated)", duration(seconds)), format!("≈ {nodes:.1e} (extrapolated)")]
            }
        };
        let theirs = match (hours, open) {
            (0.0, _) => "0.00 h".to_string(),
            (hours, 15..) => format!("{hours} h (predicted)"),
            (hours, _) => format!("{hours} h"),
        };
        let mut row = vec![open.to_string(), theirs, plain_cells[0].clone()];
        row.extend(took.iter().map(|took| took.time(runs)));
        row.push("< 0.001 h".into());
        times.row(row);
        let theirs = if gigabytes == 0.0 { "0.00 GB".into() } else { format!("{gigabytes} GB") };
        let mut row = vec![open.to_string(), theirs, format!("{}, stack only", plain_cells[1])];
        row.extend(took.iter().map(Took::size));
        row.push("< 0.001 GB".into());
        sizes.row(row);
        let x = open as f64;
        if hours > 0.0 {
            time_lines[0].points.push(Point::exact(x, hours * 3600.0));
            memory_lines[0].points.push(Point::exact(x, gigabytes * 1e9));
        }
        let plain_point = plainly.seconds.point(x).or(known.map(|(_, seconds)| Point::exact(x, seconds)));
        time_lines[1].points.extend(plain_point);
        for (number, took) in took.iter().enumerate() {
            time_lines[number + 2].points.extend(took.seconds.point(x));
            memory_lines[number + 1].points.extend(took.memory.mean().map(|mean| Point::exact(x, mean)));
        }
        full_board = took;
        bench.watch.advance(1);
    }
    findings.tables = vec![times, sizes];
    let mean = |number: usize| full_board[number].seconds.mean().unwrap_or(f64::MAX);
    findings.remark(format!(
        "The full board: {} by alpha-beta, {} by tables of all {} positions; the paper predicts 607.25 h.",
        full_board[1].time(runs),
        full_board[2].time(runs),
        grouped(full_board[2].nodes.mean().unwrap_or(0.0) as u64),
    ));
    if let Some((nodes, seconds)) = known {
        findings.remark(format!(
            "Plain minimax from the empty board walks {} complete games; at the measured {:.1} million positions a second \
             their ends alone take {}. Measured up to {last_measured} open cells.",
            grouped(COMPLETE_GAMES as u64),
            nodes / seconds / 1e6,
            duration(COMPLETE_GAMES * seconds / nodes)
        ));
    }
    findings.remark("The paper's algorithm does not look to the end: its columns, and `helpful`, are the cost of one move that is guessed. What is compared is therefore a guess with a proof; alpha-beta proves the whole board in less time than a person takes to look.");
    if agree {
        findings.remark("All methods agree on every value.");
    }
    findings.claim(agree, "The methods do not agree: this is an error of the program.");
    let slowest = mean(1).max(mean(2));
    findings.claim(
        slowest < MOST_SECONDS,
        format!("The full board took {}, which is too long for alpha-beta or tables.", duration(slowest)),
    );
    findings.plots = vec![
        figure_9("Figure 9a: time by open cells on 4x4", "time, s", time_lines),
        figure_9("Figure 9b: memory by open cells on 4x4", "memory, bytes", memory_lines),
        figure_10(&costs(bench, 5)?),
    ];
    Ok(findings)
}

fn line(name: &str) -> Series {
    Series { name: name.into(), points: Vec::new() }
}

fn figure_9(title: &str, y: &str, series: Vec<Series>) -> Plot {
    let (title, y) = (title.into(), y.into());
    Plot::Lines(Lines { title, x: "open cells".into(), y, logarithmic: true, series, ..Lines::default() })
}

/// A random unfinished position with so many open cells; the empty board if all are open.
fn position(game: &Mnk<u64>, open: usize, seed: u64) -> <Mnk<u64> as Game>::Position {
    let mut moves = Vec::new();
    // Half-full boards are often finished, and there are many of them: this always ends soon.
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
