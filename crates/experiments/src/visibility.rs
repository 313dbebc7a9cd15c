//! `visibility`: does a deeper search choose better moves?
//!
//! The lecture gives two reasons why it should: deeper leaves are nearer to the end, where evaluations see more
//! (visibility), and a maximum over many opinions filters their errors (filtering, an experiment of its own). Here every
//! choice is compared with exact values, on positions in which there is something to get wrong.

use crate::lesson::{Lesson, lessons};
use crate::plot::{Lines, Plot, Series};
use crate::sample::{Sample, percent, percent_point, share_point, share_text};
use crate::{Bench, Findings, Grid};
use outplay_answer::Trouble;
use outplay_core::{Deadline, Game, Notation};
use outplay_players::{Judge, Kit};

/// How far the searches look ahead.
const DEEPEST: u32 = 8;

/// Random plies before a position, fewer than this.
const PLIES: u32 = 16;
/// Stones that are counted together.
const BUCKET: u32 = 4;

/// Runs from seeds of their own, pooled.
const RUNS: u32 = 1;

pub(crate) fn run(bench: &Bench<'_>) -> Result<Findings, Trouble> {
    let boards: &[&str] = match (bench.full, bench.games) {
        (true, _) => &["connect4:5x4", "connect4:5x5", "connect4:6x5", "mnk:5x5,k=4"],
        // So few positions decide nothing.
        (false, Some(0..20)) => &["connect4:5x4"],
        (false, _) => &["connect4:5x4", "connect4:5x5", "connect4:6x5"],
    };
    let wanted = bench.games.unwrap_or(if bench.full { 1000 } else { 200 }).max(1);
    let mut findings = Findings::new(format!(
        "{wanted} different random positions a board and run with at least one move that throws something away, alphabeta with eval=lines at depths 1 to {DEEPEST}, {}",
        bench.told_seeds(RUNS)
    ));
    let mut grid = Grid::new("share of choices that keep the value, with 95 % bounds", &["depth"]);
    grid.columns.extend(boards.iter().map(|board| (*board).to_string()));
    let mut columns: Vec<Vec<String>> = Vec::new();
    let mut series = Vec::new();
    let mut atlas = Grid::new(
        "deeper is worse: positions in which a depth keeps the value and the next one throws it away",
        &["board", "depth", "then", "position", "right", "wrong"],
    );
    let (mut worse, mut better, mut pairs) = (0u64, 0u64, 0u64);
    let mut sight: Vec<Series> = Vec::new();
    let mut by_stones = Grid::new(
        "how often the evaluation alone puts a right move above a wrong one, by stones on the board (95 % bounds)",
        &["board", "stones", "positions", "in the right order"],
    );
    for board in boards {
        let kit = bench.kit(board)?;
        let judge = kit.judge("lines")?;
        let mut players: Vec<_> = (1..=DEEPEST)
            .map(|depth| kit.player(&format!("alphabeta:depth={depth},eval=lines")))
            .collect::<Result<_, _>>()?;
        let (mut right, mut seen) = (vec![0u64; DEEPEST as usize], 0u64);
        let mut ordered: Vec<Sample> = vec![Sample::default(); PLIES.div_ceil(BUCKET) as usize];
        let quiet = Deadline::new(None, bench.watch).silent();
        for seed in bench.seeds(RUNS) {
            bench.watch.stage(board, u64::from(wanted));
            for lesson in lessons(bench, &kit, seed, wanted, 0..PLIES)? {
                bench.go_on()?;
                let pos = &lesson.pos;
                seen += 1;
                bench.watch.advance(1);
                let stones = kit.game.board(pos).map_or(0, |board| board.stones());
                if let Some(share) = order(&kit, &*judge, &lesson) {
                    ordered[stones / BUCKET as usize].add(100.0 * share);
                }
                let mut last: Option<(bool, String)> = None;
                for (place, player) in players.iter_mut().enumerate() {
                    player.begin(seed);
                    let mv = player.choose(pos, &quiet)?.mv;
                    let good = lesson.keeps(mv);
                    right[place] += u64::from(good);
                    let name = kit.game.write_move(pos, mv);
                    if let Some((before, chosen)) = &last {
                        pairs += 1;
                        better += u64::from(!before && good);
                        if *before && !good {
                            worse += 1;
                            if atlas.rows.len() < 20 {
                                let place = place as u32;
                                atlas.row(vec![
                                    (*board).into(),
                                    place.to_string(),
                                    (place + 1).to_string(),
                                    kit.game.write_position(pos),
                                    chosen.clone(),
                                    name.clone(),
                                ]);
                            }
                        }
                    }
                    last = Some((good, name));
                }
            }
        }
        columns.push(right.iter().map(|&good| share_text(good, seen)).collect());
        let points = right.iter().zip(1..).map(|(&good, depth)| share_point(f64::from(depth), good, seen));
        series.push(Series { name: (*board).into(), points: points.collect() });
        let mut line = Series { name: (*board).into(), points: Vec::new() };
        for (bucket, sample) in ordered.iter().enumerate().filter(|(_, sample)| sample.len() > 1) {
            let from = bucket as u32 * BUCKET;
            by_stones.row(vec![
                (*board).into(),
                format!("{from} to {}", from + BUCKET - 1),
                sample.len().to_string(),
                sample.text(percent),
            ]);
            line.points.extend(percent_point(sample, f64::from(from) + f64::from(BUCKET - 1) / 2.0));
        }
        sight.push(line);
    }
    for depth in 0..DEEPEST as usize {
        let mut row = vec![(depth + 1).to_string()];
        row.extend(columns.iter().map(|column| column[depth].clone()));
        grid.row(row);
    }
    findings.tables.push(grid);
    findings.remark(format!(
        "One ply more turned a wrong choice into a right one {better} times and a right one into a wrong one {worse} times, of {pairs} steps: looking deeper {}."
    , if better > worse { "helps on the whole, and not always" } else { "does not help on the whole" }));
    if !atlas.rows.is_empty() {
        findings.tables.push(atlas);
    }
    if !by_stones.rows.is_empty() {
        findings.tables.push(by_stones);
    }
    findings.plots.push(Plot::Lines(Lines {
        title: "Does a deeper search choose better?".into(),
        x: "depth, plies".into(),
        y: "choices that keep the value, %".into(),
        series,
        ..Lines::default()
    }));
    findings.plots.push(Plot::Lines(Lines {
        title: "Does the evaluation see more near the end?".into(),
        x: "stones on the board".into(),
        y: "right above wrong move, %".into(),
        series: sight,
        ..Lines::default()
    }));
    Ok(findings)
}

/// How often the evaluation puts a right move above a wrong one; equals count half. Moves that end the game are judged by
/// the rules and left out; `None` if nothing is left.
fn order(kit: &Kit, judge: &dyn Judge, lesson: &Lesson) -> Option<f64> {
    let me = kit.game.turn(&lesson.pos);
    let scores: Vec<(bool, i32)> = lesson
        .moves
        .iter()
        .map(|(mv, payoff)| (*payoff == lesson.best, kit.game.play(&lesson.pos, *mv)))
        .filter(|(_, next)| kit.game.outcome(next).is_none())
        .map(|(right, next)| (right, judge.score(&next, me)))
        .collect();
    let (mut sum, mut pairs) = (0.0, 0.0);
    for (_, good) in scores.iter().filter(|(right, _)| *right) {
        for (_, bad) in scores.iter().filter(|(right, _)| !*right) {
            pairs += 1.0;
            sum += if good > bad {
                1.0
            } else if good == bad {
                0.5
            } else {
                0.0
            };
        }
    }
    (pairs > 0.0).then(|| sum / pairs)
}
