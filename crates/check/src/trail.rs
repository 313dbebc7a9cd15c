//! The way of a check, for somebody who looks on: which step is followed at which stones.
//!
//! A step may speak of the board turned or mirrored; what is told here is named as on the board of the claim.

use outplay_core::Turn;

/// Who is told of every pair of step and position.
pub type Eyes<'a> = &'a mut dyn FnMut(&Followed<'_>);

/// A step that is about to be followed.
#[derive(Clone, Copy, Debug)]
pub struct Followed<'a> {
    /// The step.
    pub step: usize,
    /// How many steps lead here.
    pub depth: usize,
    /// Whom the strategy is about: who is said to complete a line, or never to.
    pub attacker: Turn,
    /// Whether the attacker is to move.
    pub attacks: bool,
    /// The cells that were played on the way, and by whom. What is forced within a step, and passes, are not among them.
    pub stones: &'a [(usize, Turn)],
}

/// The stones of every step on the stack.
pub(crate) struct Trails<'a> {
    attacker: Turn,
    eyes: Eyes<'a>,
    steps: Vec<Trail>,
}

#[derive(Clone)]
struct Trail {
    /// What the step's cells are on the board.
    names: Vec<u16>,
    stones: Vec<(usize, Turn)>,
}

impl<'a> Trails<'a> {
    pub(crate) fn new(attacker: Turn, cells: usize, eyes: Eyes<'a>) -> Trails<'a> {
        let root = Trail { names: (0..cells as u16).collect(), stones: Vec::new() };
        Trails { attacker, eyes, steps: vec![root] }
    }

    /// Tells of the step on top.
    pub(crate) fn tell(&mut self, step: usize, attacks: bool) {
        if let Some(Trail { stones, .. }) = self.steps.last() {
            let depth = self.steps.len() - 1;
            (self.eyes)(&Followed { step, depth, attacker: self.attacker, attacks, stones });
        }
    }

    /// Goes on from the step that `depth` others led to, after a stone on `played` and with the cells renamed.
    pub(crate) fn go_on(&mut self, depth: usize, played: Option<usize>, attacks: bool, images: &[u16]) {
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
