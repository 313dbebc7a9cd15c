//! `horizon`: a search to a fixed depth is fooled by moves that only delay; what helps against it.

use super::duel::opening;
use super::{Bench, Findings, Grid};
use crate::ArenaError;
use outplay_core::{Content, Game, LineBoard, Notation, Turn, Value};
use outplay_games::mnk::{Board, Mnk};
use outplay_players::{Judge, Kit, Merit, PlayError};
use outplay_search::{Answer, Engine, Evaluate, Limits, Options};
use std::sync::Arc;

/// `lines` with its loud moves: those that complete a line, and those that have to stop one.
struct Loud {
    judge: Arc<dyn Judge<Mnk<u64>>>,
    board: fn(&Mnk<u64>, &Board<u64>) -> LineBoard,
    me: Turn,
}

impl Evaluate<Mnk<u64>> for Loud {
    const HINTS: bool = true;
    fn score(&self, game: &Mnk<u64>, pos: &Board<u64>) -> i32 {
        let score = self.judge.score(pos, self.me);
        if game.turn(pos) == self.me { score } else { -score }
    }
    fn noisy(&self, game: &Mnk<u64>, pos: &Board<u64>, out: &mut Vec<u8>) {
        let board = (self.board)(game, pos);
        let mut moves = Vec::new();
        game.moves(pos, &mut moves);
        let urgent =
            |cell: usize| board.completes(cell, Content::First) || board.completes(cell, Content::Second);
        let cells = board.open_cells();
        out.extend(moves.iter().zip(cells).filter(|(_, cell)| urgent(*cell)).map(|(mv, _)| *mv));
    }
    fn hint(&self, _game: &Mnk<u64>, pos: &Board<u64>, mv: u8) -> i32 {
        self.judge.hint(pos, mv)
    }
}

/// What a search to a depth thinks: whether it knows that all is lost.
fn sees_loss(
    kit: &Kit<Mnk<u64>>,
    judge: &Arc<dyn Judge<Mnk<u64>>>,
    pos: &Board<u64>,
    depth: u32,
    quiescence: u32,
    bench: &Bench<'_>,
) -> Result<(bool, i32, Option<u8>), ArenaError> {
    let Some(board) = kit.board else { return Ok((false, 0, None)) };
    let loud = Loud { judge: judge.clone(), board, me: kit.game.turn(pos) };
    let options = Options { quiescence, table: 1 << 14, ..Options::default() };
    let report = Engine::new(&kit.game, options)
        .evaluate(loud)
        .search(pos, Limits::depth(depth), bench.watch)
        .map_err(PlayError::from)?;
    Ok(match report.answer {
        Answer::Exact(value) => (value.payoff() < 0, -100_000, report.best),
        Answer::Payoff(payoff) => (payoff < 0, -100_000, report.best),
        Answer::Unknown { high, score, .. } => (high.payoff() < 0, score.unwrap_or(0), report.best),
    })
}

pub(super) fn run(bench: &Bench<'_>) -> Result<Findings, ArenaError> {
    let wanted = bench.games.unwrap_or(if bench.full { 200 } else { 40 }) as usize;
    let setting = format!(
        "{wanted} random positions of Connect-4 with 18-24 stones that are lost in 6 to 12 plies, seed {}; leaves judged by `lines`",
        bench.seed
    );
    let mut findings = Findings::new("horizon", "the lecture's horizon effect", setting);
    let kit = bench.lab.board("connect4")?;
    let judge = kit.judge("lines")?;
    let Some(truth) = kit.truth.clone() else { return Ok(findings) };
    bench.watch.stage("looking for lost positions", wanted as u64);
    let mut lost: Vec<(Board<u64>, u32)> = Vec::new();
    for number in 0..100_000 {
        bench.go_on()?;
        if lost.len() >= wanted {
            break;
        }
        let plies = 18 + number % 7;
        let Some(pos) = opening(&kit.game, plies, bench.seed.wrapping_mul(104_729) + u64::from(number))
        else {
            continue;
        };
        if let Some(Merit::Value(value)) = truth.value(&pos, bench.watch)?
            && value.payoff() < 0
            && let Some(distance @ 6..=12) = value.distance()
        {
            lost.push((pos, distance));
            bench.watch.advance(1);
        }
    }
    let mut grid = Grid::new(
        "share of lost positions in which the search does not see the loss",
        &["depth", "fixed depth", "with quiescence", "wins and blocks in one seen at once"],
    );
    let mut share = [0.0; 3];
    for depth in 1..=8 {
        let mut fooled = [0u32; 3];
        let mut fast = kit.player(&format!("alphabeta:depth={depth},eval=lines"))?;
        for (pos, _) in &lost {
            bench.go_on()?;
            fooled[0] += u32::from(!sees_loss(&kit, &judge, pos, depth, 0, bench)?.0);
            fooled[1] += u32::from(!sees_loss(&kit, &judge, pos, depth, 16, bench)?.0);
            fast.begin(1);
            let opinion = fast.choose(pos, bench.watch)?.opinion;
            // A forced move is made without a search and says nothing.
            fooled[2] += u32::from(opinion.is_some_and(|opinion| opinion > -100.0));
        }
        share = fooled.map(|count| f64::from(count) / lost.len().max(1) as f64);
        let cell = |share: f64| format!("{:.0} %", 100.0 * share);
        grid.row(vec![depth.to_string(), cell(share[0]), cell(share[1]), cell(share[2])]);
    }
    findings.tables.push(grid);
    findings.tables.push(example(&kit, &judge, &lost, bench)?);
    findings.remark("A search to d plies proves a loss only if it comes within d; before that it plays forcing moves that delay, and thinks that it has escaped. Quiescence follows completions and blocks beyond the horizon, but the player may decline noise, so it corrects opinions more often than it proves losses; seeing wins and blocks in one at every position is worth two plies.");
    findings.holds = Some(share[1] <= share[0]);
    Ok(findings)
}

/// One position, depth by depth: what the search plays, what it thinks, and what is true.
fn example(
    kit: &Kit<Mnk<u64>>,
    judge: &Arc<dyn Judge<Mnk<u64>>>,
    lost: &[(Board<u64>, u32)],
    bench: &Bench<'_>,
) -> Result<Grid, ArenaError> {
    // The best example is fooled longest while it thinks that it stands well.
    let mut chosen: Option<(usize, i32)> = None;
    for (i, (pos, _)) in lost.iter().enumerate() {
        let (_, early, _) = sees_loss(kit, judge, pos, 3, 0, bench)?;
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
        let (seen, score, mv) = sees_loss(kit, judge, pos, depth, 0, bench)?;
        let (quiet_seen, quiet_score, _) = sees_loss(kit, judge, pos, depth, 16, bench)?;
        let thinks = |seen: bool, score: i32| if seen { "lost".to_string() } else { format!("{score:+}") };
        let then = match (mv, &kit.truth) {
            (Some(mv), Some(truth)) => {
                let next = kit.game.play(pos, mv);
                match truth.value(&next, bench.watch)? {
                    Some(Merit::Value(value)) => Some(value.before(false)),
                    _ => None,
                }
            }
            _ => None,
        };
        let plies = then.and_then(Value::distance).map_or(String::new(), |plies| plies.to_string());
        let word = mv.map_or(String::new(), |mv| kit.game.write_move(pos, mv));
        grid.row(vec![depth.to_string(), word, thinks(seen, score), plies, thinks(quiet_seen, quiet_score)]);
    }
    Ok(grid)
}
