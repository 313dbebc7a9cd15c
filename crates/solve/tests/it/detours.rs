//! Moves to positions without a number: every solver equals value iteration on random toy games with them.
//!
//! ```text
//! tier 0   2 rows of 64 positions, one row a player      moves to positions of the other row, to tier 1, and
//! tier 1   2 rows of 64 positions                        detours: to a copy of a position with further moves
//! ```

use outplay_core::{
    Detour, Game, Index, Link, Payoff, Predecessors, SetDetour, Sets, Slots, Tier, TierExit, Turn, laws,
};
use outplay_runtime::NoMonitor;
use outplay_solve::{
    LoopCode, RetrogradeOptions, RetrogradeValues, looked_up, retrograde, retrograde_by_graph,
    sweep_until_stable, verify_loops,
};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::sync::Arc;

const ROW: u32 = 64;
const TIER: u32 = 2 * ROW;

/// Positions are numbers: those of tier 0, those of tier 1, then the copies.
#[derive(Clone)]
struct Toy(Arc<Rules>);

struct Rules {
    /// The successors of each position.
    moves: Vec<Vec<u32>>,
    /// For each copy: its base position, if that has moves, and its additional moves.
    copies: Vec<(Option<u32>, Vec<u32>)>,
    /// The payoff of each finished position.
    payoffs: Vec<Payoff>,
    /// Holes of tier 0, for some tests.
    holes: Vec<bool>,
}

/// Whether it is the second player's turn.
fn second(rules: &Rules, pos: u32) -> bool {
    match pos.checked_sub(2 * TIER) {
        // A copy's own moves lead to positions of the other player.
        Some(copy) => !second(rules, rules.copies[copy as usize].1[0]),
        None => pos % TIER >= ROW,
    }
}

impl Toy {
    fn new(seed: u64) -> Toy {
        let mut rng = SmallRng::seed_from_u64(seed);
        let count = 2 * TIER;
        let mut rules = Rules {
            moves: vec![Vec::new(); count as usize],
            copies: Vec::new(),
            payoffs: (0..count).map(|_| rng.random_range(-1..=1)).collect(),
            holes: (0..count).map(|_| rng.random_range(0..8) == 0).collect(),
        };
        let [inner, outer] = [(); 2].map(|()| rng.random_range(1..4));
        let other_row = |rng: &mut SmallRng, pos: u32, tier: u32, holes: &[bool]| loop {
            let row = if pos % TIER < ROW { ROW } else { 0 };
            let next = tier * TIER + row + rng.random_range(0..ROW);
            if !holes[next as usize] {
                return next;
            }
        };
        for pos in (0..count).filter(|&pos| !rules.holes[pos as usize]) {
            let tier = pos / TIER;
            for _ in 0..rng.random_range(0..=inner) {
                let next = other_row(&mut rng, pos, tier, &rules.holes);
                rules.moves[pos as usize].push(next);
            }
            for _ in 0..(1 - tier) * rng.random_range(0..outer) {
                let next = other_row(&mut rng, pos, 1, &rules.holes);
                rules.moves[pos as usize].push(next);
            }
            rules.moves[pos as usize].sort_unstable();
            rules.moves[pos as usize].dedup();
        }
        // Copies are added after all moves, because a finished position has no moves to share.
        let plain = rules.moves.clone();
        for pos in (0..TIER).filter(|&pos| !rules.holes[pos as usize]) {
            for _ in 0..rng.random_range(0..3u32).saturating_sub(rng.random_range(0..2)) {
                let like = other_row(&mut rng, pos, 0, &rules.holes);
                let mut own: Vec<u32> = (0..rng.random_range(1..3))
                    .map(|_| other_row(&mut rng, like, 1, &rules.holes))
                    .filter(|next| !plain[like as usize].contains(next))
                    .collect();
                own.sort_unstable();
                own.dedup();
                if own.is_empty() {
                    continue;
                }
                let goes_on = !plain[like as usize].is_empty();
                rules.copies.push((goes_on.then_some(like), own));
                let copy = 2 * TIER + rules.copies.len() as u32 - 1;
                rules.moves[pos as usize].push(copy);
            }
        }
        // A copy has all moves of its base position, detours included; base positions with detours are excluded.
        let passes = |rules: &Rules, pos: u32| rules.moves[pos as usize].iter().any(|&next| next >= 2 * TIER);
        for copy in 0..rules.copies.len() {
            if rules.copies[copy].0.is_some_and(|like| passes(&rules, like)) {
                let pos = 2 * TIER + copy as u32;
                rules.moves.iter_mut().for_each(|moves| moves.retain(|&next| next != pos));
            }
        }
        Toy(Arc::new(rules))
    }

    fn ahead(&self, pos: u32) -> Vec<u32> {
        match pos.checked_sub(2 * TIER) {
            None => self.0.moves[pos as usize].clone(),
            Some(copy) => {
                let (like, own) = &self.0.copies[copy as usize];
                let mut all = like.map(|like| self.0.moves[like as usize].clone()).unwrap_or_default();
                all.extend(own);
                all
            }
        }
    }
}

impl Game for Toy {
    type Position = u32;
    type Move = u32;

    fn start(&self) -> Option<u32> {
        None
    }

    fn turn(&self, pos: &u32) -> Turn {
        if second(&self.0, *pos) { Turn::Second } else { Turn::First }
    }

    fn moves(&self, pos: &u32, out: &mut Vec<u32>) {
        out.extend(self.ahead(*pos));
    }

    fn play(&self, _pos: &u32, mv: u32) -> u32 {
        mv
    }

    fn outcome(&self, pos: &u32) -> Option<Payoff> {
        self.ahead(*pos).is_empty().then(|| self.0.payoffs[*pos as usize])
    }
}

struct ToyIndex(Toy, usize);

fn place(pos: u32) -> (Tier, u64) {
    (Tier(pos / TIER), u64::from(pos % TIER))
}

fn link(pos: u32) -> Link {
    let (tier, number) = place(pos);
    Link { tier, number, same_player: false }
}

impl Index<Toy> for ToyIndex {
    fn tiers(&self) -> u32 {
        2
    }

    fn child_tiers(&self, tier: Tier) -> Vec<Tier> {
        if tier == Tier(0) { vec![Tier(1)] } else { Vec::new() }
    }

    fn loops(&self, _tier: Tier) -> bool {
        true
    }

    fn len(&self, _tier: Tier) -> u64 {
        TIER.into()
    }

    fn rank(&self, pos: &u32) -> (Tier, u64) {
        place(*pos)
    }

    fn unrank(&self, tier: Tier, number: u64) -> Option<u32> {
        let pos = tier.0 * TIER + number as u32;
        (!self.0.0.holes[pos as usize]).then_some(pos)
    }

    fn holds(&self, pos: &u32) -> bool {
        *pos < 2 * TIER
    }

    fn detours(&self, _game: &Toy, _tier: Tier, pos: &u32, out: &mut Vec<Detour>) {
        let rules = &self.0.0;
        for copy in rules.moves[*pos as usize].iter().filter_map(|next| next.checked_sub(2 * TIER)) {
            let (like, own) = &rules.copies[copy as usize];
            out.push(Detour {
                like: like.map(u64::from),
                instead: own.iter().copied().map(link).collect(),
                same_player: false,
            });
        }
    }
}

impl Predecessors<Toy> for ToyIndex {
    fn predecessors(&self, tier: Tier, number: u64, out: &mut Vec<u64>) {
        let pos = tier.0 * TIER + number as u32;
        let all =
            (tier.0 * TIER..(tier.0 + 1) * TIER).filter(|&from| self.0.0.moves[from as usize].contains(&pos));
        out.extend(all.map(|from| place(from).1));
    }

    fn sets(&self, tier: Tier) -> Option<Box<dyn Sets + '_>> {
        let mut sets = ToySets {
            rules: &self.0.0,
            tier: tier.0,
            width: self.1,
            legal: vec![0; 2 * self.1],
            places: vec![u32::MAX; 64 * self.1],
        };
        for (row, place) in (0..2).flat_map(|row| (0..ROW).map(move |place| (row, place))) {
            let slot = sets.slot(place) as usize;
            sets.places[slot] = place;
            if self.unrank(tier, (row * ROW + place).into()).is_some() {
                sets.legal[row as usize * self.1 + slot / 64] |= 1 << (slot % 64);
            }
        }
        Some(Box::new(sets))
    }
}

/// In wide rows, the positions are scattered over the words.
struct ToySets<'a> {
    rules: &'a Rules,
    tier: u32,
    width: usize,
    legal: Vec<u64>,
    /// The place in its row of the position of a slot.
    places: Vec<u32>,
}

impl ToySets<'_> {
    fn position(&self, row: usize, place: u32) -> u32 {
        self.tier * TIER + row as u32 * ROW + place
    }

    /// The slot of a place.
    fn slot(&self, place: u32) -> u32 {
        match self.width {
            1 => place,
            width => place * width as u32 + place,
        }
    }

    fn has_move(&self, row: usize, place: u32, to: &[u64]) -> bool {
        self.rules.moves[self.position(row, place) as usize].iter().any(|&next| {
            let slot = self.slot(next % ROW) as usize;
            let word = (next % TIER / ROW) as usize * self.width + slot / 64;
            next / TIER == self.tier && to[word] >> (slot % 64) & 1 == 1
        })
    }
}

impl Sets for ToySets<'_> {
    fn width(&self) -> usize {
        self.width
    }

    fn legal(&self) -> &[u64] {
        &self.legal
    }

    fn numbers(&self) -> u64 {
        ROW.into()
    }

    fn turn(&self, row: usize) -> Turn {
        if row == 1 { Turn::Second } else { Turn::First }
    }

    fn slots(&self, _row: usize, word: usize) -> Slots {
        let used = |bit: &usize| self.places[word * 64 + bit] != u32::MAX;
        let numbered = (0..64).filter(used).fold(0, |all, bit| all | 1 << bit);
        Slots { first: 0, numbered, counted: numbered, weight: 1 }
    }

    fn places(&self) -> Option<&[u32]> {
        (self.width > 1).then_some(&self.places)
    }

    fn number(&self, row: usize, slot: u32) -> u64 {
        row as u64 * u64::from(ROW) + u64::from(self.places[slot as usize])
    }

    fn strike(&self, row: usize, to: &[u64], rest: &mut [u64]) {
        for place in (0..ROW).filter(|&place| self.has_move(row, place, to)) {
            let slot = self.slot(place);
            rest[slot as usize / 64] &= !(1 << (slot % 64));
        }
    }

    fn touched(&self, row: usize, changed: &[u64]) -> u64 {
        // The moves are random, so any word may have one to a word that changed.
        if changed[1 - row] == 0 { 0 } else { u64::MAX >> (64 - self.width.min(64)) }
    }

    fn exits(&self, row: usize, visit: &mut dyn FnMut(Tier, &[TierExit])) {
        let mut list = Vec::new();
        for slot in 0..ROW {
            let moves = &self.rules.moves[self.position(row, slot) as usize];
            let out = moves.iter().filter(|&&next| next / TIER > self.tier && next < 2 * TIER);
            list.extend(out.map(|next| TierExit { slot: self.slot(slot), number: next % TIER }));
        }
        visit(Tier(1), &list);
    }

    fn detours(&self, row: usize) -> Vec<SetDetour> {
        let mut found = Vec::new();
        for slot in 0..ROW {
            for next in &self.rules.moves[self.position(row, slot) as usize] {
                let Some(copy) = next.checked_sub(2 * TIER) else { continue };
                let (like, own) = &self.rules.copies[copy as usize];
                found.push(SetDetour {
                    slot: self.slot(slot),
                    like: like.map(|like| (like % TIER / ROW, self.slot(like % ROW))),
                    instead: own.iter().map(|&next| place(next)).collect(),
                });
            }
        }
        found
    }
}

#[test]
fn every_solver_agrees_on_games_with_detours() {
    let (mut copies, mut bound) = (0, 0);
    for seed in 0..400 {
        let game = Toy::new(seed);
        // Rows of one word, and of groups of words.
        let index = ToyIndex(game.clone(), if seed % 2 == 0 { 1 } else { 256 });
        if seed < 20 {
            laws::check_index(&game, &index);
        }
        let stable = sweep_until_stable(&game, &index, &NoMonitor).unwrap();
        for distance in [true, false] {
            let run = |sets| -> RetrogradeValues<LoopCode> {
                retrograde(&game, &index, RetrogradeOptions { distance, sets }, &NoMonitor).unwrap()
            };
            let (by_sets, by_counters) = (run(true), run(false));
            let graph: RetrogradeValues<LoopCode> =
                retrograde_by_graph(&game, &index, RetrogradeOptions { distance, sets: false }, &NoMonitor)
                    .unwrap();
            for tier in [Tier(0), Tier(1)] {
                assert_eq!(
                    by_sets.tier_tally(tier),
                    by_counters.tier_tally(tier),
                    "{seed} {tier:?} {distance}"
                );
                for number in 0..u64::from(TIER) {
                    let [a, b, c] =
                        [&by_sets, &by_counters, &graph].map(|solved| solved.code::<LoopCode>(tier, number));
                    assert_eq!((a, a), (b, c), "{seed} {tier:?} {number} {distance}");
                    let (swept, found) = (stable.value(tier, number), by_counters.value(tier, number));
                    match distance {
                        true => assert_eq!(swept, found, "{seed} {tier:?} {number}"),
                        false => {
                            let plain = |value: outplay_core::Value| (value.payoff(), value.is_repetition());
                            assert_eq!(swept.map(plain), found.map(plain), "{seed} {tier:?} {number}");
                        }
                    }
                }
            }
            let stored = |tier, number| by_counters.value(tier, number);
            for exact in [distance, false] {
                let verified = verify_loops(&game, &index, exact, stored, &NoMonitor).unwrap();
                assert_eq!(verified.wrong, 0, "{seed} {exact}: {verified:?}");
            }
        }
        // A copy is worth at least as much as its base position, and sometimes more.
        for (copy, (like, _)) in game.0.copies.iter().enumerate() {
            let stored = |tier, number| Ok::<_, ()>(stable.value(tier, number));
            let pos = 2 * TIER + copy as u32;
            let (Ok(Some(value)), Some(like)) = (looked_up(&game, &index, &pos, &stored), like) else {
                continue;
            };
            let plain = stable.value(Tier(0), (*like).into()).unwrap();
            assert!(value >= plain, "{seed}: {value} is less than {plain}");
            copies += 1;
            bound += u32::from(value > plain);
        }
    }
    assert!(copies > 2_500 && bound > 250, "{copies} {bound}");
}
