//! Proof certificates as text: the format that `outplay check` reads.
//!
//! ```text
//! outplay-proof 1
//! board ..../..../.... k 3 turn x      rows from the top; x o # and . for empty
//! claim win                            for the player to move: win, draw or loss
//! x wins by 2                          or, for a draw, two lines "x holds by N", "o holds by stealing"
//! steps 3
//! 0 fours b2 d2
//! 1 replies a1>0~2 else>0
//! 2 plays c2>1
//! end
//! ```
//!
//! **Semantics of a step.** The side that wants to complete a line is the *attacker*, the other one the
//! *defender* (for "o holds" the attacker is x). A position is, for each side, the set of lines it can still
//! fill, each given by its empty cells; a stone removes its cell from the owner's lines and every line through
//! it from the other side. Lines that contain another line of the same side may be ignored. A step is a claim
//! about every position it is applied to, starting with the board for the step named in the claim. `cell>N`
//! continues with step `N`, which must be earlier in the file; `N~S` first maps the position by symmetry `S`:
//! bit 2 exchanges columns and rows, then bit 0 mirrors the columns and bit 1 the rows.
//!
//! Steps of an attacker that wins, each with the side to move:
//!
//! - `fours c1 c2 …` (attacker): each move completes a line, or makes two cells that do, or one, which the
//!   defender then takes.
//! - `plays c>N` (attacker): plays `c`, then `N`.
//! - `replies c>N … else>M` (defender): after `c` continues with `N`, after any other move or a pass with
//!   `M`; a reply that leaves the attacker a cell to complete need not be listed.
//!
//! Steps of a defender that holds:
//!
//! - `pairs a-b c-d …` (attacker): every line of the attacker contains a pair; the pairs are disjoint.
//! - `sum c,d,…` (either): all cells not mentioned are given to the attacker; the sum of 2^-size over its
//!   lines is below 1/2 (attacker to move) or 1.
//! - `answers c,d>N … +e,f` (attacker): the *zone* is all cells mentioned; all other cells are given to the
//!   attacker; then each move in the zone continues with its step; a move without one lets the defender
//!   complete a line.
//! - `blocks c,d>N … +e,f` (attacker): the same, and the defender's lines are ignored.
//! - `takes c>N` (defender): plays `c`, then `N`.
//! - `completes c` (defender): completes a line at `c`.
//! - `split a-b … | c,d>N …` (either): all cells not mentioned are given to the attacker; lines that contain
//!   a pair are settled; each other line belongs to the first step whose cells it meets, and the steps hold
//!   independently; with the defender to move there is one step; the defender's lines are ignored.
//!
//! `x holds by stealing` is the strategy-stealing argument (an extra stone never hurts): it is valid only for
//! the player to move on a board without stones and obstacles.

use crate::pairing::Pair;
use outplay_core::{Attack, Content, LineBoard, Turn, Verdict, cell_name};
use std::fmt;

/// Reference to the next step, with the symmetry that maps the position to it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct StepLink {
    pub(crate) step: u32,
    pub(crate) symmetry: u8,
}

/// One step of a strategy; see the module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ProofStep {
    Fours(Vec<u16>),
    Plays(u16, StepLink),
    Replies { listed: Vec<(u16, StepLink)>, other: Option<StepLink> },
    Pairs(Vec<Pair>),
    Sum(Vec<u16>),
    Answers { blocking: bool, listed: Vec<(u16, StepLink)>, also: Vec<u16> },
    Takes(u16, StepLink),
    Completes(u16),
    Split { pairs: Vec<Pair>, parts: Vec<(Vec<u16>, StepLink)> },
}

/// Ground of a claim that a player wins or holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ClaimGround {
    Step(u32),
    Stealing,
}

/// Proof of the value of a board.
///
/// [`fmt::Display`] prints its text in the format of this module.
#[derive(Clone, Debug)]
pub struct Proof {
    pub(crate) board: LineBoard,
    pub(crate) claim: Verdict,
    /// The winner's first step, or for a draw the grounds on which the first and the second player hold.
    pub(crate) grounds: Vec<(Turn, bool, ClaimGround)>,
    pub(crate) steps: Vec<ProofStep>,
}

impl ProofStep {
    /// Returns the links to the next steps.
    fn links(&mut self) -> Vec<&mut StepLink> {
        match self {
            ProofStep::Fours(_) | ProofStep::Pairs(_) | ProofStep::Sum(_) | ProofStep::Completes(_) => {
                Vec::new()
            }
            ProofStep::Plays(_, link) | ProofStep::Takes(_, link) => vec![link],
            ProofStep::Replies { listed, other } => {
                listed.iter_mut().map(|(_, link)| link).chain(other).collect()
            }
            ProofStep::Answers { listed, .. } => listed.iter_mut().map(|(_, link)| link).collect(),
            ProofStep::Split { parts, .. } => parts.iter_mut().map(|(_, link)| link).collect(),
        }
    }
}

impl Proof {
    /// Removes unreachable steps and renumbers the others.
    pub(crate) fn tidy(&mut self) {
        let mut needed = vec![false; self.steps.len()];
        for (_, _, ground) in &self.grounds {
            if let ClaimGround::Step(step) = ground {
                needed[*step as usize] = true;
            }
        }
        // Links lead backwards, so one pass from the end marks everything.
        for number in (0..self.steps.len()).rev() {
            if needed[number] {
                for link in self.steps[number].links() {
                    needed[link.step as usize] = true;
                }
            }
        }
        let numbers: Vec<u32> = needed
            .iter()
            .scan(0, |next, &needed| {
                *next += u32::from(needed);
                Some(*next - u32::from(needed))
            })
            .collect();
        let mut number = 0;
        self.steps.retain(|_| {
            number += 1;
            needed[number - 1]
        });
        for step in &mut self.steps {
            for link in step.links() {
                link.step = numbers[link.step as usize];
            }
        }
        for (_, _, ground) in &mut self.grounds {
            if let ClaimGround::Step(step) = ground {
                *step = numbers[*step as usize];
            }
        }
    }

    /// Builds a proof from a win by threats found elsewhere, for the player to move on a board.
    pub fn of_attack(board: &LineBoard, attack: &Attack) -> Proof {
        let mut steps = Vec::new();
        let last = write_attack(attack, &mut steps);
        let grounds = vec![(board.turn, true, ClaimGround::Step(last))];
        Proof { board: board.clone(), claim: Verdict::Win, grounds, steps }
    }

    /// Number of steps of the strategies.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there are no steps: the game is over already.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Returns the proven value, for the player to move.
    pub fn claim(&self) -> Verdict {
        self.claim
    }
}

/// Appends the steps of an attack and returns the number of the last; recursion depth is the attack's length.
fn write_attack(attack: &Attack, steps: &mut Vec<ProofStep>) -> u32 {
    let link = |step: u32| StepLink { step, symmetry: 0 };
    let step = match attack {
        Attack::Fours(cells) => ProofStep::Fours(cells.iter().map(|&cell| cell as u16).collect()),
        Attack::Plays { cell, replies, other } => {
            let mut listed = Vec::new();
            for (reply, rest) in replies {
                listed.push((*reply as u16, link(write_attack(rest, steps))));
            }
            let other = other.as_ref().map(|other| link(write_attack(other, steps)));
            steps.push(ProofStep::Replies { listed, other });
            ProofStep::Plays(*cell as u16, link(steps.len() as u32 - 1))
        }
    };
    steps.push(step);
    steps.len() as u32 - 1
}

/// Letter of a player: `x` or `o`.
fn letter(turn: Turn) -> char {
    if turn == Turn::Second { 'o' } else { 'x' }
}

impl fmt::Display for StepLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.step)?;
        if self.symmetry != 0 {
            write!(f, "~{}", self.symmetry)?;
        }
        Ok(())
    }
}

/// Formats steps with the cell names of a board.
struct StepWriter<'a, 'b> {
    height: usize,
    f: &'a mut fmt::Formatter<'b>,
}

impl StepWriter<'_, '_> {
    fn cell(&self, cell: u16) -> String {
        cell_name(usize::from(cell) / self.height, usize::from(cell) % self.height)
    }

    fn cells(&self, cells: &[u16]) -> String {
        cells.iter().map(|&cell| self.cell(cell)).collect::<Vec<_>>().join(",")
    }

    /// Groups cells with the same continuation.
    fn listed(&mut self, listed: &[(u16, StepLink)]) -> fmt::Result {
        let mut groups: Vec<(StepLink, Vec<u16>)> = Vec::new();
        for &(cell, link) in listed {
            match groups.iter_mut().find(|(known, _)| *known == link) {
                Some((_, cells)) => cells.push(cell),
                None => groups.push((link, vec![cell])),
            }
        }
        for (link, cells) in groups {
            write!(self.f, " {}>{link}", self.cells(&cells))?;
        }
        Ok(())
    }

    fn pairs(&mut self, pairs: &[Pair]) -> fmt::Result {
        for &(one, two) in pairs {
            write!(self.f, " {}-{}", self.cell(one), self.cell(two))?;
        }
        Ok(())
    }

    fn step(&mut self, step: &ProofStep) -> fmt::Result {
        match step {
            ProofStep::Fours(moves) => {
                write!(self.f, "fours")?;
                moves.iter().try_for_each(|&mv| write!(self.f, " {}", self.cell(mv)))
            }
            ProofStep::Plays(mv, link) => write!(self.f, "plays {}>{link}", self.cell(*mv)),
            ProofStep::Replies { listed, other } => {
                write!(self.f, "replies")?;
                self.listed(listed)?;
                other.iter().try_for_each(|link| write!(self.f, " else>{link}"))
            }
            ProofStep::Pairs(pairs) => {
                write!(self.f, "pairs")?;
                self.pairs(pairs)
            }
            ProofStep::Sum(cells) => write!(self.f, "sum {}", self.cells(cells)),
            ProofStep::Answers { blocking, listed, also } => {
                write!(self.f, "{}", if *blocking { "blocks" } else { "answers" })?;
                self.listed(listed)?;
                if also.is_empty() { Ok(()) } else { write!(self.f, " +{}", self.cells(also)) }
            }
            ProofStep::Takes(mv, link) => write!(self.f, "takes {}>{link}", self.cell(*mv)),
            ProofStep::Completes(mv) => write!(self.f, "completes {}", self.cell(*mv)),
            ProofStep::Split { pairs, parts } => {
                write!(self.f, "split")?;
                self.pairs(pairs)?;
                write!(self.f, " |")?;
                parts.iter().try_for_each(|(cells, link)| write!(self.f, " {}>{link}", self.cells(cells)))
            }
        }
    }
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let board = &self.board;
        writeln!(f, "outplay-proof 1")?;
        write!(f, "board ")?;
        for row in (0..board.height).rev() {
            for column in 0..board.width {
                let stone = match board.cells[board.cell(column, row)] {
                    Content::Empty => '.',
                    Content::Blocked => '#',
                    Content::First => 'x',
                    Content::Second => 'o',
                };
                write!(f, "{stone}")?;
            }
            if row > 0 {
                write!(f, "/")?;
            }
        }
        writeln!(f, " k {} turn {}", board.k, letter(board.turn))?;
        writeln!(f, "claim {}", self.claim)?;
        for (player, wins, ground) in &self.grounds {
            let verb = if *wins { "wins" } else { "holds" };
            match ground {
                ClaimGround::Step(step) => writeln!(f, "{} {verb} by {step}", letter(*player))?,
                ClaimGround::Stealing => writeln!(f, "{} {verb} by stealing", letter(*player))?,
            }
        }
        writeln!(f, "steps {}", self.steps.len())?;
        for (number, step) in self.steps.iter().enumerate() {
            write!(f, "{number} ")?;
            StepWriter { height: board.height, f }.step(step)?;
            writeln!(f)?;
        }
        writeln!(f, "end")
    }
}
