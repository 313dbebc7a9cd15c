//! Strength of the helpfulness heuristic on larger boards (part of `helpful-vs-minimax`), at equal depth and at equal
//! time.
//!
//! The paper (Hayes and Loge) names this as future work. The heuristic takes microseconds and a search any time that it
//! is given, so there are two comparisons: against a search of depth two, and against a search with 1, 10 and 100 times
//! the heuristic's time. Such times are too short for a clock, so they are converted to node limits by a measured rate.

use crate::design::{Purpose, Streams};
use crate::duel::{Score, duel, opening};
use crate::plot::{Lines, Series};
use crate::sample::{Sample, seconds};
use crate::{Bench, Findings, Grid};
use outplay_players::PlayerContext;
use outplay_workbench::Trouble;
use std::time::Instant;

/// Side lengths of the boards, five in a row; the last two for the full setting.
const SIDES: [u32; 6] = [5, 7, 9, 11, 15, 19];
/// Time of the search in multiples of the heuristic's.
const TIMES: [u32; 3] = [1, 10, 100];
/// Random plies before the first decision.
const PLIES: u32 = 4;

pub(crate) fn run(bench: &Bench<'_>, findings: &mut Findings) -> Result<(), Trouble> {
    let sides = &SIDES[..if bench.full { 6 } else { 4 }];
    let games = bench.games.unwrap_or(if bench.full { 200 } else { 60 }).max(2) / 2;
    let mut grid = Grid::new(
        "larger boards, k=5: score of helpful, half of the games as first player",
        &["board", "a move of helpful takes", "positions a search enters in that time"],
    );
    let names = ["two plies, lines", "two plies, patterns"].map(String::from).into_iter();
    let names: Vec<String> =
        names.chain(TIMES.map(|times| format!("{times} times as much time, lines"))).collect();
    grid.columns.extend(names.iter().map(|name| format!("against {name}")));
    let mut series: Vec<Series> = names.iter().map(|name| Series::new(format!("against {name}"))).collect();
    for &side in sides {
        let kit = bench.kit(&format!("mnk:{side}x{side},k=5"))?;
        bench.watch.stage(&format!("{side}x{side}"), names.len() as u64);
        let took = time_of_a_move(bench, &kit)?;
        let mean = took.median().unwrap_or(1e-6);
        let nodes = rate(bench, &kit)? * mean;
        let mut opponents =
            ["lines", "patterns"].map(|eval| format!("alphabeta:depth=2,eval={eval}")).to_vec();
        opponents.extend(TIMES.map(|times| {
            format!("alphabeta:nodes={},eval=lines", (nodes * f64::from(times)).max(1.0) as u64)
        }));
        let mut row = vec![format!("{side}x{side}"), took.text(seconds), format!("{nodes:.0}")];
        for (opponent, series) in opponents.iter().zip(&mut series) {
            let score = meet(bench, &kit, opponent, games)?;
            series.points.push(score.point(f64::from(side)));
            row.push(format!("{}, {}", score.text(), score.percent()));
            bench.watch.advance(1);
        }
        grid.row(row);
    }
    findings.tables.push(grid);
    let axes = ["side of the board, cells", "score of helpful, %"];
    findings.plot(Lines::new("The heuristic on larger boards, five in a row", axes, series));
    Ok(())
}

/// Time per move of the heuristic, at positions from games.
fn time_of_a_move(bench: &Bench<'_>, kit: &PlayerContext) -> Result<Sample, Trouble> {
    let mut helpful = kit.player("helpful")?;
    let mut took = Sample::default();
    for number in 0..40 {
        let streams = Streams::new(bench.seed).part(number);
        let Some(pos) = opening(&kit.game, PLIES + number as u32 % 8, streams.seed(Purpose::Positions))
        else {
            continue;
        };
        helpful.begin(streams.seed(Purpose::First));
        // Fills the lazily cached list of moves.
        kit.game.list(&pos).count();
        let began = Instant::now();
        helpful.choose(&pos, bench.watch)?;
        took.add(began.elapsed().as_secs_f64());
    }
    Ok(took)
}

/// Nodes per second of the search.
fn rate(bench: &Bench<'_>, kit: &PlayerContext) -> Result<f64, Trouble> {
    let mut player = kit.player("alphabeta:nodes=3000,eval=lines")?;
    let (mut nodes, mut seconds) = (0.0, 0.0);
    for number in 0..10 {
        let streams = Streams::new(bench.seed).part(number);
        let Some(pos) = opening(&kit.game, PLIES, streams.seed(Purpose::Positions)) else { continue };
        player.begin(streams.seed(Purpose::First));
        let began = Instant::now();
        nodes += player.choose(&pos, bench.watch)?.finished()?.nodes as f64;
        seconds += began.elapsed().as_secs_f64();
    }
    Ok(nodes / seconds.max(1e-9))
}

/// Plays both colours from a number of openings.
fn meet(bench: &Bench<'_>, kit: &PlayerContext, opponent: &str, openings: u32) -> Result<Score, Trouble> {
    let (mut helpful, mut other) = (kit.player("helpful")?, kit.player(opponent)?);
    let mut score = Score::default();
    for streams in bench.streams(1, openings) {
        let Some(from) = opening(&kit.game, PLIES, streams.seed(Purpose::Opening)) else { continue };
        score.add_pair([
            duel(&kit.game, [&mut *helpful, &mut *other], &from, streams, bench.watch)?,
            -duel(&kit.game, [&mut *other, &mut *helpful], &from, streams, bench.watch)?,
        ]);
    }
    Ok(score)
}
