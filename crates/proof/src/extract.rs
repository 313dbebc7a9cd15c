//! Extraction of a proof from the tables of a finished search.
//!
//! Results in the tables are final, and each depends only on results for positions with fewer empty cells, so a
//! traversal from the root meets only proven entries. The tables store each position as its smallest symmetric image
//! (its key); a [`StepLink`] has the symmetry that maps the cells of one step to those of the next.
//!
//! Invariant: the cells that a step of a holding (blocking) strategy mentions lie in the relevance zone of its table
//! entry.

use crate::budget::NodeBudget;
use crate::cells::Cells;
use crate::field::{after, inverse};
use crate::fours::{AttackPosition, completions, spoilers};
use crate::pairing::{self, Pair};
use crate::residue::Residue;
use crate::script::{ProofStep, StepLink};
use crate::strong::{self, ProofReason, StrongSearch, THREATS};
use crate::weak::{self, LEAF, NO_MOVE};
use rustc_hash::FxHashMap;

/// A holding step and its zone.
type HoldingStep<const W: usize> = (u32, Cells<W>);

/// Collects the steps of the strategies of one board.
pub(crate) struct ProofExtractor<'s, 'a, 'b, const W: usize> {
    pub(crate) search: &'s mut StrongSearch<'a, W>,
    pub(crate) steps: &'s mut Vec<ProofStep>,
    budget: &'s mut NodeBudget<'b>,
    weak: FxHashMap<weak::Key<W>, HoldingStep<W>>,
    held: FxHashMap<strong::Key<W>, HoldingStep<W>>,
    won: FxHashMap<strong::Key<W>, u32>,
}

fn list<const W: usize>(cells: Cells<W>) -> Vec<u16> {
    cells.iter().map(|cell| cell as u16).collect()
}

/// An answered move of the attacker: the move, the next step and its zone.
type AnsweredMove<const W: usize> = (u16, StepLink, Cells<W>);

impl<'s, 'a, 'b, const W: usize> ProofExtractor<'s, 'a, 'b, W> {
    pub(crate) fn new(
        search: &'s mut StrongSearch<'a, W>,
        steps: &'s mut Vec<ProofStep>,
        budget: &'s mut NodeBudget<'b>,
    ) -> Self {
        let (weak, held, won) = Default::default();
        ProofExtractor { search, steps, budget, weak, held, won }
    }

    fn push(&mut self, step: ProofStep) -> u32 {
        self.steps.push(step);
        self.steps.len() as u32 - 1
    }

    /// Returns the first step of a strategy for a position with a proven result, in the frame of the board;
    /// `None` if the budget for positions that the search had pruned ran out.
    pub(crate) fn root(&mut self, child: &strong::Child<W>, wins: bool) -> Option<u32> {
        let step = if wins { self.won(&child.key)? } else { self.held(&child.key)?.0 };
        if child.symmetry == 0 {
            return Some(step);
        }
        // The claim refers to the board itself, so the first step is mapped back.
        Some(self.mapped(step, inverse(child.symmetry)))
    }

    /// Copies a step to the image of its positions under a symmetry.
    fn mapped(&mut self, step: u32, by: u8) -> u32 {
        let geometry = self.search.geometry;
        let cell = |cell: &u16| geometry.map_cell(by, (*cell).into()) as u16;
        let link =
            |link: &StepLink| StepLink { step: link.step, symmetry: after(inverse(by), link.symmetry) };
        let both = |(mv, to): &(u16, StepLink)| (cell(mv), link(to));
        let pair = |(one, two): &Pair| (cell(one), cell(two));
        let copy = match &self.steps[step as usize] {
            ProofStep::Fours(moves) => ProofStep::Fours(moves.iter().map(cell).collect()),
            ProofStep::Plays(mv, to) => ProofStep::Plays(cell(mv), link(to)),
            ProofStep::Replies { listed, other } => ProofStep::Replies {
                listed: listed.iter().map(both).collect(),
                other: other.as_ref().map(link),
            },
            ProofStep::Pairs(pairs) => ProofStep::Pairs(pairs.iter().map(pair).collect()),
            ProofStep::Sum(cells) => ProofStep::Sum(cells.iter().map(cell).collect()),
            ProofStep::Answers { blocking, listed, also } => ProofStep::Answers {
                blocking: *blocking,
                listed: listed.iter().map(both).collect(),
                also: also.iter().map(cell).collect(),
            },
            ProofStep::Takes(mv, to) => ProofStep::Takes(cell(mv), link(to)),
            ProofStep::Completes(mv) => ProofStep::Completes(cell(mv)),
            ProofStep::Split { pairs, parts } => ProofStep::Split {
                pairs: pairs.iter().map(pair).collect(),
                parts: parts.iter().map(|(cells, to)| (cells.iter().map(cell).collect(), link(to))).collect(),
            },
        };
        self.push(copy)
    }

    /// Returns the step of a position that the attacker wins.
    fn won(&mut self, key: &strong::Key<W>) -> Option<u32> {
        if self.budget.part() {
            return None;
        }
        if let Some(&step) = self.won.get(key) {
            return Some(step);
        }
        let entry = self.search.table.get(key).copied()?;
        let pos = key.pos;
        let step = match entry.reason {
            ProofReason::Threats => ProofStep::Fours(self.search.fours.find(pos, THREATS, self.budget)?),
            ProofReason::Move(mv) => {
                let child = self.search.child(mv, pos.attack(mv.into()), false);
                ProofStep::Plays(mv, self.won_link(&child)?)
            }
            ProofReason::Rules => ProofStep::Replies { listed: Vec::new(), other: None },
            ProofReason::Moves => {
                let children = self.search.children(key, self.budget)?;
                let mut listed = Vec::with_capacity(children.len());
                for child in &children {
                    listed.push((child.mv, self.won_link(child)?));
                }
                let other = if !completions(self.search.geometry, pos.attacker, pos.empty).is_none() {
                    None
                } else if let Some(moves) = self.search.fours.find(pos, THREATS, self.budget) {
                    // Replies that refute this VCF but lose to another one were not searched.
                    let searched: Cells<W> = children.iter().map(|child| usize::from(child.mv)).collect();
                    for cell in
                        spoilers(self.search.geometry, pos, &moves, self.budget).minus(searched).iter()
                    {
                        let moves = self.search.fours.find(pos.defend(cell), THREATS, self.budget)?;
                        let step = self.push(ProofStep::Fours(moves));
                        listed.push((cell as u16, StepLink { step, symmetry: 0 }));
                    }
                    Some(StepLink { step: self.push(ProofStep::Fours(moves)), symmetry: 0 })
                } else {
                    // A pass, or a stone in no live line, is no better than any move.
                    let pass = self.search.child(NO_MOVE, pos, true);
                    if self.search.solve(pos, true, self.budget) != Some(true) {
                        self.solve_again(pos)?;
                    }
                    Some(self.won_link(&pass)?)
                };
                ProofStep::Replies { listed, other }
            }
            ProofReason::Open | ProofReason::Blocking => return None,
        };
        let step = self.push(step);
        self.won.insert(*key, step);
        Some(step)
    }

    /// Solves a position, attacker to move, in the whole strong game where the pressing attack has no win.
    fn solve_again(&mut self, pos: AttackPosition<W>) -> Option<()> {
        let mut whole = StrongSearch::new(self.search.geometry);
        if whole.solve(pos, true, self.budget) != Some(true) {
            return None;
        }
        for (key, entry) in whole.table.iter().filter(|(_, entry)| entry.win == 0) {
            self.search.table.insert(*key, *entry).ok()?;
        }
        whole.discard();
        Some(())
    }

    fn won_link(&mut self, child: &strong::Child<W>) -> Option<StepLink> {
        Some(StepLink { step: self.won(&child.key)?, symmetry: child.symmetry })
    }

    /// Returns the step of a position in which the defender holds.
    fn held(&mut self, key: &strong::Key<W>) -> Option<HoldingStep<W>> {
        if self.budget.part() {
            return None;
        }
        if let Some(&held) = self.held.get(key) {
            return Some(held);
        }
        let entry = self.search.table.get(key).copied().filter(|entry| entry.hold == 0)?;
        let pos = key.pos;
        let held = match entry.reason {
            ProofReason::Blocking => {
                let (link, zone) = self.weak_link(pos.attacker, pos.empty, key.attacker)?;
                if link.symmetry == 0 {
                    (link.step, zone)
                } else {
                    (self.mapped(link.step, inverse(link.symmetry)), zone)
                }
            }
            ProofReason::Rules if key.attacker => {
                let also = list(entry.zone);
                (self.push(ProofStep::Answers { blocking: false, listed: Vec::new(), also }), entry.zone)
            }
            ProofReason::Rules => {
                let cell = completions(self.search.geometry, pos.defender, pos.empty).first() as u16;
                (self.push(ProofStep::Completes(cell)), entry.zone)
            }
            ProofReason::Move(mv) => {
                let child = self.search.child(mv, pos.defend(mv.into()), true);
                let (link, zone) = self.held_link(&child)?;
                (self.push(ProofStep::Takes(mv, link)), zone.with(mv.into()))
            }
            ProofReason::Moves => {
                let children = self.search.children(key, self.budget)?;
                if children.len() == 1 {
                    // A forced move: after any other move of the attacker, the defender completes a line.
                    let (link, _) = self.held_link(&children[0])?;
                    let mv = children[0].mv;
                    let also = list(entry.zone.without(mv.into()));
                    let listed = vec![(mv, link)];
                    (self.push(ProofStep::Answers { blocking: false, listed, also }), entry.zone)
                } else {
                    let zones: Vec<(usize, Cells<W>)> = children
                        .iter()
                        .enumerate()
                        .filter_map(|(i, child)| {
                            let known = self.search.table.get(&child.key).filter(|known| known.hold == 0)?;
                            Some((i, self.search.zone_here(child, known)))
                        })
                        .collect();
                    let moves: Vec<u16> = children.iter().map(|child| child.mv).collect();
                    let mut answered = Vec::new();
                    for i in chosen(&moves, zones, entry.zone, pos.empty)? {
                        let (link, zone) = self.held_link(&children[i])?;
                        answered.push((children[i].mv, link, zone));
                    }
                    self.answers(answered, false)?
                }
            }
            ProofReason::Open | ProofReason::Threats => return None,
        };
        self.held.insert(*key, held);
        Some(held)
    }

    fn held_link(&mut self, child: &strong::Child<W>) -> Option<(StepLink, Cells<W>)> {
        let (step, zone) = self.held(&child.key)?;
        let zone = self.search.geometry.map(inverse(child.symmetry), zone);
        Some((StepLink { step, symmetry: child.symmetry }, zone))
    }

    /// Adds a step that answers every move in the union of the zones.
    fn answers(&mut self, answered: Vec<AnsweredMove<W>>, blocking: bool) -> Option<HoldingStep<W>> {
        let zone = answered.iter().fold(Cells::NONE, |all, (_, _, zone)| all | *zone);
        let mut listed = Vec::new();
        for cell in zone.iter() {
            let own = answered.iter().find(|(mv, ..)| usize::from(*mv) == cell);
            let any = answered.iter().find(|(_, _, zone)| !zone.has(cell));
            listed.push((cell as u16, own.or(any)?.1));
        }
        Some((self.push(ProofStep::Answers { blocking, listed, also: Vec::new() }), zone))
    }

    /// Returns the step of a position in which blocking suffices, from any frame; pairs are split off.
    fn weak_link(
        &mut self,
        stones: Cells<W>,
        empty: Cells<W>,
        attacker: bool,
    ) -> Option<(StepLink, Cells<W>)> {
        let residue = Residue::new(self.search.geometry, stones, empty);
        self.residue_link(residue, attacker)
    }

    fn residue_link(&mut self, residue: Residue<W>, attacker: bool) -> Option<(StepLink, Cells<W>)> {
        let child = self.search.weak.reach(NO_MOVE, &residue, attacker);
        let pairs = residue.pairs;
        let (step, zone) = self.weak(&child.key)?;
        let zone = self.search.geometry.map(inverse(child.symmetry), zone);
        let link = StepLink { step, symmetry: child.symmetry };
        if pairs.is_empty() {
            return Some((link, zone));
        }
        let parts = if zone.is_none() { Vec::new() } else { vec![(list(zone), link)] };
        if parts.is_empty() && attacker {
            let step = self.push(ProofStep::Pairs(pairs));
            return Some((StepLink { step, symmetry: 0 }, child.paired));
        }
        let step = self.push(ProofStep::Split { pairs, parts });
        Some((StepLink { step, symmetry: 0 }, zone | child.paired))
    }

    /// Returns the step of a normalised position in which blocking suffices.
    fn weak(&mut self, key: &weak::Key<W>) -> Option<HoldingStep<W>> {
        if self.budget.part() {
            return None;
        }
        if let Some(&held) = self.weak.get(key) {
            return Some(held);
        }
        let entry = self.search.weak.table.get(key).copied().filter(|entry| entry.hold == 0)?;
        let held = if entry.mv == LEAF {
            self.weak_leaf(key, entry.zone)?
        } else if !key.attacker {
            let (_, residue) = self
                .search
                .weak
                .children(key, self.budget)?
                .into_iter()
                .find(|(child, _)| child.mv == entry.mv)?;
            let (link, zone) = self.residue_link(residue, true)?;
            (self.push(ProofStep::Takes(entry.mv, link)), zone.with(entry.mv.into()))
        } else {
            let children = self.search.weak.children(key, self.budget)?;
            if children[0].0.mv == NO_MOVE {
                let (mut parts, mut zone) = (Vec::new(), Cells::NONE);
                for (_, residue) in children {
                    let (link, part) = self.residue_link(residue, true)?;
                    parts.push((list(part), link));
                    zone = zone | part;
                }
                (self.push(ProofStep::Split { pairs: Vec::new(), parts }), zone)
            } else {
                let zones: Vec<(usize, Cells<W>)> = children
                    .iter()
                    .enumerate()
                    .filter_map(|(i, (child, _))| {
                        let table = &self.search.weak.table;
                        let known = table.get(&child.key).filter(|known| known.hold == 0)?;
                        Some((i, self.search.weak.zone_here(child, known)))
                    })
                    .collect();
                let moves: Vec<u16> = children.iter().map(|(child, _)| child.mv).collect();
                let mut answered = Vec::new();
                for i in chosen(&moves, zones, entry.zone, key.cells)? {
                    let (link, zone) = self.residue_link(children[i].1.clone(), false)?;
                    answered.push((moves[i], link, zone));
                }
                self.answers(answered, true)?
            }
        };
        self.weak.insert(*key, held);
        Some(held)
    }

    /// Returns the step of a statically decided position, within its zone.
    fn weak_leaf(&mut self, key: &weak::Key<W>, zone: Cells<W>) -> Option<HoldingStep<W>> {
        let residue = Residue::new(self.search.geometry, key.stones, key.cells);
        let limit = if key.attacker { 1 << 31 } else { 1 << 32 };
        if residue.potential() < limit && residue.cells.within(zone) {
            return Some((self.push(ProofStep::Sum(list(residue.cells))), residue.cells));
        }
        // The search saw the position in another frame, but the cells of its pairs are the zone.
        let lines: Vec<Cells<W>> = residue.lines().map(|line| line & zone).collect();
        let budget = &mut *self.budget;
        let pairs = pairing::find(&lines, u32::MAX, &mut || budget.part())?;
        let zone = pairs.iter().flat_map(|&(one, two)| [one.into(), two.into()]).collect();
        Some((self.push(ProofStep::Pairs(pairs)), zone))
    }
}

/// Selects sufficient answers: no cell lies in the zones of all of them unless it is the move of one.
fn chosen<const W: usize>(
    moves: &[u16],
    zones: Vec<(usize, Cells<W>)>,
    within: Cells<W>,
    cells: Cells<W>,
) -> Option<Vec<usize>> {
    let mut usable: Vec<(usize, Cells<W>)> =
        zones.into_iter().filter(|(_, zone)| zone.within(within)).collect();
    let mut must = cells;
    let mut chosen = Vec::new();
    while !must.is_none() || chosen.is_empty() {
        let left = |&(i, zone): &(usize, Cells<W>)| (must & zone).without(moves[i].into()).count();
        let best = (0..usable.len()).min_by_key(|&i| left(&usable[i]))?;
        let (i, zone) = usable.swap_remove(best);
        must = (must & zone).without(moves[i].into());
        chosen.push(i);
    }
    Some(chosen)
}
