//! Reading planes: what the numbers in them mean, for single positions.
//!
//! Invariant: only tiers whose planes are at hand are asked for.
#![allow(unsafe_code)]

use crate::back::end;
use crate::counts::{Counts, PlyCounts};
use crate::plan::Plan;
use crate::solve::{Solution, Values};
use crate::tight::WORDS;
use crate::workshop::Workshop;
use outplay_core::{Turn, Value};

/// The planes of a tier's computed shapes, one table after the other.
#[derive(Clone, Copy)]
pub(crate) struct Tables<'a> {
    pub(crate) tier: usize,
    /// Where blocks begin.
    pub(crate) offsets: &'a [u32],
    pub(crate) at: *const u64,
}

impl Workshop {
    /// The solution of a board on which the game is over.
    pub(crate) fn finished(&self, payoff: i32, counting: bool, plan: &Plan) -> Solution {
        let value = Value::new(self.field.board.turn.sees(payoff), 0);
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

    /// What the first player gets for a line completed by the stone that leads to a tier.
    pub(crate) fn payoff_of_line(&self, tier: usize) -> i32 {
        let payoff = if self.field.mover(tier - 1) == 1 { 1 } else { -1 };
        if self.field.board.misere { -payoff } else { payoff }
    }

    /// Payoff to the first player and distance of a number that the planes of a tier hold.
    pub(crate) fn decode(&self, tier: usize, code: usize) -> (i32, usize) {
        if self.values == Values::Wdl {
            return ([0, 1, -1, 0][code], 0);
        }
        let planes = self.planes(tier) as u32;
        let unused = i32::BITS - planes.max(1);
        let level = (code as i32) << unused >> unused;
        match end(self.field.plies(), level) {
            None => (0, 0),
            Some(end) if end > tier => (self.payoff_of_line(end), end - tier),
            // A number that no position of this tier can have.
            Some(_) => (0, 0),
        }
    }

    /// The number that the planes of a stored shape hold for a colouring given by ranks.
    fn code(&self, tables: &Tables<'_>, shape: u32, colouring: u64) -> usize {
        let Tables { tier, offsets, at: table } = *tables;
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

    /// The value of a position of a tier whose planes are at hand, by shape and colouring.
    pub(crate) fn value(&self, tables: &Tables<'_>, shape: u32, colouring: u64) -> Value {
        let stored = self.field.mirror.is_none() || self.field.lean(shape) >= 0;
        let code = match &self.field.mirror {
            Some(mirror) if !stored => {
                let image = self.field.image(mirror, shape);
                let ranks = self.mirrored_ranks(&mirror.variable, shape, image);
                let colouring = crate::relay::Reorder::new(&ranks).apply(colouring);
                self.code(tables, image, colouring)
            }
            _ => self.code(tables, shape, colouring),
        };
        let (payoff, distance) = self.decode(tables.tier, code);
        let turn = if self.field.mover(tables.tier) == 1 { Turn::First } else { Turn::Second };
        Value::new(turn.sees(payoff), distance as u32)
    }

    /// The value of the start and the cells of its best moves.
    pub(crate) fn start(&self, first: &Tables<'_>, second: &Tables<'_>) -> (Value, Vec<usize>) {
        let value = self.value(first, 0, 0);
        let colour = self.field.mover(0);
        let mut best = Vec::new();
        for stack in &self.field.stacks {
            let Some(&variable) = stack.variables.first() else { continue };
            let lines = &self.field.through[colour][usize::from(variable)];
            let child = if lines.contains(&0) {
                let payoff = self.field.board.turn.other().sees(self.payoff_of_line(1));
                Value::new(payoff, 0)
            } else if self.field.plies() == 1 {
                Value::TIE
            } else {
                self.value(second, stack.step, colour as u64)
            };
            let same = match self.values {
                Values::Wdl => child.verdict().flipped() == value.verdict(),
                Values::Distance => child.before(false) == value,
            };
            if same {
                best.push(self.field.cells[usize::from(variable)]);
            }
        }
        best.sort_unstable();
        (value, best)
    }
}
