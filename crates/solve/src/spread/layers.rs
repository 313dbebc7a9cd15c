//! The tiers of a scattered graph: the longest way to each component of positions that can return to each other.
//!
//! ```text
//!  1  whatever nothing leads back to, from the start on: a position is done when all that lead to it are   (Kahn)
//!  2  of the rest, whatever leads nowhere, from the ends on
//!  3  what is left goes round in circles, or lies between circles: the first rank finds its components
//!  4  longest ways through the rest, moves within a component counting nothing
//! ```
//!
//! A game without circles ends with the first step. Of one with circles, only what is left after the second is ever in
//! one place, as numbers.

use super::{Parcels, SolveError, gone, hand_over, total, words};
use crate::explored::components;
use outplay_core::crew::{pack, unpack};
use outplay_core::{Crew, Watch};
use rustc_hash::FxHashMap;

/// Which tier each position of this rank's is in, and which tiers go round in circles.
pub(super) struct Layers {
    pub(super) layer: Vec<u32>,
    pub(super) loops: Vec<bool>,
}

struct Finder<'a> {
    edges: &'a [u64],
    first: &'a [usize],
    crew: &'a dyn Crew,
    watch: &'a dyn Watch,
    layer: Vec<u32>,
    /// Whether the first step has done with a position.
    done: Vec<bool>,
    /// By position: its component, 0 if it is one by itself.
    component: Vec<u32>,
    looping: Vec<bool>,
}

impl Layers {
    /// `coming` says how many moves lead to each position.
    pub(super) fn find(
        edges: &[u64],
        first: &[usize],
        coming: Vec<u32>,
        crew: &dyn Crew,
        watch: &dyn Watch,
    ) -> Result<Layers, SolveError> {
        let n = first.len() - 1;
        let mut finder = Finder {
            edges,
            first,
            crew,
            watch,
            layer: vec![0; n],
            done: vec![false; n],
            component: vec![0; n],
            looping: vec![false; n],
        };
        finder.forwards(coming)?;
        let rest = finder.done.iter().filter(|done| !**done).count();
        if total(crew, rest as u64)? > 0 {
            let core = finder.backwards()?;
            finder.components(&core)?;
            finder.relax()?;
        }
        let tiers = finder.layer.iter().max().map_or(0, |&last| u64::from(last) + 1);
        let tiers = u64::MAX - crew.least(u64::MAX - tiers).map_err(gone)?;
        let mut loops = vec![0; tiers as usize];
        for (position, _) in finder.looping.iter().enumerate().filter(|(_, looping)| **looping) {
            loops[finder.layer[position] as usize] = 1;
        }
        let loops = crew.sum(&loops).map_err(gone)?.into_iter().map(|ranks| ranks > 0).collect();
        Ok(Layers { layer: finder.layer, loops })
    }
}

impl Finder<'_> {
    fn next(&self, position: usize) -> &[u64] {
        &self.edges[self.first[position]..self.first[position + 1]]
    }

    fn stopped(&self) -> Result<(), SolveError> {
        if self.watch.stopped() { Err(SolveError::Stopped) } else { Ok(()) }
    }

    /// Layers of all that circles do not lead to: in superstep n those of layer n are ready, because the last of those that
    /// lead to them was done in the one before.
    fn forwards(&mut self, mut coming: Vec<u32>) -> Result<(), SolveError> {
        let n = self.layer.len();
        let mut ready: Vec<u32> = (0..n as u32).filter(|&position| coming[position as usize] == 0).collect();
        for layer in 0.. {
            let mut parcels = Parcels::new(self.crew);
            let any = !ready.is_empty();
            for position in std::mem::take(&mut ready) {
                let position = position as usize;
                self.done[position] = true;
                for &edge in self.next(position) {
                    parcels.put32((edge >> 32) as usize, edge as u32);
                }
            }
            let (parcels, any) = hand_over(self.crew, self.stopped().map(|()| (parcels, any)))?;
            if !any {
                break;
            }
            for position in parcels.iter().flat_map(|parcel| words(parcel)) {
                self.layer[position as usize] = layer + 1;
                coming[position as usize] -= 1;
                if coming[position as usize] == 0 {
                    ready.push(position);
                }
            }
        }
        Ok(())
    }

    /// What is left of the rest once nothing in it leads nowhere.
    fn backwards(&mut self) -> Result<Vec<u32>, SolveError> {
        let n = self.layer.len();
        let mut parcels = Parcels::new(self.crew);
        let mut going: Vec<u32> = vec![0; n];
        for position in (0..n).filter(|&position| !self.done[position]) {
            going[position] = self.next(position).len() as u32;
            for &edge in self.next(position) {
                parcels.put32((edge >> 32) as usize, edge as u32);
                parcels.put32((edge >> 32) as usize, position as u32);
            }
        }
        // Who leads to a position: first by position, then rank and position.
        let mut before: Vec<(u32, u32, u32)> = Vec::new();
        for (rank, parcel) in parcels.exchange(self.crew)?.iter().enumerate() {
            let numbers: Vec<u32> = words(parcel).collect();
            before.extend(numbers.chunks_exact(2).map(|pair| (pair[0], rank as u32, pair[1])));
        }
        before.sort_unstable();
        let mut left: Vec<bool> = self.done.iter().map(|done| !done).collect();
        let mut ready: Vec<u32> =
            (0..n as u32).filter(|&p| left[p as usize] && going[p as usize] == 0).collect();
        while total(self.crew, ready.len() as u64)? > 0 {
            self.stopped()?;
            let mut parcels = Parcels::new(self.crew);
            for position in std::mem::take(&mut ready) {
                left[position as usize] = false;
                let from = before.partition_point(|entry| entry.0 < position);
                for &(_, rank, parent) in before[from..].iter().take_while(|entry| entry.0 == position) {
                    parcels.put32(rank as usize, parent);
                }
            }
            for parcel in parcels.exchange(self.crew)? {
                for position in words(&parcel) {
                    going[position as usize] -= 1;
                    if going[position as usize] == 0 {
                        ready.push(position);
                    }
                }
            }
        }
        Ok((0..n as u32).filter(|&position| left[position as usize]).collect())
    }

    /// The components of the core, found by the first rank.
    fn components(&mut self, core: &[u32]) -> Result<(), SolveError> {
        let mut numbers = Vec::new();
        for &position in core {
            let next = self.next(position as usize);
            numbers.extend([u64::from(position), next.len() as u64]);
            numbers.extend_from_slice(next);
        }
        let mut parcels = vec![Vec::new(); self.crew.size()];
        parcels[0] = pack(&numbers);
        let parcels = self.crew.exchange(parcels).map_err(gone)?;
        let mut answers = vec![Vec::new(); self.crew.size()];
        if self.crew.rank() == 0 {
            let mut places: FxHashMap<u64, u32> = FxHashMap::default();
            let (mut nodes, mut ends) = (Vec::new(), Vec::new());
            for (rank, parcel) in parcels.iter().enumerate() {
                let mut numbers = unpack(parcel);
                while let (Some(position), Some(count)) = (numbers.next(), numbers.next()) {
                    places.insert((rank as u64) << 32 | position, nodes.len() as u32);
                    nodes.push(rank);
                    ends.push(numbers.by_ref().take(count as usize).collect::<Vec<u64>>());
                }
            }
            let (mut edges, mut first) = (Vec::new(), vec![0]);
            for list in &ends {
                // Moves that leave the core do not matter.
                edges.extend(list.iter().filter_map(|end| places.get(end)));
                first.push(edges.len());
            }
            let (component, count) = components(&edges, &first, self.watch)?;
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
        let answers = answers.iter().map(|numbers| pack(numbers)).collect();
        let told = self.crew.exchange(answers).map_err(gone)?;
        for (number, &position) in unpack(&told[0]).zip(core) {
            self.component[position as usize] = (number >> 1) as u32;
            self.looping[position as usize] = number & 1 == 1;
        }
        Ok(())
    }

    /// Longest ways through the rest; those within a component are of no length.
    fn relax(&mut self) -> Result<(), SolveError> {
        let n = self.layer.len();
        let mut fresh: Vec<u32> = (0..n as u32).filter(|&position| !self.done[position as usize]).collect();
        while total(self.crew, fresh.len() as u64)? > 0 {
            self.stopped()?;
            let mut parcels = Parcels::new(self.crew);
            for position in std::mem::take(&mut fresh) {
                let position = position as usize;
                for &edge in self.next(position) {
                    let rank = (edge >> 32) as usize;
                    parcels.put32(rank, edge as u32);
                    parcels.put32(rank, self.layer[position]);
                    parcels.put32(rank, self.component[position]);
                }
            }
            for parcel in parcels.exchange(self.crew)? {
                let numbers: Vec<u32> = words(&parcel).collect();
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
