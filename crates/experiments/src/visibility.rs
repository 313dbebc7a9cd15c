//! `visibility`: does a deeper search choose better moves?
//!
//! The lecture gives two reasons why it should: deeper leaves are nearer to the end, where evaluations see more
//! (visibility), and a maximum over many opinions filters their errors (filtering). Pearl showed that the second can
//! fail. Here every choice is compared with exact values, on positions in which there is something to get wrong.

use crate::duel::opening;
use crate::plot::{Lines, Plot, Point, Series, share};
use crate::{Bench, Findings, Grid};
use outplay_answer::Trouble;
use outplay_core::{Deadline, Notation};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::collections::HashSet;

/// How far the searches look ahead.
const DEEPEST: u32 = 8;

pub(crate) fn run(bench: &Bench<'_>) -> Result<Findings, Trouble> {
    let boards: &[&str] = if bench.full {
        &["connect4:5x4", "connect4:5x5", "connect4:6x5", "mnk:5x5,k=4"]
    } else {
        &["connect4:5x4", "connect4:5x5"]
    };
    let wanted = bench.games.unwrap_or(if bench.full { 1000 } else { 200 }).max(1);
    let setting = format!(
        "{wanted} different random positions a board with at least one move that throws something away, alphabeta with eval=lines at depths 1 to {DEEPEST}, seed {}",
        bench.seed
    );
    let mut findings =
        Findings::new("visibility", "the lecture on playing and solving games: why look deeper?", setting);
    let mut grid = Grid::new("share of choices that keep the value, with 95 % bounds", &["depth"]);
    grid.columns.extend(boards.iter().map(|board| (*board).to_string()));
    let mut columns: Vec<Vec<String>> = Vec::new();
    let mut series = Vec::new();
    let mut atlas = Grid::new(
        "deeper is worse: positions in which a depth keeps the value and the next one throws it away",
        &["board", "depth", "then", "position", "right", "wrong"],
    );
    let (mut worse, mut better, mut pairs) = (0u64, 0u64, 0u64);
    for board in boards {
        let kit = bench.kit(board)?;
        let truth = kit.truth.clone().ok_or_else(|| Trouble::unable("exact values are needed"))?;
        let mut players: Vec<_> = (1..=DEEPEST)
            .map(|depth| kit.player(&format!("alphabeta:depth={depth},eval=lines")))
            .collect::<Result<_, _>>()?;
        let mut right = vec![0u64; DEEPEST as usize];
        let mut rng = SmallRng::seed_from_u64(bench.seed);
        let (mut seen, mut tried, mut met) = (0u64, 0u64, HashSet::new());
        bench.watch.stage(board, u64::from(wanted));
        let quiet = Deadline::new(None, bench.watch).silent();
        while seen < u64::from(wanted) && tried < 100 * u64::from(wanted) {
            bench.go_on()?;
            tried += 1;
            let Some(pos) = opening(&kit.game, rng.random_range(0..16), rng.random()) else { continue };
            // Short random games often meet.
            if !met.insert(kit.game.write_position(&pos)) {
                continue;
            }
            let Some(merits) = truth.payoffs(&pos, &quiet)? else { continue };
            let best = merits.iter().map(|(_, payoff)| *payoff).fold(f64::MIN, f64::max);
            if merits.iter().all(|(_, payoff)| *payoff == best) {
                continue;
            }
            seen += 1;
            bench.watch.advance(1);
            let mut last: Option<(bool, String)> = None;
            for (place, player) in players.iter_mut().enumerate() {
                player.begin(bench.seed);
                let mv = player.choose(&pos, &quiet)?.mv;
                let good = merits.iter().any(|(other, payoff)| *other == mv && *payoff == best);
                right[place] += u64::from(good);
                let name = kit.game.write_move(&pos, mv);
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
                                kit.game.write_position(&pos),
                                chosen.clone(),
                                name.clone(),
                            ]);
                        }
                    }
                }
                last = Some((good, name));
            }
        }
        let shares: Vec<(f64, (f64, f64))> = right.iter().map(|&good| share(good, seen)).collect();
        columns.push(
            shares
                .iter()
                .map(|(p, (low, high))| {
                    format!("{:.1} % ({:.1} to {:.1})", 100.0 * p, 100.0 * low, 100.0 * high)
                })
                .collect(),
        );
        let point = |(place, (p, (low, high))): (usize, &(f64, (f64, f64)))| Point {
            x: place as f64 + 1.0,
            y: 100.0 * p,
            bounds: Some((100.0 * low, 100.0 * high)),
        };
        series.push(Series { name: (*board).into(), points: shares.iter().enumerate().map(point).collect() });
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
    findings.plots.push(Plot::Lines(Lines {
        title: "Does a deeper search choose better?".into(),
        x: "depth, plies".into(),
        y: "choices that keep the value, %".into(),
        logarithmic: false,
        series,
    }));
    Ok(findings)
}
