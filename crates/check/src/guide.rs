//! Strategy player: plays by the strategy of a verified proof against an opponent's moves.
//!
//! A proof is a list of numbered steps; each step has an answer to every move of the opponent and names the step that
//! follows. The *active* steps are those that wait for the opponent's next move.
//!
//! ```text
//!  opponent plays c ──▶ the active step that answers c ──▶ its answer ──▶ the next active steps
//! ```
//!
//! A strategy may split into parts that share no cell; each part has an active step that waits for moves on its own
//! cells. A stone on a cell of no part needs no answer.
//!
//! Invariants: the proof is verified before its strategy is followed; steps, memory and time stay within the limits of
//! the check.

use crate::parse::{Arm, ClaimGround, ParsedProof, ProofStep, StepLink, parse};
use crate::position::{Position, complete, singles};
use crate::set::CellSet;
use crate::verify::{self, CheckError, CheckLimits, images, lines_of, rows_of_k, stone_of};
use outplay_core::{Content, LineBoard, Turn, cell_name, parse_cell};
use outplay_runtime::{Monitor, Pace};
use thiserror::Error;

/// A stone placed while the strategy of a proof is followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlacedStone {
    /// The cell.
    pub cell: usize,
    /// The player.
    pub by: Turn,
    /// The step that plays it; `None` for the opponent's own moves.
    pub step: Option<usize>,
}

/// An active step of a strategy, with its continuation for each of the opponent's next moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StepView {
    /// The step.
    pub step: usize,
    /// Cells, and the next step if the opponent plays one of them.
    pub arms: Vec<(Vec<usize>, usize)>,
    /// The next step after any other move.
    pub other: Option<usize>,
    /// Pairs: a move on one cell is answered on the other.
    pub pairs: Vec<[usize; 2]>,
    /// Cells at which a line will be completed unless the opponent takes them.
    pub threats: Vec<usize>,
}

/// State of a game that is played by the strategy of a proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StrategyState {
    /// The board of the claim.
    pub board: LineBoard,
    /// The player who follows the strategy.
    pub player: Turn,
    /// Whether it is a winning strategy; else a holding one.
    pub wins: bool,
    /// All stones placed since, in order.
    pub stones: Vec<PlacedStone>,
    /// Whether the player has completed a line.
    pub over: bool,
    /// The active steps.
    pub waiting: Vec<StepView>,
}

/// Error of playing by the strategy of a proof.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GuideError {
    /// The proof is invalid, or the check hit a limit.
    #[error(transparent)]
    Proof(#[from] CheckError),
    /// The proof has no strategy for this player.
    #[error("{0}")]
    NoStrategy(String),
    /// The opponent's move is illegal.
    #[error("{0}")]
    Move(String),
}

/// Verifies a proof and follows a player's strategy through moves of the opponent, both within the limits.
///
/// # Errors
///
/// An invalid proof, one without a strategy for the player, an illegal move, or a limit that was hit.
pub fn guide(
    text: &str,
    player: Turn,
    moves: &[&str],
    limits: &CheckLimits,
    monitor: &dyn Monitor,
) -> Result<StrategyState, GuideError> {
    let proof = parse(text, limits, monitor)?;
    match proof.board.cells.len() {
        0..=64 => run::<1>(&proof, player, moves, limits, monitor),
        65..=128 => run::<2>(&proof, player, moves, limits, monitor),
        _ => run::<6>(&proof, player, moves, limits, monitor),
    }
}

fn run<const W: usize>(
    proof: &ParsedProof,
    player: Turn,
    moves: &[&str],
    limits: &CheckLimits,
    monitor: &dyn Monitor,
) -> Result<StrategyState, GuideError> {
    // Links of unverified steps could multiply without end.
    verify::run::<W>(proof, limits, monitor, None)?;
    let board = &proof.board;
    let has_line = |player| lines_of::<W>(board, player).iter().any(CellSet::is_empty);
    if has_line(Turn::First) || has_line(Turn::Second) {
        // The claim follows from the line alone; the rest of the proof was not verified.
        return Err(GuideError::NoStrategy(
            "the game is already over: a line is complete; remove the moves after it".into(),
        ));
    }
    let ground = proof.grounds.iter().find(|(known, ..)| *known == player);
    let name = if player == Turn::First { "x" } else { "o" };
    let (wins, step) = match ground {
        Some(&(_, wins, ClaimGround::Step(step))) => (wins, step),
        Some((_, _, ClaimGround::Stealing)) => {
            let why = "holds the draw by strategy stealing, an argument that proves that a good move exists without naming one, so there is no strategy to follow";
            return Err(GuideError::NoStrategy(format!("{name} {why}")));
        }
        None => return Err(GuideError::NoStrategy(format!("the proof has no strategy for {name}"))),
    };
    let attacker = if wins { player } else { player.other() };
    let mut guide = Guide {
        proof,
        limits,
        pace: Pace::new(monitor),
        executed: 0,
        player,
        wins,
        cells: board.cells.clone(),
        rows: rows_of_k(board),
        images: images(board),
        stones: Vec::new(),
        parts: Vec::new(),
        over: false,
    };
    let names = (0..board.cells.len() as u16).collect();
    let pos = Position::<W>::new(lines_of(board, attacker), lines_of(board, attacker.other()));
    let link = StepLink { step, symmetry: 0 };
    guide.settle(vec![PendingStep { link, pos, names, attacks: attacker == board.turn }])?;
    for word in moves {
        guide.opponent(word)?;
    }
    let waiting = guide.parts.iter().map(|part| guide.shown(part)).collect();
    let Guide { stones, over, .. } = guide;
    Ok(StrategyState { board: board.clone(), player, wins, stones, over, waiting })
}

/// A step to execute.
struct PendingStep<const W: usize> {
    link: StepLink,
    pos: Position<W>,
    /// Cell of the board for each cell of the position.
    names: Vec<u16>,
    attacks: bool,
}

/// A step that waits for the opponent.
struct ActiveStep<const W: usize> {
    step: usize,
    pos: Position<W>,
    names: Vec<u16>,
    /// Number of threats made, in a sequence of fours.
    made: usize,
}

struct Guide<'a, const W: usize> {
    proof: &'a ParsedProof,
    limits: &'a CheckLimits,
    pace: Pace<'a>,
    /// Steps executed so far.
    executed: u64,
    player: Turn,
    wins: bool,
    cells: Vec<Content>,
    /// The cells of every line of the board.
    rows: Vec<Vec<usize>>,
    images: Vec<Vec<u16>>,
    stones: Vec<PlacedStone>,
    parts: Vec<ActiveStep<W>>,
    over: bool,
}

impl<'a, const W: usize> Guide<'a, W> {
    fn name(&self, cell: usize) -> String {
        cell_name(cell / self.proof.board.height, cell % self.proof.board.height)
    }

    fn fail<T>(&self, step: usize, why: &str) -> Result<T, GuideError> {
        Err(CheckError::Step { step, why: why.to_string() }.into())
    }

    fn put(&mut self, cell: usize, by: Turn, step: Option<usize>) {
        self.cells[cell] = stone_of(by);
        self.stones.push(PlacedStone { cell, by, step });
    }

    /// Plays a cell of the strategy; an error if the cell is not empty.
    fn answer(&mut self, cell: u16, step: usize) -> Result<(), GuideError> {
        let cell = usize::from(cell);
        if self.cells[cell] != Content::Empty {
            return self.fail(step, &format!("the cell {} is not empty", self.name(cell)));
        }
        self.put(cell, self.player, Some(step));
        // A holding strategy may complete a line on the way.
        let own = stone_of(self.player);
        self.over |= self.rows.iter().any(|row| row.iter().all(|&cell| self.cells[cell] == own));
        Ok(())
    }

    /// Counts a step at a position and polls the clock.
    fn count(&mut self, pos: &Position<W>) -> Result<(), CheckError> {
        if self.pace.steps(1 + pos.attacker.len() + pos.defender.len()) {
            return Err(CheckError::Stopped);
        }
        self.executed += 1;
        if self.executed > self.limits.followed {
            return Err(CheckError::Work(self.limits.followed));
        }
        Ok(())
    }

    /// Executes steps until all of them wait for the opponent.
    fn settle(&mut self, mut pending: Vec<PendingStep<W>>) -> Result<(), GuideError> {
        let proof: &'a ParsedProof = self.proof;
        // Links lead to earlier steps, so this terminates.
        while let Some(PendingStep { link, pos, names, attacks }) = pending.pop() {
            self.count(&pos)?;
            self.fits(&pending)?;
            // Without lines of the attacker there is nothing to hold. Parts with lines share no cell, so there
            // are never more of them than cells, however often a proof splits.
            if !self.wins && pos.attacker.is_empty() {
                continue;
            }
            let (step, images) = (link.step, &self.images[usize::from(link.symmetry)]);
            let pos = if link.symmetry == 0 { pos } else { pos.renamed(images) };
            let mut renamed = names.clone();
            images.iter().enumerate().for_each(|(cell, &image)| renamed[usize::from(image)] = names[cell]);
            let names = renamed;
            match &proof.steps[step] {
                ProofStep::Plays(cell, link) | ProofStep::Takes(cell, link) => {
                    self.answer(names[usize::from(*cell)], step)?;
                    let cell = usize::from(*cell);
                    let after = if self.wins { pos.attack(cell) } else { pos.defend(cell) };
                    if complete(if self.wins { &after.attacker } else { &after.defender }) {
                        self.over = true;
                    } else {
                        pending.push(PendingStep { link: *link, pos: after, names, attacks: !attacks });
                    }
                }
                ProofStep::Completes(cell) => {
                    self.answer(names[usize::from(*cell)], step)?;
                    self.over = true;
                }
                ProofStep::Fours(_) => self.next_four(ActiveStep { step, pos, names, made: 0 })?,
                ProofStep::Sum(cells) => {
                    let Some(pos) = pos.within(&CellSet::of(cells)) else {
                        return self.fail(
                            step,
                            "a line of the attacker lies outside the cells that the step covers",
                        );
                    };
                    let mut part = ActiveStep { step, pos, names, made: 0 };
                    if !attacks {
                        self.heaviest(&mut part)?;
                    }
                    self.parts.push(part);
                }
                ProofStep::Answers { blocking, arms, also } => {
                    let zone =
                        arms.iter().fold(CellSet::of(also), |all, (cells, _)| all.union(&CellSet::of(cells)));
                    let mut pos = pos;
                    if *blocking {
                        pos.defender.clear();
                    }
                    let Some(pos) = pos.within(&zone) else {
                        return self
                            .fail(step, "a line of the attacker lies outside the zone that the step covers");
                    };
                    self.parts.push(ActiveStep { step, pos, names, made: 0 });
                }
                ProofStep::Replies { .. } | ProofStep::Pairs(_) => {
                    self.parts.push(ActiveStep { step, pos, names, made: 0 });
                }
                ProofStep::Split { pairs, parts } => {
                    for (cells, link) in parts {
                        let part = self.part(&pos, pairs, parts, cells);
                        pending.push(PendingStep { link: *link, pos: part, names: names.clone(), attacks });
                    }
                    // A pair that no line contains needs no answer.
                    let matters =
                        |pair: &[u16; 2]| pos.attacker.iter().any(|line| CellSet::of(pair).is_part_of(line));
                    if pairs.iter().any(matters) {
                        self.parts.push(ActiveStep { step, pos, names, made: 0 });
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns an error if the steps exceed the memory limit.
    fn fits(&self, pending: &[PendingStep<W>]) -> Result<(), CheckError> {
        let names = 2 * self.cells.len();
        let pending = pending.iter().map(|pending| size_of::<PendingStep<W>>() + names + pending.pos.bytes());
        let parts = self.parts.iter().map(|part| size_of::<ActiveStep<W>>() + names + part.pos.bytes());
        if pending.chain(parts).sum::<usize>() > self.limits.bytes {
            return Err(CheckError::Memory(self.limits.bytes));
        }
        Ok(())
    }

    /// Returns the lines of one part of a split: those that contain no pair and meet this part before any
    /// other.
    fn part(&self, pos: &Position<W>, pairs: &[[u16; 2]], parts: &[Arm], cells: &[u16]) -> Position<W> {
        let (pairs, own) = (pairs.iter().map(|pair| CellSet::<W>::of(pair)), CellSet::of(cells));
        let pairs: Vec<CellSet<W>> = pairs.collect();
        let meets = |line: &CellSet<W>, cells: &[u16]| !CellSet::of(cells).common(line).is_empty();
        let is_own = |line: &&CellSet<W>| {
            !pairs.iter().any(|pair| pair.is_part_of(line))
                && parts.iter().find(|(cells, _)| meets(line, cells)).is_some_and(|(first, _)| first == cells)
        };
        Position::new(pos.attacker.iter().filter(is_own).map(|line| line.common(&own)).collect(), Vec::new())
    }

    /// Plays the next of a sequence of fours, or completes the line.
    fn next_four(&mut self, mut part: ActiveStep<W>) -> Result<(), GuideError> {
        let proof: &'a ParsedProof = self.proof;
        let ProofStep::Fours(moves) = &proof.steps[part.step] else { return Ok(()) };
        let Some(&cell) = moves.get(part.made) else {
            return self.fail(part.step, "the step's list of moves ends before a line is complete");
        };
        self.answer(part.names[usize::from(cell)], part.step)?;
        part.made += 1;
        part.pos = part.pos.attack(cell.into());
        if complete(&part.pos.attacker) {
            self.over = true;
        } else {
            self.parts.push(part);
        }
        Ok(())
    }

    /// Plays the defender's cell with the largest weight in the Erdős–Selfridge potential, if there is any.
    fn heaviest(&mut self, part: &mut ActiveStep<W>) -> Result<(), GuideError> {
        let weight = |cell: &usize| -> f64 {
            let through = part.pos.attacker.iter().filter(|line| line.contains(*cell));
            through.map(|line| 0.5f64.powi(line.size() as i32)).sum()
        };
        let cells = part.pos.attacker.iter().fold(CellSet::EMPTY, |all, line| all.union(line)).members();
        let best = cells.iter().copied().rev().max_by(|a, b| weight(a).total_cmp(&weight(b)));
        let Some(cell) = best else { return Ok(()) };
        self.answer(part.names[cell], part.step)?;
        part.pos = part.pos.defend(cell);
        Ok(())
    }

    /// Plays a move of the opponent and the strategy's answer.
    fn opponent(&mut self, word: &str) -> Result<(), GuideError> {
        let board = &self.proof.board;
        let place = parse_cell(word).filter(|&(column, row)| column < board.width && row < board.height);
        let Some((column, row)) = place else {
            return Err(GuideError::Move(format!("`{word}` is not a cell of this board")));
        };
        let cell = column * board.height + row;
        if self.over {
            return Err(GuideError::Move(
                "the game is over: a line is complete, so no further move is possible".into(),
            ));
        }
        if self.cells[cell] != Content::Empty {
            return Err(GuideError::Move(format!(
                "the cell {} is not empty; choose an empty cell",
                self.name(cell)
            )));
        }
        self.put(cell, self.player.other(), None);
        for at in 0..self.parts.len() {
            let part = &self.parts[at].pos;
            if self.pace.steps(1 + part.attacker.len() + part.defender.len()) {
                return Err(CheckError::Stopped.into());
            }
        }
        let mut waiting = std::mem::take(&mut self.parts);
        let here = |part: &ActiveStep<W>| part.names.iter().position(|&name| usize::from(name) == cell);
        // A stone in no live line counts as a pass, which only a winning strategy has to answer.
        let concerned = waiting.iter().position(|part| self.concerns(part, here(part)));
        if let Some(at) = concerned.or((self.wins && !waiting.is_empty()).then_some(0)) {
            let part = waiting.remove(at);
            let local = here(&part).filter(|&local| part.pos.live().contains(local));
            self.respond(part, local)?;
        }
        self.parts.append(&mut waiting);
        Ok(())
    }

    /// Whether a cell concerns an active step.
    fn concerns(&self, part: &ActiveStep<W>, local: Option<usize>) -> bool {
        let Some(local) = local else { return false };
        match &self.proof.steps[part.step] {
            ProofStep::Split { pairs, .. } => pairs.iter().flatten().any(|&cell| usize::from(cell) == local),
            _ => part.pos.live().contains(local),
        }
    }

    /// Answers a move on a cell of an active step; `None` is a pass.
    fn respond(&mut self, mut part: ActiveStep<W>, local: Option<usize>) -> Result<(), GuideError> {
        let proof: &'a ParsedProof = self.proof;
        let named = |arms: &'a [Arm], cell: usize| {
            arms.iter().find(|(cells, _)| cells.contains(&(cell as u16))).map(|(_, link)| *link)
        };
        let (step, names) = (part.step, part.names.clone());
        match (&proof.steps[step], local) {
            (ProofStep::Fours(_), _) => {
                let threats = singles(&part.pos.attacker).members();
                match threats.iter().find(|&&threat| Some(threat) != local) {
                    Some(&open) => {
                        self.answer(names[open], step)?;
                        self.over = true;
                        Ok(())
                    }
                    None => {
                        part.pos = local.map_or(part.pos.clone(), |cell| part.pos.defend(cell));
                        self.next_four(part)
                    }
                }
            }
            (ProofStep::Replies { arms, other }, _) => {
                let after = local.map_or(part.pos.clone(), |cell| part.pos.defend(cell));
                let link = local.and_then(|cell| named(arms, cell));
                if let (None, Some(&open)) = (link, singles(&after.attacker).members().first()) {
                    self.answer(names[open], step)?;
                    self.over = true;
                    return Ok(());
                }
                match link.or(*other) {
                    Some(link) => self.settle(vec![PendingStep { link, pos: after, names, attacks: true }]),
                    None => self.fail(step, "the step has no reply to this move"),
                }
            }
            (ProofStep::Pairs(pairs) | ProofStep::Split { pairs, .. }, Some(local)) => {
                let pair = pairs.iter().find(|pair| pair.contains(&(local as u16)));
                part.pos = part.pos.attack(local);
                if complete(&part.pos.attacker) {
                    return self
                        .fail(step, "the attacker completes a line, although the step claims to prevent it");
                }
                let partner = pair.map(|pair| pair[usize::from(usize::from(pair[0]) == local)]);
                let empty = |cell: &u16| self.cells[usize::from(names[usize::from(*cell)])] == Content::Empty;
                if let Some(partner) = partner.filter(empty) {
                    self.answer(names[usize::from(partner)], step)?;
                    part.pos = part.pos.defend(partner.into());
                }
                self.parts.push(part);
                Ok(())
            }
            (ProofStep::Sum(_), Some(local)) => {
                part.pos = part.pos.attack(local);
                if complete(&part.pos.attacker) {
                    return self
                        .fail(step, "the attacker completes a line, although the step claims to prevent it");
                }
                self.heaviest(&mut part)?;
                self.parts.push(part);
                Ok(())
            }
            (ProofStep::Answers { arms, .. }, Some(local)) => {
                let after = part.pos.attack(local);
                if complete(&after.attacker) {
                    return self
                        .fail(step, "the attacker completes a line, although the step claims to prevent it");
                }
                if let Some(link) = named(arms, local) {
                    return self.settle(vec![PendingStep { link, pos: after, names, attacks: false }]);
                }
                match singles(&after.defender).members().first() {
                    Some(&open) => {
                        self.answer(names[open], step)?;
                        self.over = true;
                        Ok(())
                    }
                    None => self.fail(step, "the step has no continuation after this move"),
                }
            }
            // A holding strategy need not answer a pass; the other steps never wait.
            _ => {
                self.parts.push(part);
                Ok(())
            }
        }
    }

    /// Converts an active step for display, with cells of the board.
    fn shown(&self, part: &ActiveStep<W>) -> StepView {
        let name = |cell: &u16| usize::from(part.names[usize::from(*cell)]);
        let list = |arms: &[Arm]| -> Vec<(Vec<usize>, usize)> {
            arms.iter().map(|(cells, link)| (cells.iter().map(name).collect(), link.step)).collect()
        };
        let both = |pairs: &[[u16; 2]]| pairs.iter().map(|pair| pair.map(|cell| name(&cell))).collect();
        let mut waiting = StepView {
            step: part.step,
            arms: Vec::new(),
            other: None,
            pairs: Vec::new(),
            threats: Vec::new(),
        };
        match &self.proof.steps[part.step] {
            ProofStep::Replies { arms, other } => {
                (waiting.arms, waiting.other) = (list(arms), other.map(|link| link.step));
            }
            ProofStep::Answers { arms, .. } => waiting.arms = list(arms),
            ProofStep::Pairs(pairs) | ProofStep::Split { pairs, .. } => waiting.pairs = both(pairs),
            _ => {}
        }
        if self.wins {
            let open = singles(&part.pos.attacker).members();
            waiting.threats = open.into_iter().map(|cell| usize::from(part.names[cell])).collect();
        }
        waiting
    }
}
