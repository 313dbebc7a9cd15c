//! `minimax-cost`: what full search costs on 4x4 boards, by the number of open cells.
//!
//! The paper fills a part of the board and lets minimax look to the end. Here random unfinished positions with as
//! many stones are searched by plain minimax, minimax that remembers, alpha-beta with a table, and tables of
//! every position that follows. Plain minimax is given up when its time is spent; what it would have taken beyond
//! is extrapolated, and says so.

use crate::{Bench, Findings, Grid};
use outplay_answer::Trouble;
use outplay_arena::seed::part;
use outplay_core::figures::{bytes, duration, grouped};
use outplay_core::{Deadline, Game, Notation, Quiet, Turn, Value};
use outplay_games::mnk::Mnk;
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

/// What the full board may take by alpha-beta or by tables.
const MOST_SECONDS: f64 = 60.0;

pub(crate) fn run(bench: &Bench<'_>) -> Result<Findings, Trouble> {
    let (board, _) = bench.board("mnk:4x4,k=4")?;
    let game = &board.game;
    let budget = if bench.full { PATIENT } else { CURIOUS };
    let mut findings = Findings::new(
        "minimax-cost",
        "Hayes and Loge, Developing a Memory Efficient Algorithm for Playing m,n,k Games, table 1",
        format!(
            "mnk:4x4,k=4, one random unfinished position per row, seed {}, {budget} s for plain minimax",
            bench.seed
        ),
    );
    let mut times = Grid::new(
        "time to look to the end",
        &["open cells", "theirs", "plain minimax", "memo", "alpha-beta", "tables"],
    );
    let mut sizes = Grid::new(
        "positions entered, and memory",
        &["open cells", "theirs", "plain minimax", "memo", "alpha-beta", "tables"],
    );
    // All rows together.
    let limit = Deadline::new(Some(Duration::from_secs_f64(budget)), bench.watch).silent();
    // Nodes and seconds of the last plain search that came to its end.
    let mut known: Option<(f64, f64)> = None;
    let (mut given_up, mut full_board, mut agree) = (false, String::new(), true);
    // Seconds that the full board took by the slower of alpha-beta and tables.
    let mut slowest = 0.0f64;
    bench.watch.stage("open cells", THEIRS.len() as u64);
    for (open, hours, gigabytes) in THEIRS {
        bench.go_on()?;
        let pos = position(game, open, bench.seed);
        let mut value: Option<Value> = None;
        let mut check =
            |found: Value| agree &= value.replace(found).is_none_or(|known| known.cmp(&found).is_eq());

        let mut plain_cells = [String::new(), String::new()];
        if !given_up {
            let start = Instant::now();
            match plain(game, &pos, &limit) {
                Ok(found) => {
                    let seconds = start.elapsed().as_secs_f64();
                    known = Some((found.nodes as f64, seconds));
                    plain_cells = [duration(seconds), grouped(found.nodes)];
                    check(found.value);
                }
                Err(SolveError::Stopped) if !bench.watch.stopped() => given_up = true,
                Err(error) => return Err(error.into()),
            }
        }
        if given_up && let Some((nodes, seconds)) = known {
            // One more open cell is one more move to try at the top: a position has about that many times the lines.
            let next = (nodes * open as f64, seconds * open as f64);
            known = Some(next);
            plain_cells = [
                format!("≈ {} (extrapolated)", duration(next.1)),
                format!("≈ {:.1e} (extrapolated)", next.0),
            ];
        }

        let start = Instant::now();
        let found =
            memo(game, &pos, u64::MAX, &Deadline::new(Some(Duration::from_secs(600)), bench.watch).silent())?;
        let memo_seconds = start.elapsed().as_secs_f64();
        check(found.found().value);
        let memo_nodes = found.found().nodes;
        let remembered = (size_of::<<Mnk<u64> as Game>::Position>() + size_of::<Value>() + 1) as u64;
        drop(found);

        let options = Options { table: 1 << 18, symmetry: true, ..Options::default() };
        let start = Instant::now();
        let report = Engine::new(game, options).search(&pos, Limits::NONE, &Quiet)?;
        let search_seconds = start.elapsed().as_secs_f64();
        if let Answer::Exact(exact) = report.answer {
            check(exact);
        }
        let table_bytes = (options.table * Engine::<'_, Mnk<u64>>::entry_bytes()) as u64;

        let tables = bench.tables(&preset(game, &pos))?;
        if let (Some(exact), Some(value)) = (tables.value, value) {
            agree &= exact.payoff() == value.payoff();
        }
        let tables_seconds = tables.seconds;
        let theirs = match (hours, open) {
            (0.0, _) => "0.00 h".to_string(),
            (hours, 15..) => format!("{hours} h (predicted)"),
            (hours, _) => format!("{hours} h"),
        };
        times.row(vec![
            open.to_string(),
            theirs,
            plain_cells[0].clone(),
            duration(memo_seconds),
            duration(search_seconds),
            duration(tables_seconds),
        ]);
        sizes.row(vec![
            open.to_string(),
            if gigabytes == 0.0 { "0.00 GB".into() } else { format!("{gigabytes} GB") },
            format!("{}, stack only", plain_cells[1]),
            format!("{}, {}", grouped(memo_nodes), bytes(memo_nodes * remembered)),
            format!("{}, {}", grouped(report.counts.nodes), bytes(table_bytes)),
            format!(
                "{}, {}",
                tables.positions.map_or("?".into(), grouped),
                tables.bytes.map_or("?".into(), bytes)
            ),
        ]);
        if open == 16 {
            full_board = format!(
                "The full board: {} by alpha-beta, {} by tables of all {} positions; the paper predicts {hours} h.",
                duration(search_seconds),
                duration(tables_seconds),
                tables.positions.map_or("?".into(), grouped),
            );
            slowest = search_seconds.max(tables_seconds);
        }
        bench.watch.advance(1);
    }
    findings.tables = vec![times, sizes];
    findings.remark(full_board);
    if let Some((nodes, seconds)) = known {
        findings.remark(format!(
            "Plain minimax from the empty board walks {} complete games; at the measured {:.1} million positions a second \
             their ends alone take {}.",
            grouped(COMPLETE_GAMES as u64),
            nodes / seconds / 1e6,
            duration(COMPLETE_GAMES * seconds / nodes)
        ));
    }
    if agree {
        findings.remark("All methods agree on every value.");
    }
    findings.claim(agree, "The methods do not agree: this is an error of the program.");
    findings.claim(
        slowest < MOST_SECONDS,
        format!("The full board took {}, which is too long for alpha-beta or tables.", duration(slowest)),
    );
    Ok(findings)
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
