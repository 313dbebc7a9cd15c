//! `loops-alphabeta`: alpha-beta on cyclic graphs, and the graph-history interaction problem (Campbell 1985).
//!
//! Moore's lecture on playing and solving games asks whether alpha-beta works in games with cycles, and leaves it open.
//! Small morris games can be solved completely, so every remedy can be compared with exact values:
//!
//! ```text
//!   remedy                      result
//!   none                        the recursion follows a cycle and never returns
//!   depth limit                 terminates; proves wins within the limit, never draws; exponential tree
//!   repetition is a draw        correct, but values depend on the path, so no value can be stored
//!   … with a value table        fast, and wrong: the table returns values of another path
//!   sweeps to a fixed point     correct (the lecture's step 5), with as many sweeps as the longest win has plies
//! ```

use crate::plot::{Lines, Point, Series};
use crate::sample::share_text;
use crate::{Bench, Findings, Grid};
use outplay_core::figures::grouped;
use outplay_core::{AnyGame, AnyPosition, Game, Turn};
use outplay_players::MoveValue;
use outplay_runtime::Pace;
use outplay_workbench::Trouble;
use rustc_hash::FxHashMap;

const GAMES: [&str; 3] = ["morris:three,lines=6", "morris:three,lines=8", "morris:tapatan"];

/// Node limit of a search without a table.
const PATIENCE: u64 = 300_000;

/// The deepest alpha-beta search.
const DEEPEST: u32 = 9;

/// Bounds on the value of a position, by its number and search depth.
type DepthBounds = FxHashMap<(u32, u32), (i8, i8)>;

/// The graph of all positions reachable from the start of a game.
struct PositionGraph {
    next: Vec<Vec<u32>>,
    /// The payoff of a finished position for the player to move.
    ends: Vec<Option<i8>>,
    positions: Vec<AnyPosition>,
}

/// A solved value: the payoff for the player to move, and its distance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct SolvedValue {
    payoff: i8,
    plies: u32,
}

impl PositionGraph {
    fn new(game: &AnyGame) -> Option<PositionGraph> {
        let start = game.start()?;
        let mut numbers: FxHashMap<AnyPosition, u32> = FxHashMap::from_iter([(start.clone(), 0)]);
        let (mut positions, mut next, mut ends) = (vec![start], Vec::new(), Vec::new());
        let mut place = 0;
        while place < positions.len() {
            let pos = positions[place].clone();
            let outcome = game.outcome(&pos);
            ends.push(outcome.map(|payoff| game.turn(&pos).sees(payoff).signum() as i8));
            let mut children = Vec::new();
            if outcome.is_none() {
                for mv in game.list(&pos) {
                    let child = game.play(&pos, mv);
                    let number = *numbers.entry(child.clone()).or_insert_with(|| {
                        positions.push(child);
                        positions.len() as u32 - 1
                    });
                    children.push(number);
                }
            }
            next.push(children);
            place += 1;
        }
        Some(PositionGraph { next, ends, positions })
    }

    fn len(&self) -> usize {
        self.next.len()
    }

    /// Number of plies after which unguarded recursion closes a cycle on the line of first moves; `None` if that line
    /// ends.
    fn first_cycle_length(&self) -> Option<usize> {
        let (mut met, mut place) = (vec![false; self.len()], 0);
        for plies in 0.. {
            if std::mem::replace(&mut met[place], true) {
                return Some(plies);
            }
            place = *self.next[place].first()? as usize;
        }
        None
    }

    /// The lecture's method: sweeps over all unsolved positions until a sweep changes nothing. Returns the number of
    /// values found in each sweep, and the values; all others are draws.
    fn until_stable(&self) -> (Vec<u64>, Vec<Option<SolvedValue>>) {
        let known = |payoff: &Option<i8>| {
            payoff.filter(|payoff| *payoff != 0).map(|payoff| SolvedValue { payoff, plies: 0 })
        };
        let mut values: Vec<Option<SolvedValue>> = self.ends.iter().map(known).collect();
        let mut rounds = vec![values.iter().flatten().count() as u64];
        loop {
            // A sweep reads the values of the previous one only, so that its number is the distance.
            let found: Vec<(usize, SolvedValue)> = (0..self.len())
                .filter(|&place| values[place].is_none() && self.ends[place].is_none())
                .filter_map(|place| Some((place, self.derived(place, &values)?)))
                .collect();
            if found.is_empty() {
                return (rounds, values);
            }
            rounds.push(found.len() as u64);
            found.into_iter().for_each(|(place, known)| values[place] = Some(known));
        }
    }

    fn derived(&self, place: usize, values: &[Option<SolvedValue>]) -> Option<SolvedValue> {
        let children = || self.next[place].iter().map(|&child| values[child as usize]);
        let lost = children().flatten().filter(|known| known.payoff < 0).map(|known| known.plies).min();
        if let Some(plies) = lost {
            return Some(SolvedValue { payoff: 1, plies: plies + 1 });
        }
        let all: Option<Vec<SolvedValue>> = children().collect();
        let plies = all?.iter().map(|known| known.plies).max()?;
        Some(SolvedValue { payoff: -1, plies: plies + 1 })
    }

    /// Alpha-beta to a depth, unknown beyond; returns the nodes too. The table stores bounds for the same depth.
    fn alphabeta(
        &self,
        place: u32,
        depth: u32,
        (mut alpha, beta): (i8, i8),
        nodes: &mut u64,
        table: &mut Option<DepthBounds>,
    ) -> i8 {
        *nodes += 1;
        if let Some(payoff) = self.ends[place as usize] {
            return payoff;
        }
        if depth == 0 {
            return 0;
        }
        if let Some(&(least, most)) = table.as_ref().and_then(|table| table.get(&(place, depth))) {
            if least >= beta || least == most {
                return least;
            }
            if most <= alpha {
                return most;
            }
        }
        let (floor, mut best) = (alpha, -1);
        for &child in &self.next[place as usize] {
            best = best.max(-self.alphabeta(child, depth - 1, (-beta, -alpha), nodes, table));
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        if let Some(table) = table {
            let bounds = match best {
                best if best >= beta => (best, 1),
                best if best <= floor => (-1, best),
                best => (best, best),
            };
            table.insert((place, depth), bounds);
        }
        best
    }

    /// Minimax to the end in which a position that is already on the path counts as a draw. Returns its value, its
    /// nodes and the table (if there is one); `None` beyond the node limit.
    fn repetition_is_a_draw(&self, root: u32, with_table: bool) -> Option<(i8, u64, Vec<Option<i8>>)> {
        struct StackFrame {
            place: u32,
            tried: usize,
            best: i8,
        }
        let mut table = vec![None; if with_table { self.len() } else { 0 }];
        let mut on_the_way = vec![false; self.len()];
        let (mut nodes, mut way) = (1u64, vec![StackFrame { place: root, tried: 0, best: -1 }]);
        on_the_way[root as usize] = true;
        loop {
            let frame = way.last_mut()?;
            let place = frame.place as usize;
            let mut value = self.ends[place];
            if value.is_none() && frame.best < 1 && frame.tried < self.next[place].len() {
                let child = self.next[place][frame.tried];
                frame.tried += 1;
                let seen = if on_the_way[child as usize] {
                    Some(0)
                } else {
                    table.get(child as usize).copied().flatten()
                };
                match seen {
                    Some(seen) => frame.best = frame.best.max(-seen),
                    None => {
                        nodes += 1;
                        if nodes > PATIENCE {
                            return None;
                        }
                        on_the_way[child as usize] = true;
                        way.push(StackFrame { place: child, tried: 0, best: -1 });
                    }
                }
                continue;
            }
            let found: i8 = *value.get_or_insert(frame.best);
            on_the_way[place] = false;
            if with_table {
                table[place] = Some(found);
            }
            way.pop();
            match way.last_mut() {
                Some(parent) => parent.best = parent.best.max(-found),
                None => return Some((found, nodes, table)),
            }
        }
    }
}

pub(crate) fn run(bench: &Bench<'_>) -> Result<Findings, Trouble> {
    let mut findings = Findings::new(format!(
        "every position of three small morris games; alpha-beta to depth {DEEPEST}; {PATIENCE} positions for a search that remembers nothing"
    ));
    let few = bench.games.is_some_and(|games| games < 10);
    let games = &GAMES[..if few { 1 } else { GAMES.len() }];
    let mut stable = Grid::new(
        "until nothing changes: positions that became known, round by round",
        &[
            "game",
            "positions",
            "value",
            "won",
            "drawn",
            "lost",
            "rounds",
            "known in round 1, 2, 3 …",
            "recursion goes round after",
        ],
    );
    let mut depth_limit = Grid::new(
        "alpha-beta with a limit of depth, from the start: positions entered",
        &["game", "depth", "without a table", "with a table", "value", "positions decided within this depth"],
    );
    let mut repetition = Grid::new(
        "a repetition is a draw: minimax to the end from every position",
        &["game", "memory", "came to an end", "right", "entries of the table that are wrong"],
    );
    let (mut rounds_series, mut nodes_series) = (Vec::new(), Vec::new());
    let mut wrong_in_all = 0;
    for name in games {
        let kit = bench.kit(name)?;
        let Some(graph) = PositionGraph::new(&kit.game) else { continue };
        let (rounds, values) = graph.until_stable();
        agrees(bench, name, &graph, &values, &mut findings)?;
        rounds_series.push(by_rounds(name, &graph, &rounds, &values, &mut stable));
        let deepest = if few { 5 } else { DEEPEST };
        nodes_series.extend(by_depth(
            bench,
            name,
            &graph,
            &values,
            deepest,
            &mut depth_limit,
            &mut findings,
        )?);
        for with_table in [false, true] {
            wrong_in_all += by_repetition(bench, name, &graph, &values, with_table, &mut repetition)?;
        }
    }
    findings.tables = vec![stable, depth_limit, repetition];
    findings.remark("Without a remedy recursion does not come back once it has met a position again, however few positions there are. With a limit of depth it does, proves wins and losses within the limit and never a draw, and its tree outgrows the whole game many times over. If a repetition counts as a draw, what a position is worth depends on the way to it and must not be remembered, and without memory searches do not come to their ends. With a table they end at once and are wrong in places. Sweeping until nothing changes is right and takes as many rounds as the longest win.");
    findings.claim(
        few || wrong_in_all > 0,
        "A table with repetitions as draws should be wrong somewhere, and was right everywhere.",
    );
    let axes = ["round", "positions known to be won or lost, %"];
    findings.plot(Lines::new("Sweeping until nothing changes", axes, rounds_series));
    let (title, axes) =
        ("Alpha-beta with loops: the tree outgrows the game", ["depth, plies", "positions entered"]);
    findings.plot(Lines::new(title, axes, nodes_series).logarithmic());
    Ok(findings)
}

/// Formats a payoff for the player to move.
fn word(payoff: i8) -> String {
    ["lost", "drawn", "won"][(payoff + 1) as usize].to_string()
}

/// Adds the row of a game solved by sweeps; returns the fraction of solved positions after each sweep.
fn by_rounds(
    name: &str,
    graph: &PositionGraph,
    rounds: &[u64],
    values: &[Option<SolvedValue>],
    grid: &mut Grid,
) -> Series {
    let payoff = |place: usize| values[place].map_or(0, |known| known.payoff);
    let count = |payoff_of: i8| (0..graph.len()).filter(|&place| payoff(place) == payoff_of).count() as u64;
    grid.row(vec![
        name.into(),
        grouped(graph.len() as u64),
        word(payoff(0)),
        grouped(count(1)),
        grouped(count(0)),
        grouped(count(-1)),
        rounds.len().to_string(),
        rounds[1..].iter().map(u64::to_string).collect::<Vec<_>>().join(" "),
        graph.first_cycle_length().map_or("its first line ends".into(), |plies| format!("{plies} plies")),
    ]);
    let mut sum = 0;
    let points = rounds.iter().enumerate().map(|(round, new)| {
        sum += new;
        Point::exact(round as f64, 100.0 * sum as f64 / graph.len() as f64)
    });
    Series { name: name.into(), points: points.collect() }
}

/// Alpha-beta from the start to each depth; returns its nodes without a table and with one.
fn by_depth(
    bench: &Bench<'_>,
    name: &str,
    graph: &PositionGraph,
    values: &[Option<SolvedValue>],
    deepest: u32,
    grid: &mut Grid,
    findings: &mut Findings,
) -> Result<[Series; 2], Trouble> {
    let mut lines = ["without", "with"].map(|memory| Series::new(format!("{name}, {memory} a table")));
    for depth in 1..=deepest {
        bench.check_cancelled()?;
        let (mut plain, mut remembered) = (0, 0);
        let value = graph.alphabeta(0, depth, (-1, 1), &mut plain, &mut None);
        let again = graph.alphabeta(0, depth, (-1, 1), &mut remembered, &mut Some(FxHashMap::default()));
        findings.claim(value == again, format!("On {name} a table changed the value at depth {depth}."));
        let seen = values.iter().flatten().filter(|known| known.plies <= depth).count() as u64;
        grid.row(vec![
            name.into(),
            depth.to_string(),
            grouped(plain),
            grouped(remembered),
            if value == 0 { "not known".into() } else { word(value) },
            format!("{:.1} %", 100.0 * seen as f64 / graph.len() as f64),
        ]);
        lines[0].points.push(Point::exact(f64::from(depth), plain as f64));
        lines[1].points.push(Point::exact(f64::from(depth), remembered as f64));
    }
    Ok(lines)
}

/// Compares the values with the solver's.
fn agrees(
    bench: &Bench<'_>,
    name: &str,
    graph: &PositionGraph,
    values: &[Option<SolvedValue>],
    findings: &mut Findings,
) -> Result<(), Trouble> {
    let kit = bench.kit(name)?;
    let Some(truth) = kit.truth.clone() else { return Ok(()) };
    let mut wrong = 0;
    let mut pace = Pace::new(bench.watch);
    for (place, pos) in graph.positions.iter().enumerate() {
        if pace.step() {
            return Err(Trouble::stopped());
        }
        if graph.ends[place].is_some() || kit.game.turn(pos) == Turn::Chance {
            continue;
        }
        if let Some(MoveValue::Value(value)) = truth.value(pos, bench.watch)? {
            let same = match values[place] {
                Some(known) => {
                    value.payoff() == i32::from(known.payoff) && value.distance() == Some(known.plies)
                }
                None => value.payoff() == 0,
            };
            wrong += u64::from(!same);
        }
    }
    findings.claim(wrong == 0, format!("{wrong} positions of {name} are valued otherwise by the solver."));
    Ok(())
}

/// Minimax with repetitions as draws from every position; returns the number of wrong table entries.
fn by_repetition(
    bench: &Bench<'_>,
    name: &str,
    graph: &PositionGraph,
    values: &[Option<SolvedValue>],
    with_table: bool,
    grid: &mut Grid,
) -> Result<u64, Trouble> {
    let payoff = |place: usize| values[place].map_or(0, |known| known.payoff);
    // Searches without a table run into the node limit, so only a sample of positions is searched.
    let step = if with_table { 1 } else { graph.len().div_ceil(20) };
    let (mut asked, mut ended, mut right, mut entries, mut wrong) = (0u64, 0u64, 0u64, 0u64, 0u64);
    for root in (0..graph.len()).step_by(step).filter(|&root| graph.ends[root].is_none()) {
        bench.check_cancelled()?;
        asked += 1;
        let Some((found, _, table)) = graph.repetition_is_a_draw(root as u32, with_table) else { continue };
        ended += 1;
        right += u64::from(found == payoff(root));
        for (place, entry) in table.iter().enumerate() {
            entries += u64::from(entry.is_some());
            wrong += u64::from(entry.is_some_and(|entry| entry != payoff(place)));
        }
    }
    grid.row(vec![
        name.into(),
        if with_table { "a table" } else { "none" }.into(),
        format!("{ended} of {asked} searches"),
        match (ended, with_table) {
            (0, _) => "-".into(),
            // Every position: an enumeration has no sampling error.
            (_, true) => format!("{:.1} %", 100.0 * right as f64 / ended as f64),
            (_, false) => share_text(right, ended),
        },
        if with_table {
            format!("{:.2} %", 100.0 * wrong as f64 / entries.max(1) as f64)
        } else {
            "-".into()
        },
    ]);
    Ok(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0 leads to 1 or 2; 2 leads back to 0 or to 3, where the player to move has lost.
    fn small() -> PositionGraph {
        PositionGraph {
            next: vec![vec![1, 2], vec![], vec![0, 3], vec![]],
            ends: vec![None, Some(1), None, Some(-1)],
            positions: Vec::new(),
        }
    }

    #[test]
    fn small_cyclic_graph_by_hand() {
        let graph = small();
        let (rounds, values) = graph.until_stable();
        // The player to move at 2 wins with the next move; the one at 0 loses either way, later through the cycle.
        assert_eq!(rounds, [2, 1, 1]);
        assert_eq!(values[2], Some(SolvedValue { payoff: 1, plies: 1 }));
        assert_eq!(values[0], Some(SolvedValue { payoff: -1, plies: 2 }));
        for depth in 2..6 {
            for mut table in [None, Some(FxHashMap::default())] {
                assert_eq!(graph.alphabeta(0, depth, (-1, 1), &mut 0, &mut table), -1);
            }
        }
        let (value, _, _) = graph.repetition_is_a_draw(0, false).unwrap();
        assert_eq!(value, -1);
    }

    #[test]
    fn pure_cycle_is_a_draw() {
        let graph =
            PositionGraph { next: vec![vec![1], vec![0]], ends: vec![None, None], positions: Vec::new() };
        assert_eq!(graph.until_stable(), (vec![0], vec![None, None]));
        assert_eq!((graph.first_cycle_length(), small().first_cycle_length()), (Some(2), None));
        assert_eq!(graph.repetition_is_a_draw(0, true).unwrap().0, 0);
    }
}
