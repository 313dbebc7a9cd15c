//! Distributed solving equals one process: the same numbers, values and counts.

use outplay_core::{Game, Index, Notation, Predecessors, Tier, Value};
use outplay_games::Spec;
use outplay_games::chess::{Chess, ChessIndex};
use outplay_games::morris::{Morris, MorrisIndex};
use outplay_games::nim::Nim;
use outplay_games::pig::{Pig, PigIndex};
use outplay_runtime::{Communicator, LocalCommunicator, Monitor, NoMonitor};
use outplay_solve::{
    Blocks, ExploredGame, GlobalId, KeepMeans, LoopCode, RankContext, RetrogradeOptions, Settle,
    ShardedGraph, SolveError, Tally, TierConvergence, WideLoopCode, canonical, chance_rolls,
    chance_rolls_kept, reach, retrograde, retrograde_by_graph, solve_together, sweep,
};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

fn together<T: Send>(size: usize, work: impl Fn(Arc<dyn Communicator>) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let work = &work;
        let members: Vec<_> =
            LocalCommunicator::of(size).into_iter().map(|crew| scope.spawn(move || work(crew))).collect();
        members.into_iter().map(|member| member.join().expect("no panic")).collect()
    })
}

type Codes = BTreeMap<(u32, u64), WideLoopCode>;

/// The codes of a rank's slots, and the counts of all ranks.
fn solved(site: &impl GlobalId, crew: &dyn Communicator) -> (Codes, Tally) {
    let nothing = |_| Ok(None);
    let values = solve_together(site, RankContext { crew, watch: &NoMonitor }, nothing, |_, _| {
        Ok::<(), SolveError>(())
    });
    let values = values.expect("solves");
    let mut codes = Codes::new();
    for tier in 0..site.tiers() {
        for (slot, &code) in values.codes(tier).iter().enumerate() {
            if outplay_core::Code::unpack(code).is_some() {
                codes.insert((tier, site.number(tier, slot as u32)), code);
            }
        }
    }
    (codes, values.tally().clone())
}

fn explored<G: Game + Notation>(game: &G) {
    let start = game.start().expect("has a start");
    let index = ExploredGame::new(game, &start, u64::MAX, &NoMonitor).expect("explores");
    let mut expected = Codes::new();
    let tally = if index.has_loops() {
        let found =
            retrograde_by_graph::<G, _, WideLoopCode>(game, &index, RetrogradeOptions::default(), &NoMonitor);
        let found = found.expect("solves");
        for tier in (0..index.tiers()).map(Tier) {
            for number in 0..index.len(tier) {
                expected.insert((tier.0, number), found.code(tier, number).expect("no hole"));
            }
        }
        found.tally().clone()
    } else {
        let all = reach(game, &index, &start, &NoMonitor).expect("reaches");
        let found = sweep::<G, _, i32>(game, &index, Some(&all), &NoMonitor).expect("solves");
        for tier in (0..index.tiers()).map(Tier) {
            for number in 0..index.len(tier) {
                let value: Value = found.value(tier, number).expect("no hole");
                expected.insert((tier.0, number), outplay_core::Code::pack(value).expect("fits"));
            }
        }
        found.tally().clone()
    };
    for size in 1..=4 {
        let ranks = together(size, |crew| {
            let site = ShardedGraph::explore(game, &start, u64::MAX, &*crew, &NoMonitor).expect("explores");
            assert_eq!(site.has_loops(), index.has_loops());
            let sizes: Vec<u64> = (0..site.tiers()).map(|tier| site.len(tier)).collect();
            let known: Vec<u64> = (0..index.tiers()).map(|tier| index.len(Tier(tier))).collect();
            assert_eq!(sizes, known);
            let spots = site.find(game, index.positions(), &*crew).expect("all are there");
            assert_eq!(spots.len(), index.positions().len());
            let kept = site.canonical(game, &*crew, &NoMonitor).expect("images are there");
            let mut images = Vec::new();
            for tier in 0..site.tiers() {
                for slot in 0..site.slots(tier) {
                    let number = site.number(tier, slot);
                    let pos = index.unrank(Tier(tier), number).expect("no hole");
                    let own = canonical(game, &index, &pos, &mut images) == (Tier(tier), number);
                    assert_eq!(kept[tier as usize][slot as usize], own);
                }
            }
            solved(&site, &*crew)
        });
        let mut codes = Codes::new();
        for (mut found, counts) in ranks {
            assert_eq!(counts, tally);
            codes.append(&mut found);
        }
        assert!(codes == expected, "{size} ranks");
    }
}

fn indexed<G: Game, I: Predecessors<G>>(game: &G, index: &I) {
    let found =
        retrograde::<G, I, LoopCode>(game, index, RetrogradeOptions::default(), &NoMonitor).expect("solves");
    for size in [1, 3] {
        let ranks = together(size, |crew| {
            let site = Blocks::new(game, index, crew.rank(), crew.size()).expect("fits");
            solved(&site, &*crew)
        });
        let mut count = 0;
        for (codes, tally) in ranks {
            assert_eq!(&tally, found.tally());
            count += codes.len();
            for ((tier, number), code) in codes {
                assert_eq!(found.code::<WideLoopCode>(Tier(tier), number), Some(code), "{tier} {number}");
            }
        }
        let holes = |tier| (0..index.len(tier)).filter(move |&number| index.unrank(tier, number).is_some());
        let all: usize = (0..index.tiers()).map(|tier| holes(Tier(tier)).count()).sum();
        assert_eq!(count, all);
    }
}

#[test]
fn acyclic_games_equal_one_process() {
    for spec in ["nim:1", "nim:3+4+5", "nim:2+2+2,normal"] {
        explored(&Nim::from_spec(Spec::parse(spec).expect("a spec")).expect("a game"));
    }
}

#[test]
fn cyclic_games_equal_one_process() {
    explored(&Morris::from_spec(Spec::parse("morris:tapatan").expect("a spec")).expect("a game"));
}

#[test]
fn indexes_equal_one_process() {
    let morris = Morris::from_spec(Spec::parse("morris:three").expect("a spec")).expect("a game");
    indexed(&morris, &MorrisIndex::to_solve(&morris));
    let chess = Chess::from_spec(Spec::parse("chess:KQK").expect("a spec")).expect("a game");
    indexed(&chess, &ChessIndex::new(&chess));
}

/// A checkpoint store without stored tiers, for several ranks.
struct DistributedStore(Arc<dyn Communicator>);

impl KeepMeans for DistributedStore {
    type Error = SolveError;
    fn known(&mut self, _tier: Tier) -> Result<Option<(Vec<f64>, TierConvergence)>, SolveError> {
        Ok(None)
    }
    fn keep(&mut self, _tier: Tier, _values: &[f64], _settled: TierConvergence) -> Result<(), SolveError> {
        Ok(())
    }
    fn crew(&self) -> Option<Arc<dyn Communicator>> {
        Some(self.0.clone())
    }
}

#[test]
fn expected_payoffs_equal_one_process_bit_for_bit() {
    let pig = Pig::from_spec(Spec::parse("pig:20").expect("a spec")).expect("a game");
    let index = PigIndex::new(&pig);
    let alone = chance_rolls(&pig, &index, Settle::default(), &NoMonitor).expect("settles");
    let found = together(3, |crew| {
        chance_rolls_kept(&pig, &index, Settle::default(), &mut DistributedStore(crew), &NoMonitor)
            .expect("settles")
    });
    for found in found {
        assert_eq!(
            (found.rounds(), found.change(), found.bound()),
            (alone.rounds(), alone.change(), alone.bound())
        );
        for tier in (0..index.tiers()).map(Tier) {
            let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(found.values(tier)), bits(alone.values(tier)));
        }
    }
}

#[test]
fn too_many_positions_are_refused_by_all() {
    let nim = Nim::from_spec(Spec::parse("nim:5+6+7").expect("a spec")).expect("a game");
    let start = nim.start().expect("has a start");
    let refused = together(3, |crew| ShardedGraph::explore(&nim, &start, 20, &*crew, &NoMonitor).is_err());
    assert_eq!(refused, [true; 3]);
}

/// Stops one rank at its n-th poll.
struct StopAt(AtomicUsize);

impl Monitor for StopAt {
    fn stage(&self, _name: &str, _total: u64) {}
    fn advance(&self, _units: u64) {}
    fn stopped(&self) -> bool {
        self.0.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_err()
    }
}

/// A rank that left the others waiting would hang them.
#[test]
fn stopped_rank_stops_all_ranks() {
    let morris = Morris::from_spec(Spec::parse("morris:tapatan").expect("a spec")).expect("a game");
    let start = morris.start().expect("has a start");
    let mut failed = 0;
    for polls in (0..).step_by(3) {
        let explored = together(3, |crew| {
            let polls = if crew.rank() == 1 { polls } else { usize::MAX };
            ShardedGraph::explore(&morris, &start, u64::MAX, &*crew, &StopAt(AtomicUsize::new(polls))).is_ok()
        });
        assert!(explored == [explored[0]; 3], "after {polls} polls: {explored:?}");
        if explored[0] {
            break;
        }
        failed += 1;
    }
    assert!(failed > 5, "the search for layers polls, too");
}
