//! Ablation of the weights of the Connect-4 report (part of `connect4-ga`): many runs of its genetic algorithm from
//! different seeds, and a test of each of its conclusions by a match.

use crate::duel::elo_text;
use crate::plot::{Lines, Point, Series};
use crate::sample::Sample;
use crate::{Bench, Findings, Grid};
use outplay_arena::standings::PlayerRow;
use outplay_arena::tune::{self, TuneRequest, searcher};
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

/// Matches against the report's weights: a row of a table and a point of a plot each.
struct Comparison<'a> {
    bench: &'a Bench<'a>,
    kit: &'a PlayerContext,
    depth: u32,
    games: u64,
    grid: Grid,
    series: Series,
}

impl Comparison<'_> {
    /// Plays the match of an evaluation and adds its row, which begins with `cells`; returns the Elo difference and
    /// the verdict: better, worse, or undecided.
    fn play(
        &mut self,
        evaluation: &str,
        cells: [String; 3],
        seed: u64,
    ) -> Result<(f64, &'static str), Trouble> {
        let bots = [searcher(self.depth, evaluation), searcher(self.depth, &spec(&PAPER))];
        let bots = bots.each_ref().map(String::as_str);
        let (report, _) = self.bench.contest(self.kit, bots, self.games, Some(OPENING), seed)?;
        let PlayerRow { tally, strength, .. } = &report.standings.players[0];
        let verdict = match (strength.low, strength.high) {
            (Some(low), _) if low > 0.0 => "better",
            (_, Some(high)) if high < 0.0 => "worse",
            _ => "not told apart",
        };
        let mut row = cells.to_vec();
        row.extend([tally.wins, tally.draws, tally.losses].map(|games| games.to_string()));
        row.extend([elo_text(strength), verdict.into()]);
        self.grid.row(row);
        let x = self.series.points.len() as f64 + 1.0;
        self.series.points.push(Point { x, y: strength.elo, bounds: strength.low.zip(strength.high) });
        Ok((strength.elo, verdict))
    }

    /// Adds the table and the plot, whose points have names.
    fn finish(self, title: &str, x: &str, names: Vec<String>, findings: &mut Findings) {
        findings.tables.push(self.grid);
        let ends = [0.5, self.series.points.len() as f64 + 0.5];
        let zero =
            Series { name: "no difference".into(), points: ends.map(|x| Point::exact(x, 0.0)).to_vec() };
        let lines = Lines::new(title, [x, "Elo against the report's weights"], [self.series, zero]);
        findings.plot(Lines { names, ..lines });
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
    let grid = Grid::new(
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
    let series = Series::new("changed weights against the report's");
    let mut comparison = Comparison { bench, kit, depth, games, grid, series };
    let (mut defence, mut twos) = (Vec::new(), Vec::new());
    for (number, (change, weights, claim)) in ABLATIONS.iter().enumerate() {
        let cells = [(*change).into(), weights.map(|weight| weight.to_string()).join(" "), (*claim).into()];
        let (_, verdict) = comparison.play(&spec(weights), cells, bench.seed + 100 + number as u64)?;
        match *claim {
            "defence far above offence" => defence.push(verdict),
            "the centre counts for little" => {}
            _ => twos.push(verdict),
        }
    }
    let worse = |of: &[&str]| of.iter().filter(|verdict| **verdict == "worse").count();
    findings.remark(format!(
        "\"Defence far above offence\": {} of {} changes that take it away make the bot worse; \"twos above threes\" and \"twos matter\": {} of the others do. A claim is supported by a change that is worse, with its bounds below 0.",
        worse(&defence),
        defence.len(),
        worse(&twos)
    ));
    let names = ABLATIONS.iter().map(|(change, _, _)| (*change).into()).collect();
    comparison.finish("The report's conclusions taken away, one at a time", "change", names, findings);
    Ok(())
}

/// Runs the report's algorithm from many seeds and compares every result with the report's weights.
pub(crate) fn seeds(
    bench: &Bench<'_>,
    kit: &PlayerContext,
    depth: u32,
    findings: &mut Findings,
) -> Result<(), Trouble> {
    let games = bench.games.map_or(SEED_GAMES, u64::from).max(2);
    let grid = Grid::new(
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
    let series = Series::new("the best bot of a seed");
    let mut comparison = Comparison { bench, kit, depth, games, grid, series };
    let (mut gains, mut better, mut worse) = (Sample::default(), 0, 0);
    // The signs of (block - threes) and (twos - threes), counted over seeds.
    let (mut defensive, mut twos_first) = (0, 0);
    let mut names = Vec::new();
    for seed in bench.seeds(SEEDS) {
        names.push(seed.to_string());
        let mut request = TuneRequest::default();
        (request.depth, request.seed, request.threads) = (depth, seed, bench.session.threads);
        let tuned = tune::run(kit, &request, bench.watch)?;
        let points = tuned
            .generations
            .last()
            .map_or(String::new(), |last| format!("{} of {}", last.points, last.out_of));
        let weights = tuned.weights.iter().map(f32::to_string).collect::<Vec<_>>().join(" ");
        let (elo, verdict) = comparison.play(&tuned.evaluation, [seed.to_string(), weights, points], seed)?;
        gains.add(elo);
        better += u32::from(verdict == "better");
        worse += u32::from(verdict == "worse");
        if let [_, _, threes, twos, block] = tuned.weights[..] {
            defensive += u32::from(block > threes);
            twos_first += u32::from(twos > threes);
        }
    }
    findings.remark(format!(
        "Over {} seeds the algorithm gains {} Elo over the report's weights (mean, 95 %): {better} bots are better with bounds above 0, {worse} worse. Block is above threes in {defensive} of them and twos above threes in {twos_first}: what a single run ends with is not what it takes to play well.",
        gains.len(),
        gains.text(|elo| format!("{elo:+.0}")),
    ));
    comparison.finish("The genetic algorithm from many seeds", "seed", names, findings);
    Ok(())
}
