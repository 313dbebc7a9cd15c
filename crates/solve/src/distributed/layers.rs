//! Distributed topological layering: a position's tier is the length of the longest path to its strongly connected
//! component.
//!
//! ```text
//!  1  from the start: assign layers to positions whose predecessors all have one             (Kahn 1962)
//!  2  from the ends: remove, of the rest, positions without successors                      (trimming)
//!  3  the remaining core lies on cycles or between them; process 0 finds its components     (Tarjan 1972)
//!  4  longest paths through the rest by relaxation; moves within a component have length 0
//! ```
//!
//! An acyclic game is done after the first step. Of a cyclic game, only the core is gathered on one process.

use super::{Messages, SolveError, exchange_or_fail, gone, total, words};
use crate::explored::components;
use outplay_runtime::communicator::{pack, unpack};
use outplay_runtime::{Communicator, Monitor};
use rustc_hash::FxHashMap;

/// The tier of each of this rank's positions, and which tiers are cyclic.
pub(super) struct Layers {
    pub(super) layer: Vec<u32>,
    pub(super) loops: Vec<bool>,
}

struct Finder<'a> {
    edges: &'a [u64],
    first: &'a [usize],
    comm: &'a dyn Communicator,
    monitor: &'a dyn Monitor,
    layer: Vec<u32>,
    /// Whether the first step has finished a position.
    done: Vec<bool>,
    /// Component of each position; 0 for a component of one position.
    component: Vec<u32>,
    looping: Vec<bool>,
}

impl Layers {
    /// `coming` is the in-degree of each position.
    pub(super) fn find(
        edges: &[u64],
        first: &[usize],
        coming: Vec<u32>,
        comm: &dyn Communicator,
        monitor: &dyn Monitor,
    ) -> Result<Layers, SolveError> {
        let n = first.len() - 1;
        let mut finder = Finder {
            edges,
            first,
            comm,
            monitor,
            layer: vec![0; n],
            done: vec![false; n],
            component: vec![0; n],
            looping: vec![false; n],
        };
        finder.forwards(coming)?;
        let rest = finder.done.iter().filter(|done| !**done).count();
        if total(comm, rest as u64)? > 0 {
            let core = finder.backwards()?;
            finder.components(&core)?;
            finder.relax()?;
        }
        let tiers = finder.layer.iter().max().map_or(0, |&last| u64::from(last) + 1);
        let tiers = u64::MAX - comm.all_reduce_min(u64::MAX - tiers).map_err(gone)?;
        let mut loops = vec![0; tiers as usize];
        for (position, _) in finder.looping.iter().enumerate().filter(|(_, looping)| **looping) {
            loops[finder.layer[position] as usize] = 1;
        }
        let loops = comm.all_reduce_sum(&loops).map_err(gone)?.into_iter().map(|ranks| ranks > 0).collect();
        Ok(Layers { layer: finder.layer, loops })
    }
}

impl Finder<'_> {
    fn next(&self, position: usize) -> &[u64] {
        &self.edges[self.first[position]..self.first[position + 1]]
    }

    fn stopped(&self) -> Result<(), SolveError> {
        if self.monitor.stopped() { Err(SolveError::Stopped) } else { Ok(()) }
    }

    /// Kahn's algorithm: layers of all positions that no cycle leads to. In superstep n the positions of layer n are
    /// ready, because the last of their predecessors was finished in the one before.
    fn forwards(&mut self, mut coming: Vec<u32>) -> Result<(), SolveError> {
        let n = self.layer.len();
        let mut ready: Vec<u32> = (0..n as u32).filter(|&position| coming[position as usize] == 0).collect();
        for layer in 0.. {
            let mut messages = Messages::new(self.comm);
            let any = !ready.is_empty();
            for position in std::mem::take(&mut ready) {
                let position = position as usize;
                self.done[position] = true;
                for &edge in self.next(position) {
                    messages.put32((edge >> 32) as usize, edge as u32);
                }
            }
            let (messages, any) = exchange_or_fail(self.comm, self.stopped().map(|()| (messages, any)))?;
            if !any {
                break;
            }
            for position in messages.iter().flat_map(|message| words(message)) {
                self.layer[position as usize] = layer + 1;
                coming[position as usize] -= 1;
                if coming[position as usize] == 0 {
                    ready.push(position);
                }
            }
        }
        Ok(())
    }

    /// Removes positions without successors until none is left, and returns the core.
    fn backwards(&mut self) -> Result<Vec<u32>, SolveError> {
        let n = self.layer.len();
        let mut messages = Messages::new(self.comm);
        let mut going: Vec<u32> = vec![0; n];
        for position in (0..n).filter(|&position| !self.done[position]) {
            going[position] = self.next(position).len() as u32;
            for &edge in self.next(position) {
                messages.put32((edge >> 32) as usize, edge as u32);
                messages.put32((edge >> 32) as usize, position as u32);
            }
        }
        // Predecessors, sorted: position, then the predecessor's rank and position.
        let mut before: Vec<(u32, u32, u32)> = Vec::new();
        for (rank, message) in messages.exchange(self.comm)?.iter().enumerate() {
            let numbers: Vec<u32> = words(message).collect();
            before.extend(numbers.chunks_exact(2).map(|pair| (pair[0], rank as u32, pair[1])));
        }
        before.sort_unstable();
        let mut left: Vec<bool> = self.done.iter().map(|done| !done).collect();
        let mut ready: Vec<u32> =
            (0..n as u32).filter(|&p| left[p as usize] && going[p as usize] == 0).collect();
        while total(self.comm, ready.len() as u64)? > 0 {
            let mut messages = Messages::new(self.comm);
            for position in std::mem::take(&mut ready) {
                left[position as usize] = false;
                let from = before.partition_point(|entry| entry.0 < position);
                for &(_, rank, parent) in before[from..].iter().take_while(|entry| entry.0 == position) {
                    messages.put32(rank as usize, parent);
                }
            }
            let (messages, _) = exchange_or_fail(self.comm, self.stopped().map(|()| (messages, true)))?;
            for message in messages {
                for position in words(&message) {
                    going[position as usize] -= 1;
                    if going[position as usize] == 0 {
                        ready.push(position);
                    }
                }
            }
        }
        Ok((0..n as u32).filter(|&position| left[position as usize]).collect())
    }

    /// Finds the components of the core on rank 0.
    fn components(&mut self, core: &[u32]) -> Result<(), SolveError> {
        let mut numbers = Vec::new();
        for &position in core {
            let next = self.next(position as usize);
            numbers.extend([u64::from(position), next.len() as u64]);
            numbers.extend_from_slice(next);
        }
        let mut messages = vec![Vec::new(); self.comm.size()];
        messages[0] = pack(&numbers);
        let messages = self.comm.all_to_all(messages).map_err(gone)?;
        let answers = self.numbered_components(&messages);
        let answers =
            answers.map(|answers| (Messages(answers.iter().map(|numbers| pack(numbers)).collect()), true));
        let (received, _) = exchange_or_fail(self.comm, answers)?;
        for (number, &position) in unpack(&received[0]).zip(core) {
            self.component[position as usize] = (number >> 1) as u32;
            self.looping[position as usize] = number & 1 == 1;
        }
        Ok(())
    }

    /// The component of each position of the core, rank by rank, and whether it is a cycle; empty except on rank 0.
    fn numbered_components(&self, messages: &[Vec<u8>]) -> Result<Vec<Vec<u64>>, SolveError> {
        let mut answers = vec![Vec::new(); self.comm.size()];
        if self.comm.rank() == 0 {
            let mut places: FxHashMap<u64, u32> = FxHashMap::default();
            let (mut nodes, mut ends) = (Vec::new(), Vec::new());
            for (rank, message) in messages.iter().enumerate() {
                let mut numbers = unpack(message);
                while let (Some(position), Some(count)) = (numbers.next(), numbers.next()) {
                    places.insert((rank as u64) << 32 | position, nodes.len() as u32);
                    nodes.push(rank);
                    ends.push(numbers.by_ref().take(count as usize).collect::<Vec<u64>>());
                }
            }
            let (mut edges, mut first) = (Vec::new(), vec![0]);
            for list in &ends {
                // Moves that leave the core do not affect its components.
                edges.extend(list.iter().filter_map(|end| places.get(end)));
                first.push(edges.len());
            }
            let (component, count) = components(&edges, &first, self.monitor)?;
            let mut looping = vec![false; count + 1];
            for node in 0..nodes.len() {
                let own = component[node];
                if edges[first[node]..first[node + 1]].iter().any(|&to| component[to as usize] == own) {
                    looping[own as usize] = true;
                }
            }
            for (node, &rank) in nodes.iter().enumerate() {
                let own = component[node];
                answers[rank].push(u64::from(own) << 1 | u64::from(looping[own as usize]));
            }
        }
        Ok(answers)
    }

    /// Longest paths through the rest; moves within a component have length 0.
    fn relax(&mut self) -> Result<(), SolveError> {
        let n = self.layer.len();
        let mut fresh: Vec<u32> = (0..n as u32).filter(|&position| !self.done[position as usize]).collect();
        while total(self.comm, fresh.len() as u64)? > 0 {
            let mut messages = Messages::new(self.comm);
            for position in std::mem::take(&mut fresh) {
                let position = position as usize;
                for &edge in self.next(position) {
                    let rank = (edge >> 32) as usize;
                    messages.put32(rank, edge as u32);
                    messages.put32(rank, self.layer[position]);
                    messages.put32(rank, self.component[position]);
                }
            }
            let (messages, _) = exchange_or_fail(self.comm, self.stopped().map(|()| (messages, true)))?;
            for message in messages {
                let numbers: Vec<u32> = words(&message).collect();
                for record in numbers.chunks_exact(3) {
                    let position = record[0] as usize;
                    let within = record[2] != 0 && record[2] == self.component[position];
                    let layer = record[1] + u32::from(!within);
                    if layer > self.layer[position] {
                        self.layer[position] = layer;
                        fresh.push(record[0]);
                    }
                }
            }
            fresh.sort_unstable();
            fresh.dedup();
        }
        Ok(())
    }
}
