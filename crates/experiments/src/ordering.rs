//! Move ordering and a persistent transposition table (part of `connect4-ga`): the future work of the Connect-4 report.
//!
//! Whole games are replayed move by move. Each search variant searches the same positions to the same depth, and their
//! nodes and times are compared.

use crate::duel::opening;
use crate::opinion::Opinion;
use crate::sample::{Sample, seconds};
use crate::{Bench, Findings, Grid};
use outplay_core::figures::grouped;
use outplay_core::{Game, Turn};
use outplay_games::mnk::Mnk;
use outplay_search::{EngineMemory, SearchEngine, SearchLimits, SearchMethod, SearchOptions, SearchValue};
use outplay_workbench::Trouble;
use std::time::Instant;

/// A search variant.
struct SearchVariant {
    name: &'static str,
    centre: bool,
    table: bool,
    kept: bool,
}

const WAYS: [SearchVariant; 6] = [
    SearchVariant { name: "columns from the left (the report)", centre: false, table: false, kept: false },
    SearchVariant { name: "centre first", centre: true, table: false, kept: false },
    SearchVariant { name: "a table for each move", centre: false, table: true, kept: false },
    SearchVariant { name: "a table kept between turns", centre: false, table: true, kept: true },
    SearchVariant { name: "centre first, a table for each move", centre: true, table: true, kept: false },
    SearchVariant { name: "centre first, a table kept between turns", centre: true, table: true, kept: true },
];

/// Number of replayed games.
const GAMES: u32 = 20;

pub(crate) fn run(bench: &Bench<'_>, depth: u32, findings: &mut Findings) -> Result<(), Trouble> {
    let (board, kit) = bench.board("connect4")?;
    let opinion = Opinion::new(&board, &kit, "lines:weights=paper")?;
    let games = bench.games.unwrap_or(GAMES).clamp(1, GAMES);
    let mut grid = Grid::new(
        format!(
            "his future work: what a search to depth {depth} costs a move, {games} games, both sides by the report's bot"
        ),
        &["moves are tried", "positions a move", "time a move", "times fewer positions", "times faster"],
    );
    bench.watch.stage("orders of moves", u64::from(games));
    let mut nodes: [Sample; WAYS.len()] = Default::default();
    let mut times: [Sample; WAYS.len()] = Default::default();
    let mut agree = true;
    for number in 0..games {
        bench.check_cancelled()?;
        let seed = bench.seed.wrapping_mul(7_368_787).wrapping_add(u64::from(number));
        let Some(from) = opening(&kit.game, 4, seed) else { continue };
        let mut pos = *board.pos(&from);
        // Each side keeps its own table.
        let mut memories: Vec<[Option<EngineMemory<Mnk<u64>>>; 2]> =
            WAYS.iter().map(|_| [None, None]).collect();
        let (mut entered, mut spent, mut moves) = ([0.0; WAYS.len()], [0.0; WAYS.len()], 0.0);
        while board.game.outcome(&pos).is_none() {
            bench.check_cancelled()?;
            let seat = usize::from(board.game.turn(&pos) == Turn::Second);
            let (mut best, mut score) = (None, None);
            for (place, way) in WAYS.iter().enumerate() {
                let options = SearchOptions {
                    table: if way.table { 1 << 16 } else { 0 },
                    hash_move: way.table,
                    hints: way.centre,
                    // Exactly to the requested depth, so that all variants have the same answer.
                    deeper: false,
                    ..SearchOptions::bare(SearchMethod::AlphaBeta)
                };
                let memory = memories[place][seat].take().filter(|_| way.kept);
                let engine = SearchEngine::new(&board.game, options).evaluate(&opinion);
                let began = Instant::now();
                let mut engine = match memory {
                    Some(memory) => engine.resume(memory),
                    None => engine,
                };
                let report = engine.search(&pos, SearchLimits::depth(depth), bench.watch)?;
                spent[place] += began.elapsed().as_secs_f64();
                entered[place] += report.counts.nodes as f64;
                let found = match report.answer {
                    SearchValue::Unknown { score, .. } => score.unwrap_or(0),
                    SearchValue::Exact(value) => value.payoff() * 1_000_000,
                    SearchValue::Payoff(payoff) => payoff * 1_000_000,
                };
                agree &= *score.get_or_insert(found) == found;
                best = best.or(report.best);
                memories[place][seat] = Some(engine.keep());
            }
            moves += 1.0;
            let Some(mv) = best else { break };
            pos = board.game.play(&pos, mv);
        }
        for place in 0..WAYS.len() {
            nodes[place].add(entered[place] / f64::max(moves, 1.0));
            times[place].add(spent[place] / f64::max(moves, 1.0));
        }
        bench.watch.advance(1);
    }
    let ratio = |samples: &[Sample], place: usize| {
        samples[0].mean().unwrap_or(0.0) / samples[place].mean().unwrap_or(f64::MAX)
    };
    for (place, way) in WAYS.iter().enumerate() {
        grid.row(vec![
            way.name.into(),
            nodes[place].text(|count| grouped(count.max(0.0) as u64)),
            times[place].text(seconds),
            format!("{:.1}", ratio(&nodes, place)),
            format!("{:.1}", ratio(&times, place)),
        ]);
    }
    findings.tables.push(grid);
    findings.remark(format!(
        "His future work: trying the centre first saves a factor of {:.1} in positions, a table {:.1}, a table kept between turns {:.1}, centre and kept table together {:.1}.",
        ratio(&nodes, 1),
        ratio(&nodes, 2),
        ratio(&nodes, 3),
        ratio(&nodes, 5)
    ));
    findings.claim(
        ratio(&nodes, 1) > 1.0,
        "Trying the centre first should save positions, as the report expects, and did not.",
    );
    if !agree {
        findings.remark("A kept table remembers deeper looks at some positions, so that it judges a few of them otherwise.");
    }
    Ok(())
}
