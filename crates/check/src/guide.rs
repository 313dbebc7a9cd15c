//! Plays by a proof: whatever the opponent does, the strategy has the next move.
//!
//! ```text
//!  opponent plays c ──▶ the part of the strategy that c concerns ──▶ its answer ──▶ the next steps in force
//! ```
//!
//! A strategy may have fallen apart into parts that share no cell; each waits for moves on its own cells. A stone that
//! concerns no part needs no answer. The proof itself is not checked here, only what it says along the way.
//!
//! Invariant: a part waits for the opponent.

use crate::parse::{Arm, Ground, Link, Script, Step, parse};
use crate::position::{Position, complete, singles};
use crate::set::Set;
use crate::verify::{CheckError, images, lines_of, rows_of_k, stone_of};
use outplay_core::{Content, LineBoard, Turn, cell_name, parse_cell};
use thiserror::Error;

/// A stone that was put on the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placed {
    /// Where.
    pub cell: usize,
    /// By whom.
    pub by: Turn,
    /// The step that says so; `None` for the opponent's own moves.
    pub step: Option<usize>,
}

/// A step in force, with what it has for the opponent's next move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// The step.
    pub step: usize,
    /// Cells, and the step that follows if the opponent plays one of them.
    pub arms: Vec<(Vec<usize>, usize)>,
    /// The step that follows any other move.
    pub other: Option<usize>,
    /// Cells of which one answers the other.
    pub pairs: Vec<[usize; 2]>,
    /// Cells at which a line will be completed unless the opponent takes them.
    pub threats: Vec<usize>,
}

/// Where a strategy stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Guided {
    /// The board of the claim.
    pub board: LineBoard,
    /// Whose strategy it is.
    pub player: Turn,
    /// Whether it wins; else it holds.
    pub wins: bool,
    /// All stones put since, in order.
    pub stones: Vec<Placed>,
    /// Whether the player has completed a line.
    pub over: bool,
    /// The steps in force.
    pub waiting: Vec<Waiting>,
}

/// Why a strategy cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GuideError {
    /// The proof is none, or breaks down on the way.
    #[error(transparent)]
    Proof(#[from] CheckError),
    /// It has no strategy for this player.
    #[error("{0}")]
    Nobody(String),
    /// The opponent cannot play so.
    #[error("{0}")]
    Move(String),
}

/// Follows a player's strategy through moves of the opponent.
///
/// # Errors
///
/// Not a proof, one without a strategy for the player, or a move that cannot be played.
pub fn guide(text: &str, player: Turn, moves: &[&str]) -> Result<Guided, GuideError> {
    let script = parse(text).map_err(CheckError::from)?;
    match script.board.cells.len() {
        0..=64 => run::<1>(&script, player, moves),
        65..=128 => run::<2>(&script, player, moves),
        _ => run::<6>(&script, player, moves),
    }
}

fn run<const W: usize>(script: &Script, player: Turn, moves: &[&str]) -> Result<Guided, GuideError> {
    let ground = script.grounds.iter().find(|(known, ..)| *known == player);
    let name = if player == Turn::First { "x" } else { "o" };
    let (wins, step) = match ground {
        Some(&(_, wins, Ground::Step(step))) => (wins, step),
        Some((_, _, Ground::Stealing)) => {
            let why = "holds by strategy stealing: an argument that a good move exists, not a list of moves";
            return Err(GuideError::Nobody(format!("{name} {why}")));
        }
        None => return Err(GuideError::Nobody(format!("the proof has no strategy for {name}"))),
    };
    let attacker = if wins { player } else { player.other() };
    let board = &script.board;
    let mut guide = Guide {
        script,
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
    let link = Link { step, symmetry: 0 };
    guide.settle(vec![Begun { link, pos, names, attacks: attacker == board.turn }])?;
    for word in moves {
        guide.opponent(word)?;
    }
    let waiting = guide.parts.iter().map(|part| guide.shown(part)).collect();
    let Guide { stones, over, .. } = guide;
    Ok(Guided { board: board.clone(), player, wins, stones, over, waiting })
}

/// A step to take.
struct Begun<const W: usize> {
    link: Link,
    pos: Position<W>,
    /// What the cells of the position are on the board.
    names: Vec<u16>,
    attacks: bool,
}

/// A step that waits for the opponent.
struct Part<const W: usize> {
    step: usize,
    pos: Position<W>,
    names: Vec<u16>,
    /// Of a row of threats, how many were made.
    made: usize,
}

struct Guide<'a, const W: usize> {
    script: &'a Script,
    player: Turn,
    wins: bool,
    cells: Vec<Content>,
    /// The cells of every line of the board.
    rows: Vec<Vec<usize>>,
    images: Vec<Vec<u16>>,
    stones: Vec<Placed>,
    parts: Vec<Part<W>>,
    over: bool,
}

impl<'a, const W: usize> Guide<'a, W> {
    fn name(&self, cell: usize) -> String {
        cell_name(cell / self.script.board.height, cell % self.script.board.height)
    }

    fn fail<T>(&self, step: usize, why: &str) -> Result<T, GuideError> {
        Err(CheckError::Step { step, why: why.to_string() }.into())
    }

    fn put(&mut self, cell: usize, by: Turn, step: Option<usize>) {
        self.cells[cell] = stone_of(by);
        self.stones.push(Placed { cell, by, step });
    }

    /// Plays a cell of the strategy; one that a step names and that is not empty breaks it.
    fn answer(&mut self, cell: u16, step: usize) -> Result<(), GuideError> {
        let cell = usize::from(cell);
        if self.cells[cell] != Content::Empty {
            return self.fail(step, &format!("{} is not empty", self.name(cell)));
        }
        self.put(cell, self.player, Some(step));
        // Whoever only means to hold may complete a line on the way.
        let own = stone_of(self.player);
        self.over |= self.rows.iter().any(|row| row.iter().all(|&cell| self.cells[cell] == own));
        Ok(())
    }

    /// Takes steps until all of them wait for the opponent.
    fn settle(&mut self, mut begun: Vec<Begun<W>>) -> Result<(), GuideError> {
        let script: &'a Script = self.script;
        // Links lead to earlier steps, so that this ends.
        while let Some(Begun { link, pos, names, attacks }) = begun.pop() {
            let (step, images) = (link.step, &self.images[usize::from(link.symmetry)]);
            let pos = if link.symmetry == 0 { pos } else { pos.renamed(images) };
            let mut renamed = names.clone();
            images.iter().enumerate().for_each(|(cell, &image)| renamed[usize::from(image)] = names[cell]);
            let names = renamed;
            match &script.steps[step] {
                Step::Plays(cell, link) | Step::Takes(cell, link) => {
                    self.answer(names[usize::from(*cell)], step)?;
                    let cell = usize::from(*cell);
                    let after = if self.wins { pos.attack(cell) } else { pos.defend(cell) };
                    if complete(if self.wins { &after.attacker } else { &after.defender }) {
                        self.over = true;
                    } else {
                        begun.push(Begun { link: *link, pos: after, names, attacks: !attacks });
                    }
                }
                Step::Completes(cell) => {
                    self.answer(names[usize::from(*cell)], step)?;
                    self.over = true;
                }
                Step::Fours(_) => self.next_four(Part { step, pos, names, made: 0 })?,
                Step::Sum(cells) => {
                    let Some(pos) = pos.within(&Set::of(cells)) else {
                        return self.fail(step, "a line of the attacker lies outside the cells");
                    };
                    let mut part = Part { step, pos, names, made: 0 };
                    if !attacks {
                        self.heaviest(&mut part)?;
                    }
                    self.parts.push(part);
                }
                Step::Answers { blocking, arms, also } => {
                    let zone = arms.iter().fold(Set::of(also), |all, (cells, _)| all.union(&Set::of(cells)));
                    let mut pos = pos;
                    if *blocking {
                        pos.defender.clear();
                    }
                    let Some(pos) = pos.within(&zone) else {
                        return self.fail(step, "a line of the attacker lies outside the zone");
                    };
                    self.parts.push(Part { step, pos, names, made: 0 });
                }
                Step::Replies { .. } | Step::Pairs(_) => {
                    self.parts.push(Part { step, pos, names, made: 0 });
                }
                Step::Split { pairs, parts } => {
                    for (cells, link) in parts {
                        let part = self.part(&pos, pairs, parts, cells);
                        begun.push(Begun { link: *link, pos: part, names: names.clone(), attacks });
                    }
                    self.parts.push(Part { step, pos, names, made: 0 });
                }
            }
        }
        Ok(())
    }

    /// The lines of one part of a split: those that contain no pair and meet this part before any other.
    fn part(&self, pos: &Position<W>, pairs: &[[u16; 2]], parts: &[Arm], cells: &[u16]) -> Position<W> {
        let (pairs, own) = (pairs.iter().map(|pair| Set::<W>::of(pair)), Set::of(cells));
        let pairs: Vec<Set<W>> = pairs.collect();
        let meets = |line: &Set<W>, cells: &[u16]| !Set::of(cells).common(line).is_empty();
        let is_own = |line: &&Set<W>| {
            !pairs.iter().any(|pair| pair.is_part_of(line))
                && parts.iter().find(|(cells, _)| meets(line, cells)).is_some_and(|(first, _)| first == cells)
        };
        Position::new(pos.attacker.iter().filter(is_own).map(|line| line.common(&own)).collect(), Vec::new())
    }

    /// The next of a row of threats, or the line if it can be completed.
    fn next_four(&mut self, mut part: Part<W>) -> Result<(), GuideError> {
        let script: &'a Script = self.script;
        let Step::Fours(moves) = &script.steps[part.step] else { return Ok(()) };
        let Some(&cell) = moves.get(part.made) else {
            return self.fail(part.step, "the moves end before the win");
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

    /// The defender takes the cell that weighs most in the sum over the attacker's lines, if there is any.
    fn heaviest(&mut self, part: &mut Part<W>) -> Result<(), GuideError> {
        let weight = |cell: &usize| -> f64 {
            let through = part.pos.attacker.iter().filter(|line| line.contains(*cell));
            through.map(|line| 0.5f64.powi(line.size() as i32)).sum()
        };
        let cells = part.pos.attacker.iter().fold(Set::EMPTY, |all, line| all.union(line)).members();
        let best = cells.iter().copied().rev().max_by(|a, b| weight(a).total_cmp(&weight(b)));
        let Some(cell) = best else { return Ok(()) };
        self.answer(part.names[cell], part.step)?;
        part.pos = part.pos.defend(cell);
        Ok(())
    }

    /// A move of the opponent and the strategy's answer.
    fn opponent(&mut self, word: &str) -> Result<(), GuideError> {
        let board = &self.script.board;
        let place = parse_cell(word).filter(|&(column, row)| column < board.width && row < board.height);
        let Some((column, row)) = place else {
            return Err(GuideError::Move(format!("`{word}` is not a cell of this board")));
        };
        let cell = column * board.height + row;
        if self.over {
            return Err(GuideError::Move("the game is over: a line is complete".into()));
        }
        if self.cells[cell] != Content::Empty {
            return Err(GuideError::Move(format!("{} is not empty", self.name(cell))));
        }
        self.put(cell, self.player.other(), None);
        let mut waiting = std::mem::take(&mut self.parts);
        let here = |part: &Part<W>| part.names.iter().position(|&name| usize::from(name) == cell);
        // A stone where the strategy has no line left counts as a pass, which only an attack has to answer.
        let concerned = waiting.iter().position(|part| self.concerns(part, here(part)));
        if let Some(at) = concerned.or((self.wins && !waiting.is_empty()).then_some(0)) {
            let part = waiting.remove(at);
            let local = here(&part).filter(|&local| part.pos.live().contains(local));
            self.respond(part, local)?;
        }
        self.parts.append(&mut waiting);
        Ok(())
    }

    /// Whether a part has to do with a cell.
    fn concerns(&self, part: &Part<W>, local: Option<usize>) -> bool {
        let Some(local) = local else { return false };
        match &self.script.steps[part.step] {
            Step::Split { pairs, .. } => pairs.iter().flatten().any(|&cell| usize::from(cell) == local),
            _ => part.pos.live().contains(local),
        }
    }

    /// What a part does about a cell of its own; `None` is a pass.
    fn respond(&mut self, mut part: Part<W>, local: Option<usize>) -> Result<(), GuideError> {
        let script: &'a Script = self.script;
        let named = |arms: &'a [Arm], cell: usize| {
            arms.iter().find(|(cells, _)| cells.contains(&(cell as u16))).map(|(_, link)| *link)
        };
        let (step, names) = (part.step, part.names.clone());
        match (&script.steps[step], local) {
            (Step::Fours(_), _) => {
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
            (Step::Replies { arms, other }, _) => {
                let after = local.map_or(part.pos.clone(), |cell| part.pos.defend(cell));
                let link = local.and_then(|cell| named(arms, cell));
                if let (None, Some(&open)) = (link, singles(&after.attacker).members().first()) {
                    self.answer(names[open], step)?;
                    self.over = true;
                    return Ok(());
                }
                match link.or(*other) {
                    Some(link) => self.settle(vec![Begun { link, pos: after, names, attacks: true }]),
                    None => self.fail(step, "a reply is left out"),
                }
            }
            (Step::Pairs(pairs) | Step::Split { pairs, .. }, Some(local)) => {
                let pair = pairs.iter().find(|pair| pair.contains(&(local as u16)));
                part.pos = part.pos.attack(local);
                if complete(&part.pos.attacker) {
                    return self.fail(step, "the attacker completes a line");
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
            (Step::Sum(_), Some(local)) => {
                part.pos = part.pos.attack(local);
                if complete(&part.pos.attacker) {
                    return self.fail(step, "the attacker completes a line");
                }
                self.heaviest(&mut part)?;
                self.parts.push(part);
                Ok(())
            }
            (Step::Answers { arms, .. }, Some(local)) => {
                let after = part.pos.attack(local);
                if complete(&after.attacker) {
                    return self.fail(step, "the attacker completes a line");
                }
                if let Some(link) = named(arms, local) {
                    return self.settle(vec![Begun { link, pos: after, names, attacks: false }]);
                }
                match singles(&after.defender).members().first() {
                    Some(&open) => {
                        self.answer(names[open], step)?;
                        self.over = true;
                        Ok(())
                    }
                    None => self.fail(step, "a move is left out"),
                }
            }
            // Whoever holds has nothing to do about a pass; the other steps are never waited at.
            _ => {
                self.parts.push(part);
                Ok(())
            }
        }
    }

    /// A part for people, its cells named as on the board.
    fn shown(&self, part: &Part<W>) -> Waiting {
        let name = |cell: &u16| usize::from(part.names[usize::from(*cell)]);
        let list = |arms: &[Arm]| -> Vec<(Vec<usize>, usize)> {
            arms.iter().map(|(cells, link)| (cells.iter().map(name).collect(), link.step)).collect()
        };
        let both = |pairs: &[[u16; 2]]| pairs.iter().map(|pair| pair.map(|cell| name(&cell))).collect();
        let mut waiting = Waiting {
            step: part.step,
            arms: Vec::new(),
            other: None,
            pairs: Vec::new(),
            threats: Vec::new(),
        };
        match &self.script.steps[part.step] {
            Step::Replies { arms, other } => {
                (waiting.arms, waiting.other) = (list(arms), other.map(|link| link.step));
            }
            Step::Answers { arms, .. } => waiting.arms = list(arms),
            Step::Pairs(pairs) | Step::Split { pairs, .. } => waiting.pairs = both(pairs),
            _ => {}
        }
        if self.wins {
            let open = singles(&part.pos.attacker).members();
            waiting.threats = open.into_iter().map(|cell| usize::from(part.names[cell])).collect();
        }
        waiting
    }
}
