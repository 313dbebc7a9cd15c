//! Distributed breadth-first exploration, partitioned by hash (Stern and Dill 1997).
//!
//! ```text
//!  for each level of the search:
//!    each process plays the moves of its positions, and sends the successors (in notation) to the processes that own
//!    them, in batches
//!    each owner replies with the places of the successors in its hash table
//!    new positions are numbered by parent and move, as a single process would number them
//! ```

use super::layers::Layers;
use super::{GlobalId, Messages, Spot, agree, exchange_or_fail, gone, rounds, total, words};
use crate::SolveError;
use crate::error::{check_fault, check_stop};
use outplay_core::{Game, Notation, Payoff, Turn};
use outplay_runtime::communicator::{pack, unpack};
use outplay_runtime::varint::{read_varint, write_varint};
use outplay_runtime::{Communicator, Monitor, Pace};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;

/// Positions whose images a rank looks up between two exchanges.
const STEP: usize = 1 << 13;
/// Approximate bytes of positions that a rank sends in one exchange.
const BATCH: usize = 1 << 23;
/// Marks a position without a number.
const NEW: u64 = u64::MAX;

/// One process's part of an explored position graph.
pub struct ShardedGraph {
    rank: usize,
    ranks: usize,
    best: Payoff,
    turns: Vec<Turn>,
    outcomes: Vec<Option<Payoff>>,
    /// Moves of position i are `edges[first[i]..first[i + 1]]`: first rank and index on that rank, later [`Spot`]s.
    edges: Vec<u64>,
    first: Vec<usize>,
    /// Position of each text.
    texts: FxHashMap<Box<[u8]>, u32>,
    /// Position of each slot, by tier.
    members: Vec<Vec<u32>>,
    /// Number of each position within its tier, and its slot.
    numbers: Vec<u64>,
    spots: Vec<Spot>,
    sizes: Vec<u64>,
    loops: Vec<bool>,
}

/// The rank that owns a text.
fn rank_of(text: &[u8], ranks: usize) -> usize {
    let mut hasher = FxHasher::default();
    hasher.write(text);
    // The upper bits of the product are the well-mixed ones.
    ((hasher.finish().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize) % ranks
}

/// State of the exploration.
struct Exploration<'a, G: Game> {
    game: &'a G,
    comm: &'a dyn Communicator,
    monitor: &'a dyn Monitor,
    found: ShardedGraph,
    /// By position: the number that one process would give it, and its in-degree.
    ids: Vec<u64>,
    coming: Vec<u32>,
    /// Positions of this level, and of the next level with the smallest parent and move that lead to each.
    level: Vec<(u32, G::Position)>,
    next: Vec<(u32, G::Position)>,
    finders: Vec<(u64, u32)>,
}

/// Moves sent in one batch: how many each position has, and the ranks that own their targets.
#[derive(Default)]
struct SentMoves {
    moves: Vec<u32>,
    ranks: Vec<u16>,
}

impl ShardedGraph {
    /// Plays every move from `start`; a rank fails beyond `most` positions of its own.
    ///
    /// # Errors
    ///
    /// Too many positions, chance, a fault of the rules, a rank that disconnected, or cancellation.
    pub fn explore<G: Game + Notation>(
        game: &G,
        start: &G::Position,
        most: u64,
        comm: &dyn Communicator,
        monitor: &dyn Monitor,
    ) -> Result<ShardedGraph, SolveError> {
        let found = ShardedGraph {
            rank: comm.rank(),
            ranks: comm.size(),
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
        if comm.size() >= Spot::RANKS {
            return Err(SolveError::TooLarge(Spot::RANKS as u64));
        }
        let mut search = Exploration {
            game,
            comm,
            monitor,
            found,
            ids: Vec::new(),
            coming: Vec::new(),
            level: Vec::new(),
            next: Vec::new(),
            finders: Vec::new(),
        };
        comm.phase("exploring");
        search.run(start, most)?;
        comm.phase("finding tiers");
        let Exploration { mut found, ids, coming, .. } = search;
        let layers = Layers::find(&found.edges, &found.first, coming, comm, monitor)?;
        comm.phase("numbering");
        found.number_tiers(&ids, &layers.layer, comm)?;
        found.loops = layers.loops;
        found.translate(comm)?;
        Ok(found)
    }

    /// Whether play can return to an earlier position.
    pub fn has_loops(&self) -> bool {
        self.loops.contains(&true)
    }

    /// Number of positions that this rank owns.
    pub fn positions(&self) -> usize {
        self.turns.len()
    }

    /// The spots of positions; all ranks pass the same list.
    ///
    /// # Errors
    ///
    /// A rank that disconnected, or an unreachable position.
    pub fn find<G: Game + Notation>(
        &self,
        game: &G,
        positions: &[G::Position],
        comm: &dyn Communicator,
    ) -> Result<Vec<Spot>, SolveError> {
        let spot = |pos: &G::Position| {
            let text = game.write_position(pos);
            self.texts.get(text.as_bytes()).map_or(NEW, |&id| self.spots[id as usize].0)
        };
        let mine: Vec<u64> = positions.iter().map(spot).collect();
        let mut spots = mine.clone();
        for bytes in comm.all_gather(&pack(&mine)).map_err(gone)? {
            spots.iter_mut().zip(unpack(&bytes)).for_each(|(spot, received)| *spot = received.min(*spot));
        }
        if spots.contains(&NEW) {
            return Err(SolveError::Fault(
                "no move sequence from the start reaches a requested position".into(),
            ));
        }
        Ok(spots.into_iter().map(Spot).collect())
    }

    /// For each of this rank's slots of a tier: whether a table stores it, rather than a symmetric image of it.
    ///
    /// # Errors
    ///
    /// A rank that disconnected, or a text that is not a position.
    pub fn canonical<G: Game + Notation>(
        &self,
        game: &G,
        comm: &dyn Communicator,
        monitor: &dyn Monitor,
    ) -> Result<Vec<Vec<bool>>, SolveError> {
        comm.phase("finding images");
        let mut kept: Vec<Vec<bool>> = self.members.iter().map(|list| vec![true; list.len()]).collect();
        let texts: Vec<(&Box<[u8]>, &u32)> = self.texts.iter().collect();
        let place = |id: u32| (self.spots[id as usize].tier(), self.numbers[id as usize]);
        for round in 0..rounds(comm, texts.len(), STEP)? {
            check_stop(monitor.stopped())?;
            let mut asked = Messages::new(comm);
            let mut asking: Vec<Vec<u32>> = vec![Vec::new(); comm.size()];
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
            agree(comm, trouble)?;
            let mut answers = Messages::new(comm);
            for (rank, message) in asked.exchange(comm)?.iter().enumerate() {
                for text in texts_of(message) {
                    let (tier, number) = self.texts.get(text).map_or((u32::MAX, NEW), |&id| place(id));
                    answers.put64(rank, tier.into());
                    answers.put64(rank, number);
                }
            }
            for (message, asking) in answers.exchange(comm)?.iter().zip(asking) {
                let numbers: Vec<u64> = unpack(message).collect();
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
    fn number_tiers(
        &mut self,
        ids: &[u64],
        layer: &[u32],
        comm: &dyn Communicator,
    ) -> Result<(), SolveError> {
        let ranks = comm.size();
        let all = total(comm, ids.len() as u64)?;
        let share = all.div_ceil(ranks as u64).max(1);
        let tiers = u64::MAX
            - comm
                .all_reduce_min(u64::MAX - layer.iter().max().map_or(0, |&t| u64::from(t) + 1))
                .map_err(gone)?;
        if tiers as usize >= Spot::TIERS {
            return Err(SolveError::TooLarge(Spot::TIERS as u64));
        }
        let (mut messages, mut sent) = (Messages::new(comm), vec![Vec::new(); ranks]);
        for (position, (&id, &tier)) in ids.iter().zip(layer).enumerate() {
            let rank = (id / share) as usize;
            messages.put64(rank, id);
            messages.put64(rank, tier.into());
            sent[rank].push(position);
        }
        let got: Vec<Vec<u64>> =
            messages.exchange(comm)?.iter().map(|message| unpack(message).collect()).collect();
        // The tiers of a contiguous range of ids, in order.
        let mut stretch: Vec<(u64, u64, usize, usize)> = Vec::new();
        for (rank, numbers) in got.iter().enumerate() {
            for (i, pair) in numbers.chunks_exact(2).enumerate() {
                stretch.push((pair[0], pair[1], rank, i));
            }
        }
        stretch.sort_unstable();
        let mut counts = vec![0u64; tiers as usize];
        stretch.iter().for_each(|&(_, tier, _, _)| counts[tier as usize] += 1);
        let received: Vec<Vec<u64>> = comm
            .all_gather(&pack(&counts))
            .map_err(gone)?
            .iter()
            .map(|bytes| unpack(bytes).collect())
            .collect();
        let mut at = vec![0u64; tiers as usize];
        self.sizes = vec![0; tiers as usize];
        for (rank, counts) in received.iter().enumerate() {
            for (tier, &count) in counts.iter().enumerate() {
                at[tier] += if rank < comm.rank() { count } else { 0 };
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
        for (message, sent) in comm.all_to_all(answers).map_err(gone)?.iter().zip(sent) {
            for (number, position) in unpack(message).zip(sent) {
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

    /// Translates the targets of moves into spots.
    fn translate(&mut self, comm: &dyn Communicator) -> Result<(), SolveError> {
        /// Moves between two exchanges.
        const MOVES: usize = 1 << 18;
        /// Flags a request from a position with the second player to move. Exploring fails before indices reach this
        /// bit.
        const SECOND: u32 = 1 << 31;
        let second = |position: usize| self.turns[position] == Turn::Second;
        let mut position = 0;
        for round in 0..rounds(comm, self.edges.len(), MOVES)? {
            let range = (round * MOVES).min(self.edges.len())..((round + 1) * MOVES).min(self.edges.len());
            let (mut asked, mut asking) = (Messages::new(comm), vec![Vec::new(); comm.size()]);
            for edge in range {
                while self.first[position + 1] <= edge {
                    position += 1;
                }
                let (rank, id) = ((self.edges[edge] >> 32) as usize, self.edges[edge] as u32);
                asked.put32(rank, id | if second(position) { SECOND } else { 0 });
                asking[rank].push(edge);
            }
            let mut answers = Messages::new(comm);
            for (rank, message) in asked.exchange(comm)?.iter().enumerate() {
                for word in words(message) {
                    let id = (word & !SECOND) as usize;
                    let same = second(id) == (word & SECOND != 0);
                    answers.put64(rank, self.spots[id].0 | u64::from(same) << 63);
                }
            }
            for (message, asking) in answers.exchange(comm)?.iter().zip(asking) {
                for (spot, edge) in unpack(message).zip(asking) {
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
        SolveError::Fault(format!(
            "the game printed a position as `{text}` and cannot read that text again: {error}"
        ))
    })
}

fn put_text(messages: &mut Messages, rank: usize, text: &[u8]) {
    messages.put32(rank, text.len() as u32);
    messages.put_bytes(rank, text);
}

fn texts_of(mut message: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let (head, rest) = message.split_at_checked(4)?;
        let (text, rest) = rest.split_at_checked(words(head).next()? as usize)?;
        message = rest;
        Some(text)
    })
}

impl<G: Game + Notation> Exploration<'_, G> {
    fn run(&mut self, start: &G::Position, most: u64) -> Result<(), SolveError> {
        let most = most.min(u64::from(u32::MAX) / 2);
        let text = self.game.write_position(start);
        let first = rank_of(text.as_bytes(), self.comm.size());
        if first == self.comm.rank() {
            self.add(text.as_bytes(), start.clone());
            self.ids[0] = 0;
            self.level = std::mem::take(&mut self.next);
        }
        self.finders.clear();
        let (mut low, mut known) = (0, 1u64);
        while low < known {
            let (mut done, mut more) = (0, true);
            while more {
                let mut sent = SentMoves::default();
                let played = self.play(done, low, &mut sent);
                let ahead = done + sent.moves.len() < self.level.len();
                let messages;
                (messages, more) = exchange_or_fail(self.comm, played.map(|messages| (messages, ahead)))?;
                let taken = self.take(&messages, low, most);
                drop(messages);
                let (answers, _) = exchange_or_fail(self.comm, taken.map(|answers| (answers, false)))?;
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

    /// Adds a position to this rank.
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

    /// Plays the moves of part of the level. A record is the text, the index of the move, and the parent's number
    /// within the level.
    fn play(&mut self, from: usize, low: u64, sent: &mut SentMoves) -> Result<Messages, SolveError> {
        let mut pace = Pace::new(self.monitor);
        let mut messages = Messages::new(self.comm);
        let mut moves = Vec::new();
        for (id, pos) in &self.level[from..] {
            moves.clear();
            if self.game.turn(pos) == Turn::Chance {
                return Err(SolveError::Chance("exploring on several ranks"));
            }
            self.game.moves(pos, &mut moves);
            for (i, &mv) in moves.iter().enumerate() {
                check_stop(pace.step())?;
                let text = self.game.write_position(&self.game.play(pos, mv));
                let rank = rank_of(text.as_bytes(), self.comm.size());
                let message = messages.of(rank);
                write_varint(message, text.len() as u64);
                message.extend_from_slice(text.as_bytes());
                write_varint(message, i as u64);
                write_varint(message, self.ids[*id as usize] - low);
                sent.ranks.push(rank as u16);
            }
            sent.moves.push(moves.len() as u32);
            if sent.moves.len().is_multiple_of(64) && messages.bytes() >= BATCH {
                break;
            }
        }
        check_fault(self.game)?;
        self.monitor.advance(sent.moves.len() as u64);
        Ok(messages)
    }

    /// Stores received positions and replies with their indices.
    fn take(&mut self, messages: &[Vec<u8>], low: u64, most: u64) -> Result<Messages, SolveError> {
        let mut answers = Messages::new(self.comm);
        let half = || gone("another rank sent an incomplete position".into());
        for (rank, message) in messages.iter().enumerate() {
            let mut rest = message.as_slice();
            while !rest.is_empty() {
                let length = read_varint(&mut rest).ok_or_else(half)? as usize;
                let (text, behind) = rest.split_at_checked(length).ok_or_else(half)?;
                rest = behind;
                let step = read_varint(&mut rest).ok_or_else(half)? as u32;
                let parent = low + read_varint(&mut rest).ok_or_else(half)?;
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
        check_fault(self.game)?;
        Ok(answers)
    }

    /// Stores the targets of moves.
    fn link(&mut self, from: usize, sent: &SentMoves, answers: &[Vec<u8>]) {
        let mut answers: Vec<_> = answers.iter().map(|message| words(message)).collect();
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

    /// Gives the new positions the ids that one process would give them: in the order of parents and moves.
    fn number_level(&mut self, low: u64, known: &mut u64) -> Result<(), SolveError> {
        let ranks = self.comm.size();
        let share = (*known - low).div_ceil(ranks as u64).max(1);
        let (mut messages, mut sent) = (Messages::new(self.comm), vec![Vec::new(); ranks]);
        for ((id, _), &(parent, step)) in self.next.iter().zip(&self.finders) {
            let rank = ((parent - low) / share) as usize;
            messages.put64(rank, parent);
            messages.put64(rank, step.into());
            sent[rank].push(*id);
        }
        let mut finders: Vec<(u64, u64, usize, usize)> = Vec::new();
        let got = messages.exchange(self.comm)?;
        let mut answers: Vec<Vec<u64>> = Vec::new();
        for (rank, message) in got.iter().enumerate() {
            let numbers: Vec<u64> = unpack(message).collect();
            answers.push(vec![0; numbers.len() / 2]);
            for (i, pair) in numbers.chunks_exact(2).enumerate() {
                finders.push((pair[0], pair[1], rank, i));
            }
        }
        finders.sort_unstable();
        // Each rank sends its count along with the numbers, which start after those of the lower ranks.
        let count = finders.len() as u64;
        for (number, (_, _, rank, i)) in (0..).zip(finders) {
            answers[rank][i] = number;
        }
        let answers = answers.iter().map(|numbers| [&pack(&[count])[..], &pack(numbers)].concat()).collect();
        let mut counts = Vec::new();
        for (message, sent) in self.comm.all_to_all(answers).map_err(gone)?.iter().zip(sent) {
            let mut numbers = unpack(message);
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

impl GlobalId for ShardedGraph {
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
