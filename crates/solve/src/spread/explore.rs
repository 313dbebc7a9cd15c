//! Exploring on all ranks: a position belongs to the rank that the hash of its text names.
//!
//! ```text
//!  a level of the search:  moves are played, and the texts of what they lead to go to their ranks, many at a time
//!                          each rank says where it keeps them
//!                          new ones get the numbers that one process would give them, by parent and move
//! ```

use super::layers::Layers;
use super::{Parcels, Site, Spot, agree, gone, hand_over, rounds, total, words};
use crate::SolveError;
use outplay_core::crew::{pack, unpack};
use outplay_core::numbers::{put_number, take_number};
use outplay_core::{Crew, Game, Notation, Pace, Payoff, Turn, Watch};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;

/// Positions whose images a rank looks for between two exchanges.
const STEP: usize = 1 << 13;
/// Bytes of positions that a rank hands over at a time, more or less.
const BATCH: usize = 1 << 23;
/// No number yet.
const NEW: u64 = u64::MAX;

/// What a rank knows of a game that was explored by all.
pub struct Scattered {
    rank: usize,
    ranks: usize,
    best: Payoff,
    turns: Vec<Turn>,
    outcomes: Vec<Option<Payoff>>,
    /// Moves of position i are `edges[first[i]..first[i + 1]]`: a rank and a place in its list, then spots.
    edges: Vec<u64>,
    first: Vec<usize>,
    /// Which position a text is.
    texts: FxHashMap<Box<[u8]>, u32>,
    /// By place in a tier: which position it is.
    members: Vec<Vec<u32>>,
    /// By position: its number in its tier, and where it is.
    numbers: Vec<u64>,
    spots: Vec<Spot>,
    sizes: Vec<u64>,
    loops: Vec<bool>,
}

/// The rank that a text belongs to.
fn rank_of(text: &[u8], ranks: usize) -> usize {
    let mut hasher = FxHasher::default();
    hasher.write(text);
    // The upper bits are the good ones.
    ((hasher.finish().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize) % ranks
}

/// Exploring under way.
struct Search<'a, G: Game> {
    game: &'a G,
    crew: &'a dyn Crew,
    watch: &'a dyn Watch,
    found: Scattered,
    /// By position: the number that one process would give it, and how many moves lead to it.
    ids: Vec<u64>,
    coming: Vec<u32>,
    /// Positions of this level, and of the next with parent and move of whoever finds them first.
    level: Vec<(u32, G::Position)>,
    next: Vec<(u32, G::Position)>,
    finders: Vec<(u64, u32)>,
}

/// Moves of positions that were handed over: how many each position has, and the ranks that they lead to.
#[derive(Default)]
struct Sent {
    moves: Vec<u32>,
    ranks: Vec<u16>,
}

impl Scattered {
    /// Plays every move from `start`; a rank gives up beyond `most` positions of its own.
    ///
    /// # Errors
    ///
    /// Too many positions, dice, a fault of the rules, a rank that is gone, or a stop.
    pub fn explore<G: Game + Notation>(
        game: &G,
        start: &G::Position,
        most: u64,
        crew: &dyn Crew,
        watch: &dyn Watch,
    ) -> Result<Scattered, SolveError> {
        let found = Scattered {
            rank: crew.rank(),
            ranks: crew.size(),
            best: game.best_payoff(),
            turns: Vec::new(),
            outcomes: Vec::new(),
            edges: Vec::new(),
            first: vec![0],
            texts: FxHashMap::default(),
            members: Vec::new(),
            numbers: Vec::new(),
            spots: Vec::new(),
            sizes: Vec::new(),
            loops: Vec::new(),
        };
        if crew.size() >= Spot::RANKS {
            return Err(SolveError::TooLarge(Spot::RANKS as u64));
        }
        let mut search = Search {
            game,
            crew,
            watch,
            found,
            ids: Vec::new(),
            coming: Vec::new(),
            level: Vec::new(),
            next: Vec::new(),
            finders: Vec::new(),
        };
        crew.phase("exploring");
        search.run(start, most)?;
        crew.phase("finding tiers");
        let Search { mut found, ids, coming, .. } = search;
        let layers = Layers::find(&found.edges, &found.first, coming, crew, watch)?;
        crew.phase("numbering");
        found.number_tiers(&ids, &layers.layer, crew)?;
        found.loops = layers.loops;
        found.translate(crew)?;
        Ok(found)
    }

    /// Whether play can return to an earlier position.
    pub fn has_loops(&self) -> bool {
        self.loops.contains(&true)
    }

    /// How many positions this rank keeps.
    pub fn positions(&self) -> usize {
        self.turns.len()
    }

    /// The spots of positions that all ranks name alike.
    ///
    /// # Errors
    ///
    /// A rank that is gone, or a position that play does not reach.
    pub fn find<G: Game + Notation>(
        &self,
        game: &G,
        positions: &[G::Position],
        crew: &dyn Crew,
    ) -> Result<Vec<Spot>, SolveError> {
        let spot = |pos: &G::Position| {
            let text = game.write_position(pos);
            self.texts.get(text.as_bytes()).map_or(NEW, |&id| self.spots[id as usize].0)
        };
        let mine: Vec<u64> = positions.iter().map(spot).collect();
        let mut spots = mine.clone();
        for bytes in crew.gather(&pack(&mine)).map_err(gone)? {
            spots.iter_mut().zip(unpack(&bytes)).for_each(|(spot, told)| *spot = told.min(*spot));
        }
        if spots.contains(&NEW) {
            return Err(SolveError::Fault("a position was not reached by the exploration".into()));
        }
        Ok(spots.into_iter().map(Spot).collect())
    }

    /// Of each place of a tier of this rank's: whether a table keeps it, rather than an image of it.
    ///
    /// # Errors
    ///
    /// A rank that is gone, or a text that is no position.
    pub fn canonical<G: Game + Notation>(
        &self,
        game: &G,
        crew: &dyn Crew,
        watch: &dyn Watch,
    ) -> Result<Vec<Vec<bool>>, SolveError> {
        crew.phase("finding images");
        let mut kept: Vec<Vec<bool>> = self.members.iter().map(|list| vec![true; list.len()]).collect();
        let texts: Vec<(&Box<[u8]>, &u32)> = self.texts.iter().collect();
        let place = |id: u32| (self.spots[id as usize].tier(), self.numbers[id as usize]);
        for round in 0..rounds(crew, texts.len(), STEP)? {
            if watch.stopped() {
                return Err(SolveError::Stopped);
            }
            let mut asked = Parcels::new(crew);
            let mut asking: Vec<Vec<u32>> = vec![Vec::new(); crew.size()];
            let mut images = Vec::new();
            let mut trouble = Ok(());
            for &(text, &id) in texts.iter().skip(round * STEP).take(STEP) {
                images.clear();
                match read(game, text) {
                    Ok(pos) => game.symmetric(&pos, &mut images),
                    Err(error) => trouble = Err(error),
                }
                for image in &images {
                    let text = game.write_position(image);
                    let rank = rank_of(text.as_bytes(), self.ranks);
                    asking[rank].push(id);
                    put_text(&mut asked, rank, text.as_bytes());
                }
            }
            agree(crew, trouble)?;
            let mut answers = Parcels::new(crew);
            for (rank, parcel) in asked.exchange(crew)?.iter().enumerate() {
                for text in texts_of(parcel) {
                    let (tier, number) = self.texts.get(text).map_or((u32::MAX, NEW), |&id| place(id));
                    answers.put64(rank, tier.into());
                    answers.put64(rank, number);
                }
            }
            for (parcel, asking) in answers.exchange(crew)?.iter().zip(asking) {
                let numbers: Vec<u64> = unpack(parcel).collect();
                for (pair, id) in numbers.chunks_exact(2).zip(asking) {
                    let (tier, number) = place(id);
                    let spot = self.spots[id as usize];
                    kept[spot.tier() as usize][spot.slot() as usize] &=
                        (u64::from(tier), number) <= (pair[0], pair[1]);
                }
            }
        }
        Ok(kept)
    }

    /// Numbers the positions of each tier in the order of their ids.
    fn number_tiers(&mut self, ids: &[u64], layer: &[u32], crew: &dyn Crew) -> Result<(), SolveError> {
        let ranks = crew.size();
        let all = total(crew, ids.len() as u64)?;
        let share = all.div_ceil(ranks as u64).max(1);
        let tiers = u64::MAX
            - crew.least(u64::MAX - layer.iter().max().map_or(0, |&t| u64::from(t) + 1)).map_err(gone)?;
        if tiers as usize >= Spot::TIERS {
            return Err(SolveError::TooLarge(Spot::TIERS as u64));
        }
        let (mut parcels, mut sent) = (Parcels::new(crew), vec![Vec::new(); ranks]);
        for (position, (&id, &tier)) in ids.iter().zip(layer).enumerate() {
            let rank = (id / share) as usize;
            parcels.put64(rank, id);
            parcels.put64(rank, tier.into());
            sent[rank].push(position);
        }
        let got: Vec<Vec<u64>> =
            parcels.exchange(crew)?.iter().map(|parcel| unpack(parcel).collect()).collect();
        // The tiers of a stretch of ids, in order.
        let mut stretch: Vec<(u64, u64, usize, usize)> = Vec::new();
        for (rank, numbers) in got.iter().enumerate() {
            for (i, pair) in numbers.chunks_exact(2).enumerate() {
                stretch.push((pair[0], pair[1], rank, i));
            }
        }
        stretch.sort_unstable();
        let mut counts = vec![0u64; tiers as usize];
        stretch.iter().for_each(|&(_, tier, _, _)| counts[tier as usize] += 1);
        let told: Vec<Vec<u64>> =
            crew.gather(&pack(&counts)).map_err(gone)?.iter().map(|bytes| unpack(bytes).collect()).collect();
        let mut at = vec![0u64; tiers as usize];
        self.sizes = vec![0; tiers as usize];
        for (rank, counts) in told.iter().enumerate() {
            for (tier, &count) in counts.iter().enumerate() {
                at[tier] += if rank < crew.rank() { count } else { 0 };
                self.sizes[tier] += count;
            }
        }
        let mut answers: Vec<Vec<u64>> = got.iter().map(|numbers| vec![0; numbers.len() / 2]).collect();
        for (_, tier, rank, i) in stretch {
            answers[rank][i] = at[tier as usize];
            at[tier as usize] += 1;
        }
        let answers = answers.iter().map(|numbers| pack(numbers)).collect();
        self.numbers = vec![0; ids.len()];
        for (parcel, sent) in crew.exchange(answers).map_err(gone)?.iter().zip(sent) {
            for (number, position) in unpack(parcel).zip(sent) {
                self.numbers[position] = number;
            }
        }
        self.members = vec![Vec::new(); tiers as usize];
        (0..ids.len()).for_each(|position| self.members[layer[position] as usize].push(position as u32));
        self.spots = vec![Spot(0); ids.len()];
        for (tier, members) in self.members.iter_mut().enumerate() {
            members.sort_unstable_by_key(|&position| self.numbers[position as usize]);
            for (slot, &position) in members.iter().enumerate() {
                self.spots[position as usize] = Spot::new(self.rank, tier as u32, slot as u32, false);
            }
        }
        Ok(())
    }

    /// Turns the ends of moves into spots.
    fn translate(&mut self, crew: &dyn Crew) -> Result<(), SolveError> {
        /// Moves between two exchanges.
        const MOVES: usize = 1 << 18;
        /// Set in the number of a position that is asked for by one where the second player moves: exploring gives up
        /// before numbers are that large.
        const SECOND: u32 = 1 << 31;
        let second = |position: usize| self.turns[position] == Turn::Second;
        let mut position = 0;
        for round in 0..rounds(crew, self.edges.len(), MOVES)? {
            let range = (round * MOVES).min(self.edges.len())..((round + 1) * MOVES).min(self.edges.len());
            let (mut asked, mut asking) = (Parcels::new(crew), vec![Vec::new(); crew.size()]);
            for edge in range {
                while self.first[position + 1] <= edge {
                    position += 1;
                }
                let (rank, id) = ((self.edges[edge] >> 32) as usize, self.edges[edge] as u32);
                asked.put32(rank, id | if second(position) { SECOND } else { 0 });
                asking[rank].push(edge);
            }
            let mut answers = Parcels::new(crew);
            for (rank, parcel) in asked.exchange(crew)?.iter().enumerate() {
                for word in words(parcel) {
                    let id = (word & !SECOND) as usize;
                    let same = second(id) == (word & SECOND != 0);
                    answers.put64(rank, self.spots[id].0 | u64::from(same) << 63);
                }
            }
            for (parcel, asking) in answers.exchange(crew)?.iter().zip(asking) {
                for (spot, edge) in unpack(parcel).zip(asking) {
                    self.edges[edge] = spot;
                }
            }
        }
        Ok(())
    }
}

fn read<G: Notation>(game: &G, text: &[u8]) -> Result<G::Position, SolveError> {
    let text = std::str::from_utf8(text).unwrap_or_default();
    game.read_position(text).map_err(|error| {
        SolveError::Fault(format!("`{text}`, which it wrote itself, cannot be read: {error}"))
    })
}

fn put_text(parcels: &mut Parcels, rank: usize, text: &[u8]) {
    parcels.put32(rank, text.len() as u32);
    parcels.put_bytes(rank, text);
}

fn texts_of(mut parcel: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let (head, rest) = parcel.split_at_checked(4)?;
        let (text, rest) = rest.split_at_checked(words(head).next()? as usize)?;
        parcel = rest;
        Some(text)
    })
}

impl<G: Game + Notation> Search<'_, G> {
    fn run(&mut self, start: &G::Position, most: u64) -> Result<(), SolveError> {
        let most = most.min(u64::from(u32::MAX) / 2);
        let text = self.game.write_position(start);
        let first = rank_of(text.as_bytes(), self.crew.size());
        if first == self.crew.rank() {
            self.add(text.as_bytes(), start.clone());
            self.ids[0] = 0;
            self.level = std::mem::take(&mut self.next);
        }
        self.finders.clear();
        let (mut low, mut known) = (0, 1u64);
        while low < known {
            let (mut done, mut more) = (0, true);
            while more {
                let mut sent = Sent::default();
                let played = self.play(done, low, &mut sent);
                let ahead = done + sent.moves.len() < self.level.len();
                let parcels;
                (parcels, more) = hand_over(self.crew, played.map(|parcels| (parcels, ahead)))?;
                let taken = self.take(&parcels, low, most);
                drop(parcels);
                let (answers, _) = hand_over(self.crew, taken.map(|answers| (answers, false)))?;
                self.link(done, &sent, &answers);
                done += sent.moves.len();
            }
            let high = known;
            self.number_level(low, &mut known)?;
            low = high;
            self.level = std::mem::take(&mut self.next);
            self.finders.clear();
        }
        Ok(())
    }

    /// Adds a position of this rank's.
    fn add(&mut self, text: &[u8], pos: G::Position) -> u32 {
        let id = self.found.turns.len() as u32;
        self.found.texts.insert(text.into(), id);
        self.found.turns.push(self.game.turn(&pos));
        self.found.outcomes.push(self.game.outcome(&pos));
        self.ids.push(NEW);
        self.coming.push(0);
        self.finders.push((u64::MAX, 0));
        self.next.push((id, pos));
        id
    }

    /// Plays the moves of a part of the level; a record is the text, which move it was, and the parent's number in the
    /// level.
    fn play(&mut self, from: usize, low: u64, sent: &mut Sent) -> Result<Parcels, SolveError> {
        let mut pace = Pace::new(self.watch);
        let mut parcels = Parcels::new(self.crew);
        let mut moves = Vec::new();
        for (id, pos) in &self.level[from..] {
            moves.clear();
            if self.game.turn(pos) == Turn::Chance {
                return Err(SolveError::Chance("exploring on several ranks"));
            }
            self.game.moves(pos, &mut moves);
            for (i, &mv) in moves.iter().enumerate() {
                if pace.step() {
                    return Err(SolveError::Stopped);
                }
                let text = self.game.write_position(&self.game.play(pos, mv));
                let rank = rank_of(text.as_bytes(), self.crew.size());
                let parcel = parcels.of(rank);
                put_number(parcel, text.len() as u64);
                parcel.extend_from_slice(text.as_bytes());
                put_number(parcel, i as u64);
                put_number(parcel, self.ids[*id as usize] - low);
                sent.ranks.push(rank as u16);
            }
            sent.moves.push(moves.len() as u32);
            if sent.moves.len().is_multiple_of(64) && parcels.bytes() >= BATCH {
                break;
            }
        }
        if let Some(why) = self.game.fault() {
            return Err(SolveError::Fault(why));
        }
        self.watch.advance(sent.moves.len() as u64);
        Ok(parcels)
    }

    /// Takes in positions and says where they are kept.
    fn take(&mut self, parcels: &[Vec<u8>], low: u64, most: u64) -> Result<Parcels, SolveError> {
        let mut answers = Parcels::new(self.crew);
        let half = || gone("another rank sent half a position".into());
        for (rank, parcel) in parcels.iter().enumerate() {
            let mut rest = parcel.as_slice();
            while !rest.is_empty() {
                let length = take_number(&mut rest).ok_or_else(half)? as usize;
                let (text, behind) = rest.split_at_checked(length).ok_or_else(half)?;
                rest = behind;
                let step = take_number(&mut rest).ok_or_else(half)? as u32;
                let parent = low + take_number(&mut rest).ok_or_else(half)?;
                let id = match self.found.texts.get(text) {
                    Some(&id) => id,
                    None => {
                        if self.found.turns.len() as u64 >= most {
                            return Err(SolveError::TooLarge(most));
                        }
                        let pos = read(self.game, text)?;
                        self.add(text, pos)
                    }
                };
                self.coming[id as usize] += 1;
                let old = self.found.turns.len() - self.finders.len();
                if let Some(finder) = (id as usize).checked_sub(old).map(|i| &mut self.finders[i]) {
                    *finder = (*finder).min((parent, step));
                }
                answers.put32(rank, id);
            }
        }
        if let Some(why) = self.game.fault() {
            return Err(SolveError::Fault(why));
        }
        Ok(answers)
    }

    /// Notes where moves lead.
    fn link(&mut self, from: usize, sent: &Sent, answers: &[Vec<u8>]) {
        let mut answers: Vec<_> = answers.iter().map(|parcel| words(parcel)).collect();
        let mut ranks = sent.ranks.iter();
        for ((id, _), &moves) in self.level[from..].iter().zip(&sent.moves) {
            // The level's positions were added in this order.
            debug_assert_eq!(*id as usize, self.found.first.len() - 1);
            for &rank in ranks.by_ref().take(moves as usize) {
                let place = answers[usize::from(rank)].next().unwrap_or(0);
                self.found.edges.push(u64::from(rank) << 32 | u64::from(place));
            }
            self.found.first.push(self.found.edges.len());
        }
    }

    /// Gives the new positions the ids that one process would: in the order of parents and moves.
    fn number_level(&mut self, low: u64, known: &mut u64) -> Result<(), SolveError> {
        let ranks = self.crew.size();
        let share = (*known - low).div_ceil(ranks as u64).max(1);
        let (mut parcels, mut sent) = (Parcels::new(self.crew), vec![Vec::new(); ranks]);
        for ((id, _), &(parent, step)) in self.next.iter().zip(&self.finders) {
            let rank = ((parent - low) / share) as usize;
            parcels.put64(rank, parent);
            parcels.put64(rank, step.into());
            sent[rank].push(*id);
        }
        let mut finders: Vec<(u64, u64, usize, usize)> = Vec::new();
        let got = parcels.exchange(self.crew)?;
        let mut answers: Vec<Vec<u64>> = Vec::new();
        for (rank, parcel) in got.iter().enumerate() {
            let numbers: Vec<u64> = unpack(parcel).collect();
            answers.push(vec![0; numbers.len() / 2]);
            for (i, pair) in numbers.chunks_exact(2).enumerate() {
                finders.push((pair[0], pair[1], rank, i));
            }
        }
        finders.sort_unstable();
        // How many a rank numbers goes along with the numbers, which begin behind those of the ranks before it.
        let count = finders.len() as u64;
        for (number, (_, _, rank, i)) in (0..).zip(finders) {
            answers[rank][i] = number;
        }
        let answers = answers.iter().map(|numbers| [&pack(&[count])[..], &pack(numbers)].concat()).collect();
        let mut counts = Vec::new();
        for (parcel, sent) in self.crew.exchange(answers).map_err(gone)?.iter().zip(sent) {
            let mut numbers = unpack(parcel);
            let before = *known + counts.iter().sum::<u64>();
            counts.push(numbers.next().unwrap_or(0));
            for (number, id) in numbers.zip(sent) {
                self.ids[id as usize] = before + number;
            }
        }
        *known += counts.iter().sum::<u64>();
        Ok(())
    }
}

impl Site for Scattered {
    fn tiers(&self) -> u32 {
        self.sizes.len() as u32
    }

    fn len(&self, tier: u32) -> u64 {
        self.sizes[tier as usize]
    }

    fn slots(&self, tier: u32) -> u32 {
        self.members[tier as usize].len() as u32
    }

    fn number(&self, tier: u32, slot: u32) -> u64 {
        self.numbers[self.members[tier as usize][slot as usize] as usize]
    }

    fn look(
        &self,
        tier: u32,
        slot: u32,
        out: &mut Vec<Spot>,
    ) -> Result<Option<(Turn, Option<Payoff>)>, SolveError> {
        let position = self.members[tier as usize][slot as usize] as usize;
        let moves = &self.edges[self.first[position]..self.first[position + 1]];
        out.extend(moves.iter().map(|&spot| Spot(spot)));
        Ok(Some((self.turns[position], self.outcomes[position])))
    }

    fn best_payoff(&self) -> Payoff {
        self.best
    }
}
