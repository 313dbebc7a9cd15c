//! Follows the strategies of a proof through every reply.
//!
//! ```text
//!  claim win    the player to move wins as attacker
//!  claim loss   the other player wins as attacker
//!  claim draw   each player holds as defender against the other
//! ```
//!
//! A step that was found right for a position is right for it wherever it occurs again, so each pair of step
//! and position is followed once. Steps that are being followed wait on a stack of their own, not on the thread's.

use crate::parse::{Arm, Ground, Link, Malformed, Script, Step, parse};
use crate::position::{Position, complete, singles};
use crate::set::Set;
use crate::trail::{Eyes, Trails};
use outplay_core::{Content, LineBoard, Pace, Quiet, Turn, Verdict, Watch, cell_name};
use std::collections::HashSet;
use thiserror::Error;

/// What a proof shows.
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

/// Why a proof does not pass.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CheckError {
    /// It cannot be read.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// A step does not do what it says.
    #[error("step {step} fails: {why}")]
    Step {
        /// The number of the step.
        step: usize,
        /// What it does not cover.
        why: String,
    },
    /// The claim does not follow from the steps it names.
    #[error("the claim fails: {0}")]
    Claim(String),
    /// It is too much work.
    #[error("the proof needs more than {0} positions to check; raise the limit if it is to be trusted")]
    Work(u64),
    /// Somebody asked to stop, or time was up.
    #[error("the check was stopped before its end; the proof is neither right nor wrong so far")]
    Stopped,
}

/// How much work a check may be.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Pairs of step and position that are followed.
    pub followed: u64,
    /// Bytes for positions remembered, approximately.
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { followed: 1_000_000_000, bytes: 4 << 30 }
    }
}

/// Checks a proof.
///
/// # Errors
///
/// The first place where the text is no proof or a strategy does not cover what can happen.
pub fn check(text: &str) -> Result<Claim, CheckError> {
    check_within(text, &Limits::default())
}

/// Checks a proof with limits of one's own.
///
/// # Errors
///
/// As [`check`].
pub fn check_within(text: &str, limits: &Limits) -> Result<Claim, CheckError> {
    check_watched(text, limits, &Quiet)
}

/// Checks a proof until somebody says stop.
///
/// # Errors
///
/// As [`check`], and a stop.
pub fn check_watched(text: &str, limits: &Limits, watch: &dyn Watch) -> Result<Claim, CheckError> {
    check_seen(text, limits, watch, None)
}

/// Checks a proof under somebody's eyes: each pair of step and position is told before it is followed.
///
/// # Errors
///
/// As [`check_watched`].
pub fn check_seen(
    text: &str,
    limits: &Limits,
    watch: &dyn Watch,
    seen: Option<Eyes<'_>>,
) -> Result<Claim, CheckError> {
    let script = parse(text)?;
    match script.board.cells.len() {
        0..=64 => run::<1>(&script, limits, watch, seen),
        65..=128 => run::<2>(&script, limits, watch, seen),
        _ => run::<6>(&script, limits, watch, seen),
    }
}

/// The cells of every row, column and diagonal of k.
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

/// The lines that a player can still fill, by the cells it needs for them.
pub(crate) fn lines_of<const W: usize>(board: &LineBoard, player: Turn) -> Vec<Set<W>> {
    let own = stone_of(player);
    let usable = |cell: &usize| [own, Content::Empty].contains(&board.cells[*cell]);
    let missing = |row: Vec<usize>| {
        let mut set = Set::EMPTY;
        row.into_iter().filter(|&cell| board.cells[cell] == Content::Empty).for_each(|cell| set.add(cell));
        set
    };
    rows_of_k(board).into_iter().filter(|row| row.iter().all(usable)).map(missing).collect()
}

fn run<const W: usize>(
    script: &Script,
    limits: &Limits,
    watch: &dyn Watch,
    mut seen: Option<Eyes<'_>>,
) -> Result<Claim, CheckError> {
    let board = &script.board;
    let (mover, other) = (board.turn, board.turn.other());
    let refuse = |why: &str| Err(CheckError::Claim(why.to_string()));
    let lines = |player| lines_of::<W>(board, player);
    let done = |player| lines(player).iter().any(Set::is_empty);
    let mut followed = 0;
    let mut follow = |attacker: Turn, wins: bool, step: usize| {
        let mut walk = Walk::new(script, limits, wins, followed, watch);
        let pos = Position::new(lines(attacker), lines(attacker.other()));
        let mut trails = seen.as_deref_mut().map(|eyes| Trails::new(attacker, board.cells.len(), eyes));
        walk.follow(step, pos, attacker == mover, trails.as_mut())?;
        followed = walk.followed;
        Ok::<(), CheckError>(())
    };
    match (done(mover), done(other)) {
        (true, true) => return refuse("both players have completed a line before the game begins"),
        (true, false) if script.claim != Verdict::Win => return refuse("the player to move has already won"),
        (false, true) if script.claim != Verdict::Loss => return refuse("the other player has already won"),
        (false, false) => match (script.claim, &script.grounds[..]) {
            (Verdict::Win, &[(player, true, Ground::Step(step))]) if player == mover => {
                follow(mover, true, step)?;
            }
            (Verdict::Loss, &[(player, true, Ground::Step(step))]) if player == other => {
                follow(other, true, step)?;
            }
            (Verdict::Draw, &[(one, false, _), (two, false, _)]) if one != two => {
                for &(player, _, ground) in &script.grounds {
                    match ground {
                        Ground::Step(step) => follow(player.other(), false, step)?,
                        Ground::Stealing => {
                            let bare = board.cells.iter().all(|&cell| cell == Content::Empty);
                            if player != mover || !bare {
                                return refuse(
                                    "strategy stealing is for the player to move on a board without stones and obstacles",
                                );
                            }
                        }
                    }
                }
            }
            _ => {
                return refuse(
                    "a win or a loss needs one line that names the winner, a draw one `holds` line for each player",
                );
            }
        },
        _ => {}
    }
    Ok(Claim { board: board.clone(), verdict: script.claim, steps: script.steps.len(), followed })
}

/// One strategy being followed.
pub(crate) struct Walk<'a, const W: usize> {
    script: &'a Script,
    limits: &'a Limits,
    /// Whether the attacker is said to win; else the defender to hold.
    wins: bool,
    followed: u64,
    /// For each step the positions it was found right for.
    right: Vec<HashSet<Position<W>>>,
    remembered: usize,
    /// For each symmetry where the cells go.
    images: Vec<Vec<u16>>,
    pace: Pace<'a>,
}

/// Where to go on, from which position, whether the attacker moves there, and the cell that was just played.
pub(crate) type Onward<const W: usize> = (Link, Position<W>, bool, Option<usize>);

/// A step that is being followed: what it still has to go on with.
pub(crate) enum Frame<'a, const W: usize> {
    /// A step with at most so many ways on, which are all here.
    Ways(Vec<Onward<W>>),
    /// Replies of the defender that are not followed yet; `None` is a pass.
    Replies { step: usize, pos: Position<W>, arms: &'a [Arm], other: Option<Link>, left: Vec<Option<usize>> },
    /// Moves of the attacker that are not followed yet.
    Answers { step: usize, pos: Position<W>, arms: &'a [Arm], left: Vec<usize> },
}

/// For each symmetry of the board where its cells go.
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

/// One step must not be applied more deeply than a game with all its splits can be long.
fn deepest(board: &LineBoard) -> usize {
    4 * board.cells.len() + 64
}

impl<'a, const W: usize> Walk<'a, W> {
    pub(crate) fn new(
        script: &'a Script,
        limits: &'a Limits,
        wins: bool,
        followed: u64,
        watch: &'a dyn Watch,
    ) -> Self {
        let images = images(&script.board);
        let right = vec![HashSet::new(); script.steps.len()];
        Walk { script, limits, wins, followed, right, remembered: 0, images, pace: Pace::new(watch) }
    }

    fn name(&self, cell: usize) -> String {
        cell_name(cell / self.script.board.height, cell % self.script.board.height)
    }

    fn fail<T>(&self, step: usize, why: impl Into<String>) -> Result<T, CheckError> {
        Err(CheckError::Step { step, why: why.into() })
    }

    /// Follows a step from a position, and everything that it goes on with.
    fn follow(
        &mut self,
        step: usize,
        pos: Position<W>,
        attacks: bool,
        mut trails: Option<&mut Trails<'_>>,
    ) -> Result<(), CheckError> {
        if let Some(trails) = &mut trails {
            trails.tell(step, attacks);
        }
        let mut stack = vec![self.begin(step, pos, attacks, 0)?];
        while let Some(frame) = stack.last_mut() {
            match self.onward(frame)? {
                Some((link, pos, attacks, played)) => {
                    let pos = self.renamed(link, pos);
                    if let Some(trails) = &mut trails {
                        let images = &self.images[usize::from(link.symmetry)];
                        trails.go_on(stack.len(), played, attacks, images);
                        trails.tell(link.step, attacks);
                    }
                    let next = self.begin(link.step, pos, attacks, stack.len())?;
                    stack.push(next);
                }
                None => {
                    if let Some(Frame::Replies { step, pos, .. } | Frame::Answers { step, pos, .. }) =
                        stack.pop()
                    {
                        self.remember(step, pos);
                    }
                }
            }
        }
        Ok(())
    }

    /// The position as the step that a link leads to sees it.
    pub(crate) fn renamed(&self, link: Link, pos: Position<W>) -> Position<W> {
        match link.symmetry {
            0 => pos,
            symmetry => pos.renamed(&self.images[usize::from(symmetry)]),
        }
    }

    /// The next way on from a step; none when all of them were followed.
    pub(crate) fn onward(&self, frame: &mut Frame<'a, W>) -> Result<Option<Onward<W>>, CheckError> {
        match frame {
            Frame::Ways(left) => Ok(left.pop()),
            Frame::Replies { step, pos, arms, other, left } => {
                while let Some(reply) = left.pop() {
                    if let Some(onward) = self.reply(*step, pos, arms, *other, reply)? {
                        return Ok(Some(onward));
                    }
                }
                Ok(None)
            }
            Frame::Answers { step, pos, arms, left } => {
                while let Some(cell) = left.pop() {
                    if let Some(onward) = self.attack(*step, pos, arms, cell)? {
                        return Ok(Some(onward));
                    }
                }
                Ok(None)
            }
        }
    }

    /// Whether the step is known to be right for the position.
    fn known(&self, step: usize, pos: &Position<W>) -> bool {
        self.right[step].contains(pos)
    }

    fn remember(&mut self, step: usize, pos: Position<W>) {
        let lines = pos.attacker.len() + pos.defender.len();
        // A set that has just doubled is less than half full.
        let bytes = 3 * size_of::<Position<W>>() + lines * size_of::<Set<W>>() + 32;
        // Beyond the limit positions are followed again instead.
        if self.remembered + bytes <= self.limits.bytes {
            self.remembered += bytes;
            self.right[step].insert(pos);
        }
    }

    /// Takes a step at a position; `attacks` says whether the attacker moves.
    pub(crate) fn begin(
        &mut self,
        step: usize,
        pos: Position<W>,
        attacks: bool,
        depth: usize,
    ) -> Result<Frame<'a, W>, CheckError> {
        // What a step costs grows with the lines it looks at.
        if self.pace.steps(1 + pos.attacker.len() + pos.defender.len()) {
            return Err(CheckError::Stopped);
        }
        self.followed += 1;
        if self.followed > self.limits.followed {
            return Err(CheckError::Work(self.limits.followed));
        }
        if depth > deepest(&self.script.board) {
            return self.fail(step, "the steps are nested more deeply than any game on this board");
        }
        let script = self.script;
        let written = &script.steps[step];
        let (wants_win, wants_attacker) = match written {
            Step::Fours(_) | Step::Plays(..) => (true, Some(true)),
            Step::Replies { .. } => (true, Some(false)),
            Step::Pairs(_) | Step::Answers { .. } => (false, Some(true)),
            Step::Takes(..) | Step::Completes(_) => (false, Some(false)),
            Step::Sum(_) | Step::Split { .. } => (false, None),
        };
        if wants_win != self.wins {
            return self.fail(step, "it is a step of the other side's strategy");
        }
        if wants_attacker.is_some_and(|wanted| wanted != attacks) {
            return self.fail(step, "it is a step for the other player to move");
        }
        let done = Ok(Frame::Ways(Vec::new()));
        let only = |link: Link, pos, attacks, cell| Ok(Frame::Ways(vec![(link, pos, attacks, Some(cell))]));
        match written {
            Step::Fours(moves) => self.fours(step, pos, moves).and(done),
            Step::Plays(cell, link) => {
                let cell = usize::from(*cell);
                if !pos.live().contains(cell) {
                    return self.fail(step, format!("{} is not an empty cell of a line", self.name(cell)));
                }
                let after = pos.attack(cell);
                if complete(&after.attacker) { done } else { only(*link, after, false, cell) }
            }
            Step::Replies { arms, other } => self.replies(step, pos, arms, *other),
            Step::Pairs(pairs) => self.pairs(step, &pos, pairs).and(done),
            Step::Sum(cells) => self.sum(step, &pos, cells, attacks).and(done),
            Step::Answers { blocking, arms, also } => self.answers(step, pos, *blocking, arms, also),
            Step::Takes(cell, link) => {
                let cell = usize::from(*cell);
                if !pos.live().contains(cell) {
                    return self.fail(step, format!("{} is not an empty cell of a line", self.name(cell)));
                }
                let after = pos.defend(cell);
                if complete(&after.defender) { done } else { only(*link, after, true, cell) }
            }
            Step::Completes(cell) => {
                if singles(&pos.defender).contains((*cell).into()) {
                    return done;
                }
                self.fail(step, format!("{} does not complete a line", self.name((*cell).into())))
            }
            Step::Split { pairs, parts } => self.split(step, &pos, pairs, parts, attacks),
        }
    }

    /// Moves that each leave a cell to complete a line; the defender's replies are forced.
    fn fours(&self, step: usize, mut pos: Position<W>, moves: &[u16]) -> Result<(), CheckError> {
        for &cell in moves {
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
                0 => return self.fail(step, format!("{} threatens nothing", self.name(cell))),
                1 => pos = pos.defend(threats.members()[0]),
                _ => return Ok(()),
            }
        }
        self.fail(step, "the moves end before the win")
    }

    /// Every reply of the defender loses.
    fn replies(
        &self,
        step: usize,
        pos: Position<W>,
        arms: &'a [Arm],
        other: Option<Link>,
    ) -> Result<Frame<'a, W>, CheckError> {
        if self.known(step, &pos) {
            return Ok(Frame::Ways(Vec::new()));
        }
        if let Some(cell) = singles(&pos.defender).members().first() {
            return self.fail(step, format!("the defender completes a line at {}", self.name(*cell)));
        }
        // A stone where no line is left counts as a pass. What is followed last stands first.
        let replies = pos.live().members().into_iter().map(Some);
        let left = [None].into_iter().chain(replies.rev()).collect();
        Ok(Frame::Replies { step, pos, arms, other, left })
    }

    /// Where a reply of the defender leads; nowhere if it needs no mention.
    fn reply(
        &self,
        step: usize,
        pos: &Position<W>,
        arms: &[Arm],
        other: Option<Link>,
        reply: Option<usize>,
    ) -> Result<Option<Onward<W>>, CheckError> {
        let link_of = |cell: usize| {
            let arm = arms.iter().find(|(cells, _)| cells.contains(&(cell as u16)));
            arm.map(|(_, link)| *link).or(other)
        };
        let after = reply.map_or_else(|| pos.clone(), |cell| pos.defend(cell));
        if !singles(&after.attacker).is_empty() && link_is_needless(reply, arms) {
            return Ok(None);
        }
        match reply.map_or(other, link_of) {
            Some(link) => Ok(Some((link, after, true, reply))),
            None => {
                let name = reply.map_or("a pass".to_string(), |cell| self.name(cell));
                self.fail(step, format!("the reply {name} is left out"))
            }
        }
    }

    /// Every line of the attacker contains a pair.
    fn pairs(&self, step: usize, pos: &Position<W>, pairs: &[[u16; 2]]) -> Result<(), CheckError> {
        let sets = self.disjoint(step, pairs)?;
        if pos.attacker.iter().all(|line| sets.iter().any(|pair| pair.is_part_of(line))) {
            return Ok(());
        }
        self.fail(step, "a line of the attacker contains no pair")
    }

    fn disjoint(&self, step: usize, pairs: &[[u16; 2]]) -> Result<Vec<Set<W>>, CheckError> {
        let mut seen = Set::<W>::EMPTY;
        let mut sets = Vec::with_capacity(pairs.len());
        for pair in pairs {
            for &cell in pair {
                if seen.contains(cell.into()) {
                    return self.fail(step, format!("{} is in two pairs", self.name(cell.into())));
                }
                seen.add(cell.into());
            }
            sets.push(Set::of(pair));
        }
        Ok(sets)
    }

    /// The potential of Erdős and Selfridge.
    fn sum(&self, step: usize, pos: &Position<W>, cells: &[u16], attacks: bool) -> Result<(), CheckError> {
        let Some(pos) = pos.within(&Set::of(cells)) else {
            return self.fail(step, "a line of the attacker lies outside the cells");
        };
        // In units of 2^-100; tinier terms are rounded up.
        let sum: u128 = pos.attacker.iter().map(|line| 1u128 << (100 - line.size().min(100))).sum();
        if sum < if attacks { 1 << 99 } else { 1 << 100 } {
            return Ok(());
        }
        self.fail(step, "the sum over the attacker's lines is too large")
    }

    /// Every move of the attacker has an answer.
    fn answers(
        &self,
        step: usize,
        mut pos: Position<W>,
        blocking: bool,
        arms: &'a [Arm],
        also: &[u16],
    ) -> Result<Frame<'a, W>, CheckError> {
        let zone = arms.iter().fold(Set::of(also), |all, (cells, _)| all.union(&Set::of(cells)));
        if blocking {
            pos.defender.clear();
        }
        let Some(pos) = pos.within(&zone) else {
            return self.fail(step, "a line of the attacker lies outside the zone");
        };
        if self.known(step, &pos) {
            return Ok(Frame::Ways(Vec::new()));
        }
        let left = pos.live().members().into_iter().rev().collect();
        Ok(Frame::Answers { step, pos, arms, left })
    }

    /// Where a move of the attacker leads; nowhere if it lets the defender complete a line.
    fn attack(
        &self,
        step: usize,
        pos: &Position<W>,
        arms: &[Arm],
        cell: usize,
    ) -> Result<Option<Onward<W>>, CheckError> {
        let after = pos.attack(cell);
        if complete(&after.attacker) {
            return self.fail(step, format!("the attacker completes a line at {}", self.name(cell)));
        }
        match arms.iter().find(|(cells, _)| cells.contains(&(cell as u16))) {
            Some((_, link)) => Ok(Some((*link, after, false, Some(cell)))),
            None if !singles(&after.defender).is_empty() => Ok(None),
            None => self.fail(step, format!("the move {} is left out", self.name(cell))),
        }
    }

    /// Pairs and parts that hold apart.
    fn split(
        &self,
        step: usize,
        pos: &Position<W>,
        pairs: &[[u16; 2]],
        parts: &[Arm],
        attacks: bool,
    ) -> Result<Frame<'a, W>, CheckError> {
        if !attacks && parts.len() > 1 {
            return self.fail(step, "the defender can move in one part only");
        }
        let sets = self.disjoint(step, pairs)?;
        let mut all = sets.iter().fold(Set::EMPTY, |all, pair| all.union(pair));
        let mut cells_of = Vec::with_capacity(parts.len());
        for (cells, _) in parts {
            let cells = Set::of(cells);
            if !all.common(&cells).is_empty() {
                return self.fail(step, "the parts and pairs overlap");
            }
            all = all.union(&cells);
            cells_of.push(cells);
        }
        let Some(pos) = pos.within(&all) else {
            return self.fail(step, "a line of the attacker lies outside the parts");
        };
        let mut lines_of: Vec<Vec<Set<W>>> = vec![Vec::new(); parts.len()];
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
        Ok(Frame::Ways(ways.collect()))
    }
}

/// Whether a reply that lets the attacker complete a line is not written out.
fn link_is_needless(reply: Option<usize>, arms: &[Arm]) -> bool {
    reply.is_none_or(|reply| !arms.iter().any(|(cells, _)| cells.contains(&(reply as u16))))
}
