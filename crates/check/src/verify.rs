//! Verifier of proofs: follows each strategy through every reply of the opponent.
//!
//! The claim determines which strategies a proof must contain. An *attacker* completes a line; a *defender* prevents
//! the other player from completing one.
//!
//! ```text
//!  claim win    a strategy of the player to move, as attacker
//!  claim loss   a strategy of the opponent, as attacker
//!  claim draw   a strategy of each player, as defender
//! ```
//!
//! The traversal is depth-first with memoisation: each pair of a step and a position is verified once, however often it
//! occurs. It uses an explicit stack, not recursion.
//!
//! Invariant: for any input, the deadline is checked at every position, and memory stays within three times
//! [`CheckLimits::bytes`].

use crate::parse::{Arm, ClaimGround, ParsedProof, ProofStep, StepLink, SyntaxError, parse};
use crate::position::{Position, complete, singles};
use crate::set::CellSet;
use crate::trail::{Eyes, PathReporter};
use outplay_core::{Content, LineBoard, Turn, Verdict, cell_name};
use outplay_runtime::{Monitor, NoMonitor, Pace};
use std::collections::HashSet;
use thiserror::Error;

/// The claim of a proof that was verified.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The board, its stones as preset stones.
    pub board: LineBoard,
    /// The value for the player to move.
    pub verdict: Verdict,
    /// Steps of the proof.
    pub steps: usize,
    /// Pairs of step and position that were followed.
    pub followed: u64,
}

/// Reason why a proof is invalid, or was not decided.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CheckError {
    /// The text is malformed.
    #[error(transparent)]
    Malformed(#[from] SyntaxError),
    /// A step is invalid.
    #[error("step {step} is wrong: {why}")]
    Step {
        /// The number of the step.
        step: usize,
        /// The case that it does not cover.
        why: String,
    },
    /// The claim does not follow from the steps it names.
    #[error("the steps do not prove the claim: {0}")]
    Claim(String),
    /// The limit of positions was hit.
    #[error(
        "the check stopped after {0} pairs of a step and a position, its limit; the proof is neither confirmed nor refuted"
    )]
    Work(u64),
    /// The memory limit was hit.
    #[error("checking the proof needs more than {0} bytes of memory, its share of the limit")]
    Memory(usize),
    /// The monitor or a deadline stopped the check.
    #[error("the check was stopped before its end; the proof is neither confirmed nor refuted")]
    Stopped,
}

impl CheckError {
    /// Whether a limit ended the check, so that the proof is neither valid nor invalid so far.
    pub fn is_undecided(&self) -> bool {
        matches!(self, CheckError::Work(_) | CheckError::Memory(_) | CheckError::Stopped)
    }
}

/// Limits of the verification of a proof: work and memory.
#[derive(Clone, Copy, Debug)]
pub struct CheckLimits {
    /// Maximum number of pairs of step and position to follow.
    pub followed: u64,
    /// Approximate bytes for the steps, as many again for the stack and as many again for memoised positions.
    /// Steps or positions that are too large end the check with [`CheckError::Memory`]; positions that cannot
    /// be memoised are followed again.
    pub bytes: usize,
}

impl Default for CheckLimits {
    fn default() -> CheckLimits {
        CheckLimits { followed: 1_000_000_000, bytes: 4 << 30 }
    }
}

/// Verifies a proof with the default limits.
///
/// # Errors
///
/// The first syntax error, or the first step that does not cover all cases.
pub fn check(text: &str) -> Result<Claim, CheckError> {
    check_within(text, &CheckLimits::default())
}

/// Verifies a proof with custom limits.
///
/// # Errors
///
/// As [`check`].
pub fn check_within(text: &str, limits: &CheckLimits) -> Result<Claim, CheckError> {
    check_watched(text, limits, &NoMonitor)
}

/// Verifies a proof with limits and a monitor that can stop the check.
///
/// # Errors
///
/// As [`check`], and a stop by the monitor.
pub fn check_watched(text: &str, limits: &CheckLimits, monitor: &dyn Monitor) -> Result<Claim, CheckError> {
    check_seen(text, limits, monitor, None)
}

/// Verifies a proof and reports each pair of step and position to a callback before following it.
///
/// # Errors
///
/// As [`check_watched`].
pub fn check_seen(
    text: &str,
    limits: &CheckLimits,
    monitor: &dyn Monitor,
    seen: Option<Eyes<'_>>,
) -> Result<Claim, CheckError> {
    let proof = parse(text, limits, monitor)?;
    match proof.board.cells.len() {
        0..=64 => run::<1>(&proof, limits, monitor, seen),
        65..=128 => run::<2>(&proof, limits, monitor, seen),
        _ => run::<6>(&proof, limits, monitor, seen),
    }
}

/// Returns the cells of every vertical, horizontal and diagonal line of k.
pub(crate) fn rows_of_k(board: &LineBoard) -> Vec<Vec<usize>> {
    let (width, height, k) = (board.width as i64, board.height as i64, board.k as i64);
    let mut rows = Vec::new();
    for column in 0..width {
        for row in 0..height {
            for (right, up) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
                let end = (column + right * (k - 1), row + up * (k - 1));
                if end.0 < width && (0..height).contains(&end.1) {
                    let cell = |i| ((column + right * i) * height + row + up * i) as usize;
                    rows.push((0..k).map(cell).collect());
                }
            }
        }
    }
    rows
}

pub(crate) fn stone_of(player: Turn) -> Content {
    if player == Turn::First { Content::First } else { Content::Second }
}

/// Returns the lines that a player can still fill, as the cells it needs for them.
pub(crate) fn lines_of<const W: usize>(board: &LineBoard, player: Turn) -> Vec<CellSet<W>> {
    let own = stone_of(player);
    let usable = |cell: &usize| [own, Content::Empty].contains(&board.cells[*cell]);
    let missing = |row: Vec<usize>| {
        let mut set = CellSet::EMPTY;
        row.into_iter().filter(|&cell| board.cells[cell] == Content::Empty).for_each(|cell| set.add(cell));
        set
    };
    rows_of_k(board).into_iter().filter(|row| row.iter().all(usable)).map(missing).collect()
}

pub(crate) fn run<const W: usize>(
    proof: &ParsedProof,
    limits: &CheckLimits,
    monitor: &dyn Monitor,
    mut seen: Option<Eyes<'_>>,
) -> Result<Claim, CheckError> {
    let board = &proof.board;
    let (mover, other) = (board.turn, board.turn.other());
    let refuse = |why: &str| Err(CheckError::Claim(why.to_string()));
    let lines = |player| lines_of::<W>(board, player);
    let done = |player| lines(player).iter().any(CellSet::is_empty);
    let mut followed = 0;
    let mut follow = |attacker: Turn, wins: bool, step: usize| {
        let mut verifier = Verifier::new(proof, limits, wins, followed, monitor);
        let pos = Position::new(lines(attacker), lines(attacker.other()));
        let mut reporter =
            seen.as_deref_mut().map(|eyes| PathReporter::new(attacker, board.cells.len(), eyes));
        verifier.follow(step, pos, attacker == mover, reporter.as_mut())?;
        followed = verifier.followed;
        Ok::<(), CheckError>(())
    };
    match (done(mover), done(other)) {
        (true, true) => return refuse("both players have already completed a line"),
        (true, false) if proof.claim != Verdict::Win => return refuse("the player to move has already won"),
        (false, true) if proof.claim != Verdict::Loss => return refuse("the other player has already won"),
        (false, false) => match (proof.claim, &proof.grounds[..]) {
            (Verdict::Win, &[(player, true, ClaimGround::Step(step))]) if player == mover => {
                follow(mover, true, step)?;
            }
            (Verdict::Loss, &[(player, true, ClaimGround::Step(step))]) if player == other => {
                follow(other, true, step)?;
            }
            (Verdict::Draw, &[(one, false, _), (two, false, _)]) if one != two => {
                for &(player, _, ground) in &proof.grounds {
                    match ground {
                        ClaimGround::Step(step) => follow(player.other(), false, step)?,
                        ClaimGround::Stealing => {
                            let bare = board.cells.iter().all(|&cell| cell == Content::Empty);
                            if player != mover || !bare {
                                return refuse(
                                    "strategy stealing is valid only for the player to move on a board without stones and obstacles",
                                );
                            }
                        }
                    }
                }
            }
            _ => {
                return refuse(
                    "a win or a loss needs one `wins` line for the winner, a draw needs one `holds` line for each player",
                );
            }
        },
        _ => {}
    }
    Ok(Claim { board: board.clone(), verdict: proof.claim, steps: proof.steps.len(), followed })
}

/// Traversal of one strategy.
pub(crate) struct Verifier<'a, const W: usize> {
    proof: &'a ParsedProof,
    limits: &'a CheckLimits,
    /// Whether the attacker is claimed to win; else the defender to hold.
    wins: bool,
    followed: u64,
    /// Memo: for each step the positions it was verified for, with whether the attacker moves.
    right: Vec<HashSet<(Position<W>, bool)>>,
    remembered: usize,
    /// Approximate bytes of the frames on the stack.
    held: usize,
    /// Images of the cells under each symmetry.
    images: Vec<Vec<u16>>,
    pace: Pace<'a>,
}

/// A continuation: link, position, whether the attacker moves there, and the cell just played.
pub(crate) type Continuation<const W: usize> = (StepLink, Position<W>, bool, Option<usize>);

/// Stack frame: a step with the continuations that are not followed yet.
pub(crate) enum Frame<'a, const W: usize> {
    /// A step with few continuations, all of them listed.
    Continuations(Vec<Continuation<W>>),
    /// Replies of the defender that are not followed yet; `None` is a pass.
    Replies {
        step: usize,
        pos: Position<W>,
        arms: &'a [Arm],
        other: Option<StepLink>,
        left: Vec<Option<usize>>,
    },
    /// Moves of the attacker that are not followed yet.
    Answers { step: usize, pos: Position<W>, arms: &'a [Arm], left: Vec<usize> },
    /// Parts of a split that are not followed yet.
    Parts { step: usize, pos: Position<W>, attacks: bool, left: Vec<Continuation<W>> },
}

impl<const W: usize> Frame<'_, W> {
    /// Returns the result to memoise once all continuations were followed: step, position, and whether the
    /// attacker moves.
    fn verified_step(self) -> Option<(usize, Position<W>, bool)> {
        match self {
            Frame::Continuations(_) => None,
            Frame::Replies { step, pos, .. } => Some((step, pos, false)),
            Frame::Answers { step, pos, .. } => Some((step, pos, true)),
            Frame::Parts { step, pos, attacks, .. } => Some((step, pos, attacks)),
        }
    }

    /// Approximate bytes of the frame. The remaining parts of a split are no larger than its position.
    fn bytes(&self) -> usize {
        size_of::<Self>()
            + match self {
                Frame::Continuations(_) => 0,
                Frame::Replies { pos, left, .. } => pos.bytes() + left.len() * size_of::<Option<usize>>(),
                Frame::Answers { pos, left, .. } => pos.bytes() + left.len() * size_of::<usize>(),
                Frame::Parts { pos, .. } => 2 * pos.bytes(),
            }
    }
}

/// Returns the images of the cells under each symmetry of the board.
pub(crate) fn images(board: &LineBoard) -> Vec<Vec<u16>> {
    let (width, height) = (board.width, board.height);
    let image = |symmetry: usize, cell: usize| {
        let (mut column, mut row) = (cell / height, cell % height);
        if symmetry & 4 != 0 {
            (column, row) = (row, column);
        }
        if symmetry & 1 != 0 {
            column = width - 1 - column;
        }
        if symmetry & 2 != 0 {
            row = height - 1 - row;
        }
        (column * height + row) as u16
    };
    let usable = |symmetry: &usize| symmetry & 4 == 0 || width == height;
    let cells = 0..width * height;
    (0..8).filter(usable).map(|symmetry| cells.clone().map(|cell| image(symmetry, cell)).collect()).collect()
}

/// Maximum nesting of steps: longer than any game with all its splits.
fn deepest(board: &LineBoard) -> usize {
    4 * board.cells.len() + 64
}

impl<'a, const W: usize> Verifier<'a, W> {
    pub(crate) fn new(
        proof: &'a ParsedProof,
        limits: &'a CheckLimits,
        wins: bool,
        followed: u64,
        monitor: &'a dyn Monitor,
    ) -> Self {
        let images = images(&proof.board);
        let right = vec![HashSet::new(); proof.steps.len()];
        Verifier {
            proof,
            limits,
            wins,
            followed,
            right,
            remembered: 0,
            held: 0,
            images,
            pace: Pace::new(monitor),
        }
    }

    fn name(&self, cell: usize) -> String {
        cell_name(cell / self.proof.board.height, cell % self.proof.board.height)
    }

    fn fail<T>(&self, step: usize, why: impl Into<String>) -> Result<T, CheckError> {
        Err(CheckError::Step { step, why: why.into() })
    }

    /// Follows a step from a position, and all its continuations.
    fn follow(
        &mut self,
        step: usize,
        pos: Position<W>,
        attacks: bool,
        mut reporter: Option<&mut PathReporter<'_>>,
    ) -> Result<(), CheckError> {
        if let Some(reporter) = &mut reporter {
            reporter.report(step, attacks);
        }
        let first = self.begin(step, pos, attacks, 0)?;
        let mut stack = vec![self.account(first)?];
        while let Some((frame, bytes)) = stack.last_mut() {
            match self.next_continuation(frame)? {
                Some((link, pos, attacks, played)) => {
                    let pos = self.renamed(link, pos);
                    if let Some(reporter) = &mut reporter {
                        let images = &self.images[usize::from(link.symmetry)];
                        reporter.advance(stack.len(), played, attacks, images);
                        reporter.report(link.step, attacks);
                    }
                    let next = self.begin(link.step, pos, attacks, stack.len())?;
                    stack.push(self.account(next)?);
                }
                None => {
                    self.held -= *bytes;
                    let frame = stack.pop().and_then(|(frame, _)| frame.verified_step());
                    if let Some((step, pos, attacks)) = frame {
                        self.remember(step, pos, attacks);
                    }
                }
            }
        }
        Ok(())
    }

    /// Accounts for the memory of a frame that is pushed on the stack.
    fn account(&mut self, frame: Frame<'a, W>) -> Result<(Frame<'a, W>, usize), CheckError> {
        let bytes = frame.bytes();
        self.held += bytes;
        if self.held > self.limits.bytes {
            return Err(CheckError::Memory(self.limits.bytes));
        }
        Ok((frame, bytes))
    }

    /// Polls the clock before work on a position.
    fn poll(&mut self, pos: &Position<W>) -> Result<(), CheckError> {
        // The cost of a step grows with the number of lines.
        if self.pace.steps(1 + pos.attacker.len() + pos.defender.len()) {
            return Err(CheckError::Stopped);
        }
        Ok(())
    }

    /// Maps the position by the symmetry of a link.
    pub(crate) fn renamed(&self, link: StepLink, pos: Position<W>) -> Position<W> {
        match link.symmetry {
            0 => pos,
            symmetry => pos.renamed(&self.images[usize::from(symmetry)]),
        }
    }

    /// Returns the next continuation of a step; `None` when all of them were followed.
    pub(crate) fn next_continuation(
        &mut self,
        frame: &mut Frame<'a, W>,
    ) -> Result<Option<Continuation<W>>, CheckError> {
        match frame {
            Frame::Continuations(left) | Frame::Parts { left, .. } => Ok(left.pop()),
            Frame::Replies { step, pos, arms, other, left } => {
                while let Some(reply) = left.pop() {
                    self.poll(pos)?;
                    if let Some(next_continuation) = self.reply(*step, pos, arms, *other, reply)? {
                        return Ok(Some(next_continuation));
                    }
                }
                Ok(None)
            }
            Frame::Answers { step, pos, arms, left } => {
                while let Some(cell) = left.pop() {
                    self.poll(pos)?;
                    if let Some(next_continuation) = self.attack(*step, pos, arms, cell)? {
                        return Ok(Some(next_continuation));
                    }
                }
                Ok(None)
            }
        }
    }

    /// Whether the step was verified for the position before.
    fn known(&self, step: usize, known: &(Position<W>, bool)) -> bool {
        self.right[step].contains(known)
    }

    fn remember(&mut self, step: usize, pos: Position<W>, attacks: bool) {
        // A hash set that has just doubled is less than half full.
        let bytes = 3 * size_of::<(Position<W>, bool)>() + pos.bytes() + 32;
        // Beyond the limit positions are followed again instead.
        if self.remembered + bytes <= self.limits.bytes {
            self.remembered += bytes;
            self.right[step].insert((pos, attacks));
        }
    }

    /// Starts a step at a position; `attacks` is whether the attacker moves.
    pub(crate) fn begin(
        &mut self,
        step: usize,
        pos: Position<W>,
        attacks: bool,
        depth: usize,
    ) -> Result<Frame<'a, W>, CheckError> {
        self.poll(&pos)?;
        self.followed += 1;
        if self.followed > self.limits.followed {
            return Err(CheckError::Work(self.limits.followed));
        }
        if depth > deepest(&self.proof.board) {
            return self.fail(step, "the steps are nested more deeply than any game on this board");
        }
        let proof = self.proof;
        let written = &proof.steps[step];
        let (wants_win, wants_attacker) = match written {
            ProofStep::Fours(_) | ProofStep::Plays(..) => (true, Some(true)),
            ProofStep::Replies { .. } => (true, Some(false)),
            ProofStep::Pairs(_) | ProofStep::Answers { .. } => (false, Some(true)),
            ProofStep::Takes(..) | ProofStep::Completes(_) => (false, Some(false)),
            ProofStep::Sum(_) | ProofStep::Split { .. } => (false, None),
        };
        if wants_win != self.wins {
            return self.fail(step, "it refers to a step of the other player's strategy");
        }
        if wants_attacker.is_some_and(|wanted| wanted != attacks) {
            return self.fail(step, "it refers to a step for positions with the other player to move");
        }
        let done = Ok(Frame::Continuations(Vec::new()));
        let only = |link: StepLink, pos, attacks, cell| {
            Ok(Frame::Continuations(vec![(link, pos, attacks, Some(cell))]))
        };
        match written {
            ProofStep::Fours(moves) => self.fours(step, pos, moves).and(done),
            ProofStep::Plays(cell, link) => {
                let cell = usize::from(*cell);
                if !pos.live().contains(cell) {
                    return self.fail(step, format!("{} is not an empty cell of a line", self.name(cell)));
                }
                let after = pos.attack(cell);
                if complete(&after.attacker) { done } else { only(*link, after, false, cell) }
            }
            ProofStep::Replies { arms, other } => self.replies(step, pos, arms, *other),
            ProofStep::Pairs(pairs) => self.pairs(step, &pos, pairs).and(done),
            ProofStep::Sum(cells) => self.sum(step, &pos, cells, attacks).and(done),
            ProofStep::Answers { blocking, arms, also } => self.answers(step, pos, *blocking, arms, also),
            ProofStep::Takes(cell, link) => {
                let cell = usize::from(*cell);
                if !pos.live().contains(cell) {
                    return self.fail(step, format!("{} is not an empty cell of a line", self.name(cell)));
                }
                let after = pos.defend(cell);
                if complete(&after.defender) { done } else { only(*link, after, true, cell) }
            }
            ProofStep::Completes(cell) => {
                if singles(&pos.defender).contains((*cell).into()) {
                    return done;
                }
                self.fail(step, format!("{} does not complete a line", self.name((*cell).into())))
            }
            ProofStep::Split { pairs, parts } => self.split(step, &pos, pairs, parts, attacks),
        }
    }

    /// Checks a VCF: moves that each threaten to complete a line; the defender's replies are forced.
    fn fours(&mut self, step: usize, mut pos: Position<W>, moves: &[u16]) -> Result<(), CheckError> {
        for &cell in moves {
            self.poll(&pos)?;
            let cell = usize::from(cell);
            if !pos.live().contains(cell) {
                return self.fail(step, format!("{} is not an empty cell of a line", self.name(cell)));
            }
            if singles(&pos.attacker).contains(cell) {
                return Ok(());
            }
            pos = pos.attack(cell);
            if !singles(&pos.defender).is_empty() {
                return self.fail(step, format!("after {} the defender completes a line", self.name(cell)));
            }
            let threats = singles(&pos.attacker);
            match threats.size() {
                0 => {
                    return self
                        .fail(step, format!("{} does not threaten to complete a line", self.name(cell)));
                }
                1 => pos = pos.defend(threats.members()[0]),
                _ => return Ok(()),
            }
        }
        self.fail(step, "the list of moves ends before a line is complete")
    }

    /// Checks that every reply of the defender loses.
    fn replies(
        &self,
        step: usize,
        pos: Position<W>,
        arms: &'a [Arm],
        other: Option<StepLink>,
    ) -> Result<Frame<'a, W>, CheckError> {
        let known = (pos, false);
        if self.known(step, &known) {
            return Ok(Frame::Continuations(Vec::new()));
        }
        let (pos, _) = known;
        if let Some(cell) = singles(&pos.defender).members().first() {
            return self.fail(step, format!("the defender completes a line at {}", self.name(*cell)));
        }
        // A stone in no live line counts as a pass. The list is popped from the end.
        let replies = pos.live().members().into_iter().map(Some);
        let left = [None].into_iter().chain(replies.rev()).collect();
        Ok(Frame::Replies { step, pos, arms, other, left })
    }

    /// Returns the continuation after a reply of the defender; `None` if the reply loses at once.
    fn reply(
        &self,
        step: usize,
        pos: &Position<W>,
        arms: &[Arm],
        other: Option<StepLink>,
        reply: Option<usize>,
    ) -> Result<Option<Continuation<W>>, CheckError> {
        let link_of = |cell: usize| {
            let arm = arms.iter().find(|(cells, _)| cells.contains(&(cell as u16)));
            arm.map(|(_, link)| *link).or(other)
        };
        let after = reply.map_or_else(|| pos.clone(), |cell| pos.defend(cell));
        if !singles(&after.attacker).is_empty() && is_unlisted(reply, arms) {
            return Ok(None);
        }
        match reply.map_or(other, link_of) {
            Some(link) => Ok(Some((link, after, true, reply))),
            None => {
                let name = reply.map_or("a pass".to_string(), |cell| self.name(cell));
                self.fail(step, format!("there is no reply to {name}"))
            }
        }
    }

    /// Checks that every line of the attacker contains a pair.
    fn pairs(&self, step: usize, pos: &Position<W>, pairs: &[[u16; 2]]) -> Result<(), CheckError> {
        let sets = self.disjoint(step, pairs)?;
        if pos.attacker.iter().all(|line| sets.iter().any(|pair| pair.is_part_of(line))) {
            return Ok(());
        }
        self.fail(step, "a line of the attacker contains no pair")
    }

    fn disjoint(&self, step: usize, pairs: &[[u16; 2]]) -> Result<Vec<CellSet<W>>, CheckError> {
        let mut seen = CellSet::<W>::EMPTY;
        let mut sets = Vec::with_capacity(pairs.len());
        for pair in pairs {
            for &cell in pair {
                if seen.contains(cell.into()) {
                    return self.fail(step, format!("{} is in two pairs", self.name(cell.into())));
                }
                seen.add(cell.into());
            }
            sets.push(CellSet::of(pair));
        }
        Ok(sets)
    }

    /// Checks the Erdős–Selfridge potential (1973).
    fn sum(&self, step: usize, pos: &Position<W>, cells: &[u16], attacks: bool) -> Result<(), CheckError> {
        let Some(pos) = pos.within(&CellSet::of(cells)) else {
            return self.fail(step, "a line of the attacker lies outside the cells that the step covers");
        };
        // In units of 2^-100; smaller terms are rounded up.
        let sum: u128 = pos.attacker.iter().map(|line| 1u128 << (100 - line.size().min(100))).sum();
        if sum < if attacks { 1 << 99 } else { 1 << 100 } {
            return Ok(());
        }
        self.fail(
            step,
            "the sum of the potentials of the attacker's lines is too large for the argument to hold",
        )
    }

    /// Checks that every move of the attacker has an answer.
    fn answers(
        &self,
        step: usize,
        mut pos: Position<W>,
        blocking: bool,
        arms: &'a [Arm],
        also: &[u16],
    ) -> Result<Frame<'a, W>, CheckError> {
        let zone = arms.iter().fold(CellSet::of(also), |all, (cells, _)| all.union(&CellSet::of(cells)));
        if blocking {
            pos.defender.clear();
        }
        let Some(pos) = pos.within(&zone) else {
            return self.fail(step, "a line of the attacker lies outside the zone that the step covers");
        };
        let known = (pos, true);
        if self.known(step, &known) {
            return Ok(Frame::Continuations(Vec::new()));
        }
        let (pos, _) = known;
        let left = pos.live().members().into_iter().rev().collect();
        Ok(Frame::Answers { step, pos, arms, left })
    }

    /// Returns the continuation after a move of the attacker; `None` if it lets the defender complete a line.
    fn attack(
        &self,
        step: usize,
        pos: &Position<W>,
        arms: &[Arm],
        cell: usize,
    ) -> Result<Option<Continuation<W>>, CheckError> {
        let after = pos.attack(cell);
        if complete(&after.attacker) {
            return self.fail(step, format!("the attacker completes a line at {}", self.name(cell)));
        }
        match arms.iter().find(|(cells, _)| cells.contains(&(cell as u16))) {
            Some((_, link)) => Ok(Some((*link, after, false, Some(cell)))),
            None if !singles(&after.defender).is_empty() => Ok(None),
            None => self.fail(step, format!("there is no continuation after the move {}", self.name(cell))),
        }
    }

    /// Checks pairs and parts that hold independently.
    fn split(
        &self,
        step: usize,
        pos: &Position<W>,
        pairs: &[[u16; 2]],
        parts: &[Arm],
        attacks: bool,
    ) -> Result<Frame<'a, W>, CheckError> {
        if !attacks && parts.len() > 1 {
            return self.fail(step, "with the defender to move, a `split` is valid only with a single part: the defender can answer in one part only");
        }
        let sets = self.disjoint(step, pairs)?;
        let mut all = sets.iter().fold(CellSet::EMPTY, |all, pair| all.union(pair));
        let mut cells_of = Vec::with_capacity(parts.len());
        for (cells, _) in parts {
            let cells = CellSet::of(cells);
            if !all.common(&cells).is_empty() {
                return self.fail(step, "the parts and pairs overlap");
            }
            all = all.union(&cells);
            cells_of.push(cells);
        }
        let Some(pos) = pos.within(&all) else {
            return self.fail(step, "a line of the attacker lies outside the parts");
        };
        // A single part never leads to the same position twice, so it needs no memo.
        let known = (pos, attacks);
        if parts.len() > 1 && self.known(step, &known) {
            return Ok(Frame::Continuations(Vec::new()));
        }
        let (pos, _) = known;
        let mut lines_of: Vec<Vec<CellSet<W>>> = vec![Vec::new(); parts.len()];
        for line in &pos.attacker {
            if sets.iter().any(|pair| pair.is_part_of(line)) {
                continue;
            }
            match cells_of.iter().position(|cells| !cells.common(line).is_empty()) {
                Some(part) => lines_of[part].push(line.common(&cells_of[part])),
                None => return self.fail(step, "a line of the attacker is in no part and contains no pair"),
            }
        }
        let ways = lines_of.into_iter().zip(parts).rev();
        let ways = ways.map(|(lines, (_, link))| (*link, Position::new(lines, Vec::new()), attacks, None));
        let left: Vec<Continuation<W>> = ways.collect();
        Ok(if parts.len() > 1 {
            Frame::Parts { step, pos, attacks, left }
        } else {
            Frame::Continuations(left)
        })
    }
}

/// Whether a reply that lets the attacker complete a line is not listed.
fn is_unlisted(reply: Option<usize>, arms: &[Arm]) -> bool {
    reply.is_none_or(|reply| !arms.iter().any(|(cells, _)| cells.contains(&(reply as u16))))
}
