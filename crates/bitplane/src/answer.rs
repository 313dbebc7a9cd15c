//! Decoding of bit-planes: the values of single positions.
//!
//! A value is stored as a binary number whose digits lie in different planes, at the bit of the position.
//!
//! Invariant: only tiers whose planes are in memory are read.
#![allow(unsafe_code)]

use crate::back::end;
use crate::context::Context;
use crate::counts::{Counts, PlyCounts};
use crate::plan::Plan;
use crate::solve::{PlaneValues, Solution};
use crate::tight::WORDS;
use outplay_core::{Turn, Value};

/// Planes of a tier's computed shapes, table after table.
#[derive(Clone, Copy)]
pub(crate) struct TierPlanes<'a> {
    pub(crate) tier: usize,
    /// Block offsets.
    pub(crate) offsets: &'a [u32],
    pub(crate) at: *const u64,
}

impl Context {
    /// Returns the solution of a board on which the game is over.
    pub(crate) fn finished(&self, payoff: i32, counting: bool, plan: &Plan) -> Solution {
        let value = Value::new(self.geometry.board.turn.sees(payoff), 0);
        let mut ply = PlyCounts { legal: 1, finished: 1, decided: 1, ..PlyCounts::default() };
        ply.add(payoff, Some(0), 1);
        Solution {
            verdict: value.verdict(),
            value: Some(value),
            best: Vec::new(),
            counts: counting.then(|| Counts { plies: vec![ply] }),
            plan: plan.clone(),
            balance: None,
        }
    }

    /// Payoff to the first player of a line completed by the stone that leads to a tier.
    pub(crate) fn payoff_of_line(&self, tier: usize) -> i32 {
        let payoff = if self.geometry.mover(tier - 1) == 1 { 1 } else { -1 };
        if self.geometry.board.misere { -payoff } else { payoff }
    }

    /// Decodes a number in the planes of a tier: payoff to the first player, and distance.
    pub(crate) fn decode(&self, tier: usize, code: usize) -> (i32, usize) {
        if self.values == PlaneValues::Wdl {
            return ([0, 1, -1, 0][code], 0);
        }
        let planes = self.planes(tier) as u32;
        let unused = i32::BITS - planes.max(1);
        let level = (code as i32) << unused >> unused;
        match end(self.geometry.plies(), level) {
            None => (0, 0),
            Some(end) if end > tier => (self.payoff_of_line(end), end - tier),
            // A code that no position of this tier has.
            Some(_) => (0, 0),
        }
    }

    /// Reads the number that the planes of a stored shape hold for a colouring given by ranks.
    fn code(&self, tables: &TierPlanes<'_>, shape: u32, colouring: u64) -> usize {
        let TierPlanes { tier, offsets, at: table } = *tables;
        let planes = self.planes(tier);
        let lines = offsets[offsets.len() - 1] as usize * planes;
        let first = self.shapes.place[shape as usize] as usize * lines;
        let bit = usize::from(self.tight.rank[colouring as usize & ((1 << self.tight.low) - 1)]);
        let block = offsets[(colouring >> self.tight.low) as usize] as usize;
        let line = (block + bit / 512) * planes;
        (0..planes)
            .map(|plane| {
                let at = (first + line + plane) * WORDS + bit / 64 % WORDS;
                // SAFETY: the shape is stored and the colouring has a bit in its planes.
                let word = unsafe { *table.add(at) };
                ((word >> (bit % 64) & 1) as usize) << plane
            })
            .sum()
    }

    /// Returns the value of a position, given by shape and colouring, of a tier in memory.
    pub(crate) fn value(&self, tables: &TierPlanes<'_>, shape: u32, colouring: u64) -> Value {
        let stored = self.geometry.mirror.is_none() || self.geometry.lean(shape) >= 0;
        let code = match &self.geometry.mirror {
            Some(mirror) if !stored => {
                let image = self.geometry.image(mirror, shape);
                let ranks = self.mirrored_ranks(&mirror.variable, shape, image);
                let colouring = crate::mirror::RankPermutation::new(&ranks).apply(colouring);
                self.code(tables, image, colouring)
            }
            _ => self.code(tables, shape, colouring),
        };
        let (payoff, distance) = self.decode(tables.tier, code);
        let turn = if self.geometry.mover(tables.tier) == 1 { Turn::First } else { Turn::Second };
        Value::new(turn.sees(payoff), distance as u32)
    }

    /// Returns the value of the start and the cells of its best moves.
    pub(crate) fn start(&self, first: &TierPlanes<'_>, second: &TierPlanes<'_>) -> (Value, Vec<usize>) {
        let value = self.value(first, 0, 0);
        let colour = self.geometry.mover(0);
        let mut best = Vec::new();
        for stack in &self.geometry.stacks {
            let Some(&variable) = stack.variables.first() else { continue };
            let lines = &self.geometry.through[colour][usize::from(variable)];
            let child = if lines.contains(&0) {
                let payoff = self.geometry.board.turn.other().sees(self.payoff_of_line(1));
                Value::new(payoff, 0)
            } else if self.geometry.plies() == 1 {
                Value::TIE
            } else {
                self.value(second, stack.step, colour as u64)
            };
            let same = match self.values {
                PlaneValues::Wdl => child.verdict().flipped() == value.verdict(),
                PlaneValues::Distance => child.before(false) == value,
            };
            if same {
                best.push(self.geometry.cells[usize::from(variable)]);
            }
        }
        best.sort_unstable();
        (value, best)
    }
}
