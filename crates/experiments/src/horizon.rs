//! `horizon`: the horizon effect (Berliner 1973): how often a fixed-depth search misses that its position is lost, and
//! how much quiescence search helps.

use crate::duel::opening;
use crate::opinion::Opinion;
use crate::plot::{Lines, Series};
use crate::sample::{share_point, share_text};
use crate::{Bench, Findings, Grid};
use outplay_core::{AnyMove, AnyPosition, Content, Game, LineGame, Native, Notation, Turn, Value};
use outplay_games::mnk::{Board, Mnk};
use outplay_players::{MoveValue, PlayerContext};
use outplay_search::{Evaluate, SearchEngine, SearchLimits, SearchOptions, SearchValue};
use outplay_workbench::Trouble;

/// `lines` with its noisy moves: those that complete a line, and those that have to block one.
struct QuiescenceEvaluation<'a> {
    opinion: &'a Opinion,
    me: Turn,
}

impl Evaluate<Mnk<u64>> for QuiescenceEvaluation<'_> {
    const HINTS: bool = true;
    fn score(&self, game: &Mnk<u64>, pos: &Board<u64>) -> i32 {
        let score = self.opinion.score_for(pos, self.me);
        if game.turn(pos) == self.me { score } else { -score }
    }
    fn noisy(&self, game: &Mnk<u64>, pos: &Board<u64>, out: &mut Vec<u8>) {
        let board = game.board(pos);
        let mut moves = Vec::new();
        game.moves(pos, &mut moves);
        let urgent =
            |cell: usize| board.completes(cell, Content::First) || board.completes(cell, Content::Second);
        let cells = board.open_cells();
        out.extend(moves.iter().zip(cells).filter(|(_, cell)| urgent(*cell)).map(|(mv, _)| *mv));
    }
    fn hint(&self, game: &Mnk<u64>, pos: &Board<u64>, mv: u8) -> i32 {
        self.opinion.hint(game, pos, mv)
    }
}

/// The three searches.
const NAMES: [&str; 3] = ["fixed depth", "with quiescence", "wins and blocks in one seen at once"];
/// Runs with different seeds, pooled.
const RUNS: u32 = 3;

/// A fixed-depth search.
struct Search<'a> {
    board: &'a Native<Mnk<u64>>,
    opinion: &'a Opinion,
    bench: &'a Bench<'a>,
}

/// The result of a search.
struct SearchResult {
    /// It reports a certain loss.
    lost: bool,
    score: i32,
    best: Option<AnyMove>,
}

impl Search<'_> {
    fn think(&self, pos: &AnyPosition, depth: u32, quiescence: u32) -> Result<SearchResult, Trouble> {
        let (game, here) = (&self.board.game, self.board.pos(pos));
        let loud = QuiescenceEvaluation { opinion: self.opinion, me: game.turn(here) };
        let options = SearchOptions { quiescence, table: 1 << 14, ..SearchOptions::default() };
        let limits = SearchLimits::depth(depth);
        let report =
            SearchEngine::new(game, options).evaluate(loud).search(here, limits, self.bench.watch)?;
        let (lost, score) = match report.answer {
            SearchValue::Exact(value) => (value.payoff() < 0, -100_000),
            SearchValue::Payoff(payoff) => (payoff < 0, -100_000),
            SearchValue::Unknown { high, score, .. } => (high.payoff() < 0, score.unwrap_or(0)),
        };
        let best = report.best.and_then(|mv| self.board.any_move(pos, mv));
        Ok(SearchResult { lost, score, best })
    }
}

pub(crate) fn run(bench: &Bench<'_>) -> Result<Findings, Trouble> {
    let wanted = bench.games.unwrap_or(if bench.full { 200 } else { 40 }) as usize;
    let mut findings = Findings::new(format!(
        "{wanted} random positions a run of Connect-4 with 18-24 stones that are lost in 6 to 12 plies, {}; leaves judged by `lines`; 95 % bounds",
        bench.seeds_phrase(RUNS)
    ));
    let (board, kit) = bench.board("connect4")?;
    let opinion = Opinion::new(&board, &kit, "lines")?;
    let search = Search { board: &board, opinion: &opinion, bench };
    let lost = lost_positions(bench, &kit, wanted)?;
    let mut grid = Grid::new(
        "share of lost positions in which the search does not see the loss",
        &["depth", NAMES[0], NAMES[1], NAMES[2]],
    );
    let mut fooled = [0u64; 3];
    let mut series = NAMES.map(Series::new);
    for depth in 1..=8 {
        fooled = [0; 3];
        let mut fast = kit.player(&format!("alphabeta:depth={depth},eval=lines"))?;
        for (pos, _) in &lost {
            bench.check_cancelled()?;
            fooled[0] += u64::from(!search.think(pos, depth, 0)?.lost);
            fooled[1] += u64::from(!search.think(pos, depth, 16)?.lost);
            fast.begin(1);
            let opinion = fast.choose(pos, bench.watch)?.finished()?.opinion;
            // A forced move is made without a search and has no evaluation.
            fooled[2] += u64::from(opinion.is_some_and(|opinion| opinion > -100.0));
        }
        let all = lost.len() as u64;
        let mut row = vec![depth.to_string()];
        row.extend(fooled.map(|count| share_text(count, all)));
        grid.row(row);
        for (series, count) in series.iter_mut().zip(fooled) {
            series.points.push(share_point(f64::from(depth), count, all));
        }
    }
    let axes = ["depth, plies", "lost positions not seen to be lost, %"];
    findings.plot(Lines::new("The horizon: losses that are not seen", axes, series));
    findings.tables.push(grid);
    findings.tables.push(example(&kit, &search, &lost)?);
    findings.remark("A search to d plies proves a loss only if it comes within d; before that it plays forcing moves that delay, and thinks that it has escaped. Quiescence follows completions and blocks beyond the horizon, but the player may decline noise, so it corrects opinions more often than it proves losses; seeing wins and blocks in one at every position is worth two plies.");
    findings.claim(
        fooled[1] <= fooled[0],
        "At the greatest depth quiescence should see at least as many losses as a fixed depth does, and saw fewer.",
    );
    Ok(findings)
}

/// Lost positions, `wanted` from each seed.
fn lost_positions(
    bench: &Bench<'_>,
    kit: &PlayerContext,
    wanted: usize,
) -> Result<Vec<(AnyPosition, u32)>, Trouble> {
    let mut all = Vec::new();
    let Some(truth) = kit.truth.clone() else { return Ok(all) };
    for seed in bench.seeds(RUNS) {
        bench.watch.stage("looking for lost positions", wanted as u64);
        let end = all.len() + wanted;
        for number in 0..100_000 {
            bench.check_cancelled()?;
            if all.len() >= end {
                break;
            }
            let plies = 18 + number % 7;
            let Some(pos) =
                opening(&kit.game, plies, seed.wrapping_mul(104_729).wrapping_add(u64::from(number)))
            else {
                continue;
            };
            if let Some(MoveValue::Value(value)) = truth.value(&pos, bench.watch)?
                && value.payoff() < 0
                && let Some(distance @ 6..=12) = value.distance()
            {
                all.push((pos, distance));
                bench.watch.advance(1);
            }
        }
    }
    Ok(all)
}

/// One position, depth by depth: the move, its evaluation, and the exact value.
fn example(kit: &PlayerContext, search: &Search<'_>, lost: &[(AnyPosition, u32)]) -> Result<Grid, Trouble> {
    // The best example is the one fooled longest with a good evaluation.
    let mut chosen: Option<(usize, i32)> = None;
    for (i, (pos, _)) in lost.iter().enumerate() {
        let early = search.think(pos, 3, 0)?.score;
        if chosen.is_none_or(|(_, score)| early > score) {
            chosen = Some((i, early));
        }
    }
    let Some((i, _)) = chosen else { return Ok(Grid::new("no position was found", &["depth"])) };
    let (pos, distance) = &lost[i];
    let title = format!("for example {}, lost in {distance} plies", kit.game.write_position(pos));
    let mut grid =
        Grid::new(title, &["depth", "plays", "thinks", "loses then in", "with quiescence, thinks"]);
    for depth in 1..=*distance {
        let fixed = search.think(pos, depth, 0)?;
        let quiet = search.think(pos, depth, 16)?;
        let thinks = |thought: &SearchResult| match thought.lost {
            true => "lost".to_string(),
            false => format!("{:+}", thought.score),
        };
        let then = match (fixed.best, &kit.truth) {
            (Some(mv), Some(truth)) => {
                let next = kit.game.play(pos, mv);
                match truth.value(&next, search.bench.watch)? {
                    Some(MoveValue::Value(value)) => Some(value.before(false)),
                    _ => None,
                }
            }
            _ => None,
        };
        let plies = then.and_then(Value::distance).map_or(String::new(), |plies| plies.to_string());
        let word = fixed.best.map_or(String::new(), |mv| kit.game.write_move(pos, mv));
        grid.row(vec![depth.to_string(), word, thinks(&fixed), plies, thinks(&quiet)]);
    }
    Ok(grid)
}
