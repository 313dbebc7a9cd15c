//! Custom indexes: one that obeys the laws is solved, one that breaks a law is refused with a sentence.

use outplay_core::index_laws::{Gaps, IndexLaws};
use outplay_core::{Chance, Game, Index, Payoff, Predecessors, Rolls, Tier, Turn, Value};
use outplay_games::Spec;
use outplay_games::pig::Pig;
use outplay_runtime::{Communicator, LocalCommunicator, NoMonitor};
use outplay_solve::{
    Blocks, ExploredGame, LoopCode, RankContext, RetrogradeOptions, Settle, SolveError, WideLoopCode, chance,
    chance_rolls, memo, reach, remembered_sweep, retrograde, retrograde_by_graph, solve_together, sweep,
    sweep_until_stable, verify, verify_loops,
};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::collections::{HashMap, HashSet};
use std::hash::Hash;

/// A graph: the moves of a node lead to others, and a node without moves pays.
#[derive(Clone)]
struct Graph {
    moves: Vec<Vec<u8>>,
    pays: Vec<Payoff>,
}

impl Graph {
    /// A random graph; acyclic if moves lead to later nodes only.
    fn new(rng: &mut SmallRng, nodes: u8, cyclic: bool) -> Graph {
        let node = |rng: &mut SmallRng, n: u8| {
            let first = if cyclic { 0 } else { n + 1 };
            let count = if n + 3 >= nodes { 0 } else { rng.random_range(1..=3) };
            let mut moves: Vec<u8> =
                (0..count).map(|_| rng.random_range(first..nodes)).filter(|&next| next != n).collect();
            moves.sort_unstable();
            moves.dedup();
            moves
        };
        let moves = (0..nodes).map(|n| node(rng, n)).collect();
        Graph { moves, pays: (0..nodes).map(|_| rng.random_range(-1..=1)).collect() }
    }
}

impl Game for Graph {
    type Position = (u8, bool);
    type Move = u8;
    fn start(&self) -> Option<(u8, bool)> {
        Some((0, false))
    }
    fn turn(&self, pos: &(u8, bool)) -> Turn {
        if pos.1 { Turn::Second } else { Turn::First }
    }
    fn moves(&self, pos: &(u8, bool), out: &mut Vec<u8>) {
        out.extend(&self.moves[usize::from(pos.0)]);
    }
    fn play(&self, pos: &(u8, bool), mv: u8) -> (u8, bool) {
        (mv, !pos.1)
    }
    fn outcome(&self, pos: &(u8, bool)) -> Option<Payoff> {
        self.moves[usize::from(pos.0)].is_empty().then(|| self.pays[usize::from(pos.0)])
    }
}

/// An index stored as a list, so that any part of it can be broken.
#[derive(Clone)]
struct Listed<P> {
    tiers: Vec<Vec<Option<P>>>,
    lens: Vec<u64>,
    ranks: HashMap<P, (Tier, u64)>,
    after: Vec<Vec<Tier>>,
    loops: Vec<bool>,
    before: HashMap<(Tier, u64), Vec<u64>>,
}

impl<P: Clone + Eq + Hash + std::fmt::Debug + Send + Sync> Listed<P> {
    fn new<G: Game<Position = P>>(game: &G) -> Listed<P> {
        let explored = ExploredGame::new(game, &game.start().unwrap(), 100_000, &NoMonitor).unwrap();
        let tiers: Vec<Tier> = (0..explored.tiers()).map(Tier).collect();
        let list = |&tier: &Tier| (0..explored.len(tier)).map(|n| explored.unrank(tier, n)).collect();
        let mut index = Listed {
            tiers: tiers.iter().map(list).collect(),
            lens: Vec::new(),
            ranks: HashMap::new(),
            after: tiers.iter().map(|&tier| explored.child_tiers(tier)).collect(),
            loops: tiers.iter().map(|&tier| explored.loops(tier)).collect(),
            before: HashMap::new(),
        };
        index.finish(game);
        index
    }

    /// Derives numbers, sizes and predecessors from the list of positions.
    fn finish<G: Game<Position = P>>(&mut self, game: &G) {
        self.lens = self.tiers.iter().map(|list| list.len() as u64).collect();
        let places = self.tiers.iter().enumerate().flat_map(|(t, list)| {
            list.iter()
                .enumerate()
                .filter_map(move |(n, pos)| Some((pos.clone()?, (Tier(t as u32), n as u64))))
        });
        self.ranks = places.collect();
        self.before.clear();
        for (pos, &(tier, number)) in &self.ranks {
            let mut moves = Vec::new();
            game.moves(pos, &mut moves);
            let next = moves.iter().map(|&mv| self.ranks.get(&game.play(pos, mv)).copied());
            let next: HashSet<_> = next.flatten().collect();
            for place in next.into_iter().filter(|place| place.0 == tier) {
                self.before.entry(place).or_default().push(number);
            }
        }
    }

    /// All positions in one tier, from the first to the last.
    fn one_range<G: Game<Position = P>>(&mut self, game: &G) {
        let loops = self.loops.contains(&true);
        self.tiers = vec![std::mem::take(&mut self.tiers).into_iter().flatten().collect()];
        (self.after, self.loops) = (vec![Vec::new()], vec![loops]);
        self.finish(game);
    }

    fn random_place(&self, rng: &mut SmallRng) -> (usize, usize) {
        let t = rng.random_range(0..self.tiers.len());
        (t, rng.random_range(0..self.tiers[t].len()))
    }

    /// Breaks a law, or makes a harmless change.
    fn mutate<G: Game<Position = P>>(&mut self, game: &G, rng: &mut SmallRng) {
        let (t, n) = self.random_place(rng);
        let (u, m) = self.random_place(rng);
        let other = (Tier(u as u32), m as u64);
        let pos = self.tiers[t][n].clone();
        let rank = pos.as_ref().and_then(|pos| self.ranks.get_mut(pos));
        match (rng.random_range(0..14), rank) {
            (0, _) => self.one_range(game),
            (1, _) => {
                self.one_range(game);
                self.tiers[0].reverse();
                self.finish(game);
            }
            (2, _) => {
                self.tiers.reverse();
                self.finish(game);
            }
            (3, Some(rank)) => *rank = other,
            (4, Some(rank)) => rank.0.0 = rank.0.0.wrapping_add(1),
            (5, Some(rank)) => rank.0.0 = rank.0.0.wrapping_sub(1),
            (6, Some(rank)) => rank.1 = rank.1.wrapping_add(rng.random_range(1..200)),
            (7, Some(rank)) => *rank = (Tier(u32::MAX), u64::MAX),
            (8, _) => {
                // Swaps both directions: harmless within a tier without inner moves.
                let there = self.tiers[u][m].clone();
                self.tiers[t][n] = there;
                self.tiers[u][m] = pos;
                self.finish(game);
            }
            (9, _) => self.lens[t] = self.lens[t].saturating_sub(1),
            (10, _) => self.lens[t] += rng.random_range(1..100u64),
            (11, _) => self.tiers[t][n] = if rng.random() { None } else { self.tiers[u][m].clone() },
            (12, _) => match rng.random() {
                true => self.after[t].push(other.0),
                false => self.after[t].truncate(1),
            },
            _ => {
                self.before.entry(other).or_default().push(n as u64);
                self.before.remove(&(Tier(t as u32), n as u64));
            }
        }
    }
}

impl<G: Game> Index<G> for Listed<G::Position> {
    fn tiers(&self) -> u32 {
        self.tiers.len() as u32
    }
    fn child_tiers(&self, tier: Tier) -> Vec<Tier> {
        self.after[tier.0 as usize].clone()
    }
    fn loops(&self, tier: Tier) -> bool {
        self.loops[tier.0 as usize]
    }
    fn len(&self, tier: Tier) -> u64 {
        self.lens[tier.0 as usize]
    }
    fn rank(&self, pos: &G::Position) -> (Tier, u64) {
        // A position without an entry has no valid number.
        self.ranks.get(pos).copied().unwrap_or((Tier(u32::MAX), u64::MAX))
    }
    fn unrank(&self, tier: Tier, number: u64) -> Option<G::Position> {
        self.tiers[tier.0 as usize].get(number as usize)?.clone()
    }
}

impl<G: Game> Predecessors<G> for Listed<G::Position> {
    fn predecessors(&self, tier: Tier, number: u64, out: &mut Vec<u64>) {
        out.extend(self.before.get(&(tier, number)).into_iter().flatten());
    }
}

impl<G: Chance> Rolls<G> for Listed<G::Position> {
    fn roller(&self, _pos: &G::Position) -> Turn {
        Turn::First
    }
}

/// Whether every number obeys the laws.
fn lawful<G: Game>(game: &G, index: &Listed<G::Position>, gaps: Gaps) -> bool
where
    Listed<G::Position>: Index<G>,
{
    let start = game.start().unwrap();
    let begins = IndexLaws::check_start(game, index, &start, gaps).is_ok();
    begins
        && (0..index.tiers.len()).all(|t| {
            let tier = Tier(t as u32);
            let mut laws = IndexLaws::new(game, index, tier, gaps);
            let len = Index::<G>::len(index, tier);
            laws.check_after().is_ok()
                && (0..len)
                    .all(|n| Index::<G>::unrank(index, tier, n).is_none_or(|pos| laws.check(n, &pos).is_ok()))
        })
}

type DepthFirstResult = Result<Box<dyn Fn(Tier, u64) -> Option<Value>>, SolveError>;

/// Compares a solver's result with the true values; returns whether it solved the game at all.
fn compare(
    name: &str,
    index: &Listed<(u8, bool)>,
    truth: &HashMap<(u8, bool), Value>,
    found: Result<impl Fn(Tier, u64) -> Option<Value>, SolveError>,
) -> bool {
    match found {
        Ok(value) => {
            for (pos, &expected) in truth {
                let (tier, number) = Index::<Graph>::rank(index, pos);
                assert_eq!(value(tier, number), Some(expected), "{name}: {pos:?}");
            }
            true
        }
        Err(error) => {
            assert!(matches!(error, SolveError::Law(_) | SolveError::Communicator(_)), "{name}: {error}");
            assert!(error.to_string().contains("law"), "{name}: {error}");
            false
        }
    }
}

fn distributed(game: &Graph, index: &Listed<(u8, bool)>) -> DepthFirstResult {
    let work = |crew: std::sync::Arc<dyn Communicator>| {
        let site = Blocks::new(game, index, crew.rank(), crew.size())?;
        let together = RankContext { crew: &*crew, watch: &NoMonitor };
        let nothing = |_| Ok(None);
        let values = solve_together(&site, together, nothing, |_, _| Ok::<(), SolveError>(()))?;
        let mut codes = Vec::new();
        for (t, &len) in index.lens.iter().enumerate() {
            let spots: Vec<_> = (0..len).map(|n| site.spot(t as u32, n, false)).collect();
            codes.push(values.at(&*crew, &spots)?);
        }
        Ok(codes)
    };
    let mut found: Vec<Result<Vec<Vec<WideLoopCode>>, SolveError>> = std::thread::scope(|scope| {
        let members: Vec<_> =
            LocalCommunicator::of(2).into_iter().map(|crew| scope.spawn(move || work(crew))).collect();
        members.into_iter().map(|member| member.join().expect("no panic")).collect()
    });
    let codes = found.swap_remove(0)?;
    Ok(Box::new(move |tier, number| outplay_core::Code::unpack(codes[tier.0 as usize][number as usize])))
}

/// Solves an acyclic game with every solver that takes an index.
fn solve_forward(game: &Graph, index: &Listed<(u8, bool)>) {
    let start = game.start().unwrap();
    let all = memo(game, &start, u64::MAX, &NoMonitor).unwrap();
    let truth: HashMap<(u8, bool), Value> = ExploredGame::new(game, &start, 1000, &NoMonitor)
        .unwrap()
        .positions()
        .iter()
        .map(|pos| (*pos, all.value(pos).unwrap()))
        .collect();
    let lawful = lawful(game, index, Gaps::None);
    let swept = reach(game, index, &start, &NoMonitor)
        .and_then(|reach| sweep::<Graph, _, i8>(game, index, Some(&reach), &NoMonitor));
    let codes = swept.as_ref().ok().map(|swept| {
        (0..index.tiers.len()).map(|t| swept.codes(Tier(t as u32)).to_vec()).collect::<Vec<_>>()
    });
    let solved =
        compare("sweep", index, &truth, swept.map(|swept| move |tier, number| swept.value(tier, number)));
    assert!(solved || !lawful, "a lawful index is swept");
    let stored =
        |tier: Tier| Ok(codes.as_ref().map_or_else(Vec::new, |codes| codes[tier.0 as usize].clone()));
    let verified = verify::<_, _, i8, SolveError>(game, index, &start, stored, &NoMonitor);
    assert_eq!(verified.map(|verified| verified.wrong).ok(), solved.then_some(0), "verify");
    let classic = sweep::<Graph, _, i32>(game, index, None, &NoMonitor);
    let classic = classic.map(|swept| move |tier, number| swept.value(tier, number));
    assert_eq!(compare("classic", index, &truth, classic), lawful);
    match remembered_sweep(game, index, &start, &NoMonitor) {
        Ok(value) => assert_eq!(value, truth[&start]),
        Err(error) => assert!(!lawful && matches!(error, SolveError::Law(_)), "{error}"),
    }
    solve_cyclic(game, index, &truth, lawful);
}

/// Solves a game with every solver for cyclic games.
fn solve_cyclic(game: &Graph, index: &Listed<(u8, bool)>, truth: &HashMap<(u8, bool), Value>, lawful: bool) {
    let by_graph =
        retrograde_by_graph::<Graph, _, LoopCode>(game, index, RetrogradeOptions::default(), &NoMonitor);
    if let Ok(solved) = &by_graph {
        let stored = |tier, number| solved.value(tier, number);
        assert_eq!(verify_loops(game, index, true, stored, &NoMonitor).unwrap().wrong, 0);
    }
    let by_graph = by_graph.map(|solved| move |tier, number| solved.value(tier, number));
    assert_eq!(compare("by graph", index, truth, by_graph), lawful);
    let back = retrograde::<Graph, _, LoopCode>(game, index, RetrogradeOptions::default(), &NoMonitor);
    let back = back.map(|solved| move |tier, number| solved.value(tier, number));
    // Predecessors can be broken, too.
    assert!(!compare("retrograde", index, truth, back) || lawful);
    let stable = sweep_until_stable(game, index, &NoMonitor);
    let stable = stable.map(|solved| move |tier, number| solved.value(tier, number));
    assert_eq!(compare("until stable", index, truth, stable), lawful);
    assert_eq!(compare("distributed", index, truth, distributed(game, index)), lawful);
    if !lawful {
        let nothing = |_, _| Some(Value::TIE);
        assert!(matches!(verify_loops(game, index, true, nothing, &NoMonitor), Err(SolveError::Law(_))));
    }
}

#[test]
fn one_range_is_solved_and_a_reversed_one_is_refused() {
    let game = (0..).map(|seed| Graph::new(&mut SmallRng::seed_from_u64(seed), 60, false));
    let large = |game: &Graph| Listed::new(game).ranks.len() > 20;
    let game = game.into_iter().find(large).unwrap();
    let mut index = Listed::new(&game);
    index.one_range(&game);
    assert!(lawful(&game, &index, Gaps::None) && index.tiers[0].len() > 20);
    solve_forward(&game, &index);
    index.tiers[0].reverse();
    index.finish(&game);
    assert!(!lawful(&game, &index, Gaps::None));
    solve_forward(&game, &index);
    let refused = reach(&game, &index, &(0, false), &NoMonitor).err().unwrap().to_string();
    assert!(refused.contains("(0, false) (number") && refused.contains(") leads to ("), "{refused}");
}

#[test]
fn broken_indexes_are_refused_and_others_solved_right() {
    let (mut kept, mut broken) = (0, 0);
    for seed in 0..400 {
        let rng = &mut SmallRng::seed_from_u64(seed);
        let cyclic = seed % 4 == 3;
        let nodes = rng.random_range(5..30);
        let game = Graph::new(rng, nodes, cyclic);
        let mut index = Listed::new(&game);
        for _ in 0..rng.random_range(0..3) {
            index.mutate(&game, rng);
        }
        let gaps = if cyclic { Gaps::Detours } else { Gaps::None };
        *if lawful(&game, &index, gaps) { &mut kept } else { &mut broken } += 1;
        if !cyclic {
            solve_forward(&game, &index);
            continue;
        }
        let truth = Listed::new(&game);
        let solved = retrograde_by_graph::<Graph, _, LoopCode>(
            &game,
            &truth,
            RetrogradeOptions::default(),
            &NoMonitor,
        )
        .unwrap();
        let value = |(pos, &(tier, number))| (pos, solved.value(tier, number).unwrap());
        let values = truth.ranks.clone().iter().map(|(pos, place)| value((*pos, place))).collect();
        solve_cyclic(&game, &index, &values, lawful(&game, &index, gaps));
    }
    assert!(kept > 50 && broken > 50, "{kept} {broken}");
}

#[test]
fn broken_indexes_of_games_with_dice_are_refused_and_others_solved_right() {
    let game = Pig::from_spec(Spec::parse("piglet:3").unwrap()).unwrap();
    let truth = Listed::new(&game);
    let all = chance(&game, &truth, Settle::default(), &NoMonitor).unwrap();
    let rolls = |pos: &_| game.turn(pos) == Turn::Chance || game.outcome(pos).is_some();
    let (mut kept, mut broken) = (0, 0);
    for seed in 0..200 {
        let rng = &mut SmallRng::seed_from_u64(seed);
        let mut index = Listed::new(&game);
        for _ in 0..rng.random_range(0..3) {
            index.mutate(&game, rng);
        }
        let is_lawful = lawful(&game, &index, Gaps::None);
        *if is_lawful { &mut kept } else { &mut broken } += 1;
        match chance(&game, &index, Settle::default(), &NoMonitor) {
            Ok(found) => {
                assert!(is_lawful);
                for (pos, &(tier, number)) in &truth.ranks {
                    let (other, place) = Index::<Pig>::rank(&index, pos);
                    let (expected, value) = (all.value(tier, number), found.value(other, place));
                    assert!((expected - value).abs() < 1e-9, "{pos:?}: {expected} {value}");
                }
            }
            Err(error) => assert!(!is_lawful && matches!(error, SolveError::Law(_)), "{seed}: {error}"),
        }
        for list in &mut index.tiers {
            list.iter_mut().for_each(|pos| *pos = pos.take().filter(rolls));
        }
        let is_lawful = lawful(&game, &index, Gaps::Rolls);
        match chance_rolls(&game, &index, Settle::default(), &NoMonitor) {
            Ok(found) => {
                assert!(is_lawful);
                for (pos, &(tier, number)) in truth.ranks.iter().filter(|(pos, _)| rolls(pos)) {
                    let (expected, value) = (all.value(tier, number), found.expand(&game, &index, pos));
                    assert!((expected - value).abs() < 1e-9, "{pos:?}: {expected} {value}");
                }
            }
            Err(error) => assert!(!is_lawful && matches!(error, SolveError::Law(_)), "{seed}: {error}"),
        }
    }
    assert!(kept > 20 && broken > 20, "{kept} {broken}");
}
