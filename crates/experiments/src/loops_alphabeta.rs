//! `loops-alphabeta`: does alpha-beta behave sensibly with loops?
//!
//! The lecture asks, and leaves it to the listener. Small morris games are few enough to know all of their positions, so
//! every remedy can be held against the truth:
//!
//! ```text
//!   none                        recursion goes round in circles and never returns
//!   a limit of depth            ends; wins within the limit are proven, draws never are; the tree grows exponentially
//!   a repetition is a draw      true, but what a position is worth now depends on the way to it: nothing can be remembered
//!   … and a table               fast, and wrong: the table remembers what was true of another way
//!   until nothing changes       the lecture's step 5: right, in as many rounds as the longest win has plies
//! ```

use crate::plot::{Lines, Plot, Point, Series};
use crate::sample::share_text;
use crate::{Bench, Findings, Grid};
use outplay_answer::Trouble;
use outplay_core::figures::grouped;
use outplay_core::{AnyGame, AnyPosition, Game, Pace, Turn};
use outplay_players::Merit;
use rustc_hash::FxHashMap;

const GAMES: [&str; 3] = ["morris:three,lines=6", "morris:three,lines=8", "morris:tapatan"];

/// Positions that a search without a table may enter.
const PATIENCE: u64 = 300_000;

/// How deep alpha-beta looks.
const DEEPEST: u32 = 9;

/// The least and the most that a position can be worth, by its number and the depth that it was searched to.
type Remembered = FxHashMap<(u32, u32), (i8, i8)>;

/// All positions that are reached from the start of a game, with where their moves lead.
struct Graph {
    next: Vec<Vec<u32>>,
    /// What a finished position pays the player to move.
    ends: Vec<Option<i8>>,
    positions: Vec<AnyPosition>,
}

/// What is known of a position: the payoff of the player to move, and in how many plies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Known {
    payoff: i8,
    plies: u32,
}

impl Graph {
    fn new(game: &AnyGame) -> Option<Graph> {
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
        Some(Graph { next, ends, positions })
    }

    fn len(&self) -> usize {
        self.next.len()
    }

    /// After how many plies recursion that has no remedy meets a position again, if it takes the first move wherever it
    /// comes; `None` if that line of play ends.
    fn goes_round_after(&self) -> Option<usize> {
        let (mut met, mut place) = (vec![false; self.len()], 0);
        for plies in 0.. {
            if std::mem::replace(&mut met[place], true) {
                return Some(plies);
            }
            place = *self.next[place].first()? as usize;
        }
        None
    }

    /// The lecture's way: look through all positions that are not known until a whole round changes nothing. How many
    /// became known in each round, and what is known in the end; the others are drawn.
    fn until_stable(&self) -> (Vec<u64>, Vec<Option<Known>>) {
        let known = |payoff: &Option<i8>| {
            payoff.filter(|payoff| *payoff != 0).map(|payoff| Known { payoff, plies: 0 })
        };
        let mut values: Vec<Option<Known>> = self.ends.iter().map(known).collect();
        let mut rounds = vec![values.iter().flatten().count() as u64];
        loop {
            // A round sees what the last one left, so that its number is the distance.
            let found: Vec<(usize, Known)> = (0..self.len())
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

    fn derived(&self, place: usize, values: &[Option<Known>]) -> Option<Known> {
        let children = || self.next[place].iter().map(|&child| values[child as usize]);
        let lost = children().flatten().filter(|known| known.payoff < 0).map(|known| known.plies).min();
        if let Some(plies) = lost {
            return Some(Known { payoff: 1, plies: plies + 1 });
        }
        let all: Option<Vec<Known>> = children().collect();
        let plies = all?.iter().map(|known| known.plies).max()?;
        Some(Known { payoff: -1, plies: plies + 1 })
    }

    /// Alpha-beta to a depth, unknown beyond; the positions it enters. A table remembers what was found to the same depth.
    fn alphabeta(
        &self,
        place: u32,
        depth: u32,
        (mut alpha, beta): (i8, i8),
        nodes: &mut u64,
        table: &mut Option<Remembered>,
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

    /// Minimax to the end in which a position that is on the way already counts as a draw. Its value, the positions
    /// it entered, and what a table remembered (if there is one); `None` if patience was not enough.
    fn repetition_is_a_draw(&self, root: u32, with_table: bool) -> Option<(i8, u64, Vec<Option<i8>>)> {
        struct Frame {
            place: u32,
            tried: usize,
            best: i8,
        }
        let mut table = vec![None; if with_table { self.len() } else { 0 }];
        let mut on_the_way = vec![false; self.len()];
        let (mut nodes, mut way) = (1u64, vec![Frame { place: root, tried: 0, best: -1 }]);
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
                        way.push(Frame { place: child, tried: 0, best: -1 });
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
        let Some(graph) = Graph::new(&kit.game) else { continue };
        let (rounds, values) = graph.until_stable();
        let payoff = |place: usize| values[place].map_or(0, |known| known.payoff);
        agrees(bench, name, &graph, &values, &mut findings)?;
        let count =
            |payoff_of: i8| (0..graph.len()).filter(|&place| payoff(place) == payoff_of).count() as u64;
        let word = |payoff: i8| ["lost", "drawn", "won"][(payoff + 1) as usize].to_string();
        stable.row(vec![
            (*name).into(),
            grouped(graph.len() as u64),
            word(payoff(0)),
            grouped(count(1)),
            grouped(count(0)),
            grouped(count(-1)),
            rounds.len().to_string(),
            rounds[1..].iter().map(u64::to_string).collect::<Vec<_>>().join(" "),
            graph.goes_round_after().map_or("its first line ends".into(), |plies| format!("{plies} plies")),
        ]);
        let mut sum = 0;
        let points = rounds.iter().enumerate().map(|(round, new)| {
            sum += new;
            Point::exact(round as f64, 100.0 * sum as f64 / graph.len() as f64)
        });
        rounds_series.push(Series { name: (*name).into(), points: points.collect() });

        let mut lines = [
            Series { name: format!("{name}, without a table"), points: Vec::new() },
            Series { name: format!("{name}, with a table"), points: Vec::new() },
        ];
        for depth in 1..=if few { 5 } else { DEEPEST } {
            bench.go_on()?;
            let (mut plain, mut remembered) = (0, 0);
            let value = graph.alphabeta(0, depth, (-1, 1), &mut plain, &mut None);
            let again = graph.alphabeta(0, depth, (-1, 1), &mut remembered, &mut Some(FxHashMap::default()));
            findings.claim(value == again, format!("On {name} a table changed the value at depth {depth}."));
            let seen = values.iter().flatten().filter(|known| known.plies <= depth).count() as u64;
            depth_limit.row(vec![
                (*name).into(),
                depth.to_string(),
                grouped(plain),
                grouped(remembered),
                if value == 0 { "not known".into() } else { word(value) },
                format!("{:.1} %", 100.0 * seen as f64 / graph.len() as f64),
            ]);
            lines[0].points.push(Point::exact(f64::from(depth), plain as f64));
            lines[1].points.push(Point::exact(f64::from(depth), remembered as f64));
        }
        nodes_series.extend(lines);
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
    findings.plots = vec![
        Plot::Lines(Lines {
            title: "Sweeping until nothing changes".into(),
            x: "round".into(),
            y: "positions known to be won or lost, %".into(),
            series: rounds_series,
            ..Lines::default()
        }),
        Plot::Lines(Lines {
            title: "Alpha-beta with loops: the tree outgrows the game".into(),
            x: "depth, plies".into(),
            y: "positions entered".into(),
            logarithmic: true,
            series: nodes_series,
            ..Lines::default()
        }),
    ];
    Ok(findings)
}

/// Holds what was found against the solver.
fn agrees(
    bench: &Bench<'_>,
    name: &str,
    graph: &Graph,
    values: &[Option<Known>],
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
        if let Some(Merit::Value(value)) = truth.value(pos, bench.watch)? {
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

/// Minimax with repetitions as draws from every position; how many table entries were wrong.
fn by_repetition(
    bench: &Bench<'_>,
    name: &str,
    graph: &Graph,
    values: &[Option<Known>],
    with_table: bool,
    grid: &mut Grid,
) -> Result<u64, Trouble> {
    let payoff = |place: usize| values[place].map_or(0, |known| known.payoff);
    // Searches that remember nothing take all their patience, so they begin at a few positions only.
    let step = if with_table { 1 } else { graph.len().div_ceil(20) };
    let (mut asked, mut ended, mut right, mut entries, mut wrong) = (0u64, 0u64, 0u64, 0u64, 0u64);
    for root in (0..graph.len()).step_by(step).filter(|&root| graph.ends[root].is_none()) {
        bench.go_on()?;
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
        if ended == 0 { "-".into() } else { share_text(right, ended) },
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

    /// 0 can go to 1 or round to 2; 2 goes back to 0 or to 3, which is lost for who moves there.
    fn small() -> Graph {
        Graph {
            next: vec![vec![1, 2], vec![], vec![0, 3], vec![]],
            ends: vec![None, Some(1), None, Some(-1)],
            positions: Vec::new(),
        }
    }

    #[test]
    fn loops_by_hand() {
        let graph = small();
        let (rounds, values) = graph.until_stable();
        // Whoever moves at 2 wins at once; whoever moves at 0 loses either way, later by going round.
        assert_eq!(rounds, [2, 1, 1]);
        assert_eq!(values[2], Some(Known { payoff: 1, plies: 1 }));
        assert_eq!(values[0], Some(Known { payoff: -1, plies: 2 }));
        for depth in 2..6 {
            for mut table in [None, Some(FxHashMap::default())] {
                assert_eq!(graph.alphabeta(0, depth, (-1, 1), &mut 0, &mut table), -1);
            }
        }
        let (value, _, _) = graph.repetition_is_a_draw(0, false).unwrap();
        assert_eq!(value, -1);
    }

    #[test]
    fn a_ring_is_a_draw() {
        let graph = Graph { next: vec![vec![1], vec![0]], ends: vec![None, None], positions: Vec::new() };
        assert_eq!(graph.until_stable(), (vec![0], vec![None, None]));
        assert_eq!((graph.goes_round_after(), small().goes_round_after()), (Some(2), None));
        assert_eq!(graph.repetition_is_a_draw(0, true).unwrap().0, 0);
    }
}
