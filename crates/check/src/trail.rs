//! Trace of a verification: a callback that receives every proof step, with the stones placed on the way to it.
//!
//! A step may apply to a rotated or mirrored board; the trace maps its cells back to the board that the proof is about.

use outplay_core::Turn;

/// Callback for every pair of step and position.
pub type Eyes<'a> = &'a mut dyn FnMut(&TrailStep<'_>);

/// A proof step that is about to be verified, with the stones that lead to it.
#[derive(Clone, Copy, Debug)]
pub struct TrailStep<'a> {
    /// The step.
    pub step: usize,
    /// Number of steps on the path to it.
    pub depth: usize,
    /// The attacker of the strategy, who is claimed to complete a line, or never to.
    pub attacker: Turn,
    /// Whether the attacker is to move.
    pub attacks: bool,
    /// The stones played on the path, with their players. Forced moves within a step, and passes, are not
    /// included.
    pub stones: &'a [(usize, Turn)],
}

/// The path of every step on the stack.
pub(crate) struct PathReporter<'a> {
    attacker: Turn,
    eyes: Eyes<'a>,
    steps: Vec<StepPath>,
}

#[derive(Clone)]
struct StepPath {
    /// Cell of the board for each cell of the step.
    names: Vec<u16>,
    stones: Vec<(usize, Turn)>,
}

impl<'a> PathReporter<'a> {
    pub(crate) fn new(attacker: Turn, cells: usize, eyes: Eyes<'a>) -> PathReporter<'a> {
        let root = StepPath { names: (0..cells as u16).collect(), stones: Vec::new() };
        PathReporter { attacker, eyes, steps: vec![root] }
    }

    /// Reports the step on top of the stack.
    pub(crate) fn report(&mut self, step: usize, attacks: bool) {
        if let Some(StepPath { stones, .. }) = self.steps.last() {
            let depth = self.steps.len() - 1;
            (self.eyes)(&TrailStep { step, depth, attacker: self.attacker, attacks, stones });
        }
    }

    /// Continues from the step at `depth`, after a stone on `played` and with the cells mapped by a symmetry.
    pub(crate) fn advance(&mut self, depth: usize, played: Option<usize>, attacks: bool, images: &[u16]) {
        self.steps.truncate(depth);
        let Some(from) = self.steps.last() else { return };
        let mut next = from.clone();
        let by = if attacks { self.attacker.other() } else { self.attacker };
        next.stones.extend(played.map(|cell| (usize::from(from.names[cell]), by)));
        images
            .iter()
            .enumerate()
            .for_each(|(cell, &image)| next.names[usize::from(image)] = from.names[cell]);
        self.steps.push(next);
    }
}
