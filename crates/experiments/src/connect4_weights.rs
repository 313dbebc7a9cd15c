//! Ablation of the Connect-4 report's weights: many seeds of its algorithm, and its conclusions one by one.

use crate::plot::{Lines, Plot, Point, Series};
use crate::sample::Sample;
use crate::{Bench, Findings, Grid};
use outplay_arena::matches::{self, MatchRequest};
use outplay_arena::standings::PlayerRow;
use outplay_arena::tune::{self, TuneRequest, searcher};
use outplay_core::Game;
use outplay_players::PlayerContext;
use outplay_workbench::Trouble;

/// The report's weights: centre, fours, threes, twos, block.
const PAPER: [u32; 5] = [3, 100, 1, 8, 29];

/// Ablations: the change, the weights without one conclusion, and the claim that is tested.
const ABLATIONS: [(&str, [u32; 5], &str); 8] = [
    ("threes and block swapped", [3, 100, 29, 8, 1], "defence far above offence"),
    ("block=1, as much as threes", [3, 100, 1, 8, 1], "defence far above offence"),
    ("block=0", [3, 100, 1, 8, 0], "defence far above offence"),
    ("threes=29, as much as block", [3, 100, 29, 8, 29], "defence far above offence"),
    ("threes and twos swapped", [3, 100, 8, 1, 29], "twos above threes"),
    ("threes=8, as much as twos", [3, 100, 8, 8, 29], "twos above threes"),
    ("twos=0", [3, 100, 1, 0, 29], "twos matter"),
    ("centre=0", [0, 100, 1, 8, 29], "the centre counts for little"),
];

/// Random opening plies of games between bots, which would otherwise all be the same.
const OPENING: u32 = 4;
/// Games per ablation.
const GAMES: u64 = 1000;
/// Games of each seed's bot against the report's.
const SEED_GAMES: u64 = 400;
/// Seeds of the genetic algorithm.
const SEEDS: u32 = 8;

fn spec(weights: &[u32; 5]) -> String {
    let [centre, fours, threes, twos, block] = weights;
    format!("lines:centre={centre},fours={fours},threes={threes},twos={twos},block={block}")
}

/// A match between two bots, from the first one's view.
fn meet(
    bench: &Bench<'_>,
    kit: &PlayerContext,
    bots: [String; 2],
    games: u64,
    seed: u64,
) -> Result<PlayerRow, Trouble> {
    let mut request = MatchRequest::default();
    request.players = bots.to_vec();
    (request.games, request.openings) = (games, Some(OPENING));
    (request.seed, request.concurrency) = (seed, bench.session.threads);
    let start = kit.game.start().ok_or_else(Trouble::stopped)?;
    let report = matches::run(kit, &start, None, &request, bench.watch)?;
    bench.check_cancelled()?;
    Ok(report.standings.players[0].clone())
}

fn elo_text(row: &PlayerRow) -> String {
    let end = |end: Option<f64>| end.map_or("…".to_string(), |elo| format!("{elo:+.0}"));
    format!("{:+.0} ({} to {})", row.strength.elo, end(row.strength.low), end(row.strength.high))
}

fn point(x: f64, row: &PlayerRow) -> Point {
    let bounds = row.strength.low.zip(row.strength.high);
    Point { x, y: row.strength.elo, bounds }
}

/// The verdict of a match on the first player: better, worse, or undecided.
fn verdict(row: &PlayerRow) -> &'static str {
    match (row.strength.low, row.strength.high) {
        (Some(low), _) if low > 0.0 => "better",
        (_, Some(high)) if high < 0.0 => "worse",
        _ => "not told apart",
    }
}

/// Removes one conclusion at a time and measures the cost.
pub(crate) fn ablation(
    bench: &Bench<'_>,
    kit: &PlayerContext,
    depth: u32,
    findings: &mut Findings,
) -> Result<(), Trouble> {
    let games = bench.games.map_or(if bench.full { 10 * GAMES } else { GAMES }, u64::from).max(2);
    let mut grid = Grid::new(
        format!("conclusions taken away, {games} games each against the report's weights, depth {depth}"),
        &[
            "change",
            "centre fours threes twos block",
            "claim",
            "won",
            "drawn",
            "lost",
            "Elo of the change, 95 %",
            "is",
        ],
    );
    let mut series = Series { name: "changed weights against the report's".into(), points: Vec::new() };
    let (mut defence, mut twos) = (Vec::new(), Vec::new());
    for (number, (change, weights, claim)) in ABLATIONS.iter().enumerate() {
        let bots = [searcher(depth, &spec(weights)), searcher(depth, &spec(&PAPER))];
        let row = meet(bench, kit, bots, games, bench.seed + 100 + number as u64)?;
        grid.row(vec![
            (*change).into(),
            weights.map(|weight| weight.to_string()).join(" "),
            (*claim).into(),
            row.tally.wins.to_string(),
            row.tally.draws.to_string(),
            row.tally.losses.to_string(),
            elo_text(&row),
            verdict(&row).into(),
        ]);
        series.points.push(point(number as f64 + 1.0, &row));
        match *claim {
            "defence far above offence" => defence.push(verdict(&row)),
            "the centre counts for little" => {}
            _ => twos.push(verdict(&row)),
        }
    }
    let worse = |of: &[&str]| of.iter().filter(|verdict| **verdict == "worse").count();
    findings.remark(format!(
        "\"Defence far above offence\": {} of {} changes that take it away make the bot worse; \"twos above threes\" and \"twos matter\": {} of the others do. A claim is supported by a change that is worse, with its bounds below 0.",
        worse(&defence),
        defence.len(),
        worse(&twos)
    ));
    findings.tables.push(grid);
    findings.plots.push(Plot::Lines(Lines {
        title: "The report's conclusions taken away, one at a time".into(),
        x: "change".into(),
        y: "Elo against the report's weights".into(),
        names: ABLATIONS.iter().map(|(change, _, _)| (*change).into()).collect(),
        series: vec![series, zero(ABLATIONS.len())],
        ..Lines::default()
    }));
    Ok(())
}

fn zero(to: usize) -> Series {
    let points = vec![Point::exact(0.5, 0.0), Point::exact(to as f64 + 0.5, 0.0)];
    Series { name: "no difference".into(), points }
}

/// Runs the report's algorithm from many seeds and compares every result with the report's weights.
pub(crate) fn seeds(
    bench: &Bench<'_>,
    kit: &PlayerContext,
    depth: u32,
    findings: &mut Findings,
) -> Result<(), Trouble> {
    let games = bench.games.map_or(SEED_GAMES, u64::from).max(2);
    let mut grid = Grid::new(
        format!("the algorithm from other seeds, {games} games each against the report's weights"),
        &[
            "seed",
            "centre fours threes twos block",
            "score of ten",
            "won",
            "drawn",
            "lost",
            "Elo, 95 %",
            "is",
        ],
    );
    let mut series = Series { name: "the best bot of a seed".into(), points: Vec::new() };
    let (mut gains, mut better, mut worse) = (Sample::default(), 0, 0);
    // The signs of (block - threes) and (twos - threes), counted over seeds.
    let (mut defensive, mut twos_first) = (0, 0);
    let mut names = Vec::new();
    for (place, seed) in bench.seeds(SEEDS).enumerate() {
        names.push(seed.to_string());
        let mut request = TuneRequest::default();
        (request.depth, request.seed, request.threads) = (depth, seed, bench.session.threads);
        let tuned = tune::run(kit, &request, bench.watch)?;
        let bots = [searcher(depth, &tuned.evaluation), searcher(depth, &spec(&PAPER))];
        let row = meet(bench, kit, bots, games, seed)?;
        let points = tuned
            .generations
            .last()
            .map_or(String::new(), |last| format!("{} of {}", last.points, last.out_of));
        grid.row(vec![
            seed.to_string(),
            tuned.weights.iter().map(f32::to_string).collect::<Vec<_>>().join(" "),
            points,
            row.tally.wins.to_string(),
            row.tally.draws.to_string(),
            row.tally.losses.to_string(),
            elo_text(&row),
            verdict(&row).into(),
        ]);
        gains.add(row.strength.elo);
        better += u32::from(verdict(&row) == "better");
        worse += u32::from(verdict(&row) == "worse");
        if let [_, _, threes, twos, block] = tuned.weights[..] {
            defensive += u32::from(block > threes);
            twos_first += u32::from(twos > threes);
        }
        series.points.push(point(place as f64 + 1.0, &row));
    }
    findings.remark(format!(
        "Over {} seeds the algorithm gains {} Elo over the report's weights (mean, 95 %): {better} bots are better with bounds above 0, {worse} worse. Block is above threes in {defensive} of them and twos above threes in {twos_first}: what a single run ends with is not what it takes to play well.",
        gains.len(),
        gains.text(|elo| format!("{elo:+.0}")),
    ));
    let to = series.points.len();
    findings.tables.push(grid);
    findings.plots.push(Plot::Lines(Lines {
        title: "The genetic algorithm from many seeds".into(),
        x: "seed".into(),
        y: "Elo against the report's weights".into(),
        names,
        series: vec![series, zero(to)],
        ..Lines::default()
    }));
    Ok(())
}
