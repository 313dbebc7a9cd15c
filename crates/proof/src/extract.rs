//! Turns what a search has learnt into the steps of a strategy.
//!
//! Results in the tables are final and each rests on results for smaller positions, so a walk from the
//! root meets only proved entries. Positions are visited in the frame of their keys; a [`Link`] carries the
//! symmetry from frame to frame. Invariant: the cells a holding step mentions lie in the zone of its entry.

use crate::budget::Budget;
use crate::cells::Cells;
use crate::field::{after, inverse};
use crate::fours::{Spot, completions, spoilers};
use crate::pairing::{self, Pair};
use crate::residue::Residue;
use crate::script::{Link, Step};
use crate::strong::{self, Strong, THREATS, Why};
use crate::weak::{self, LEAF, NO_MOVE};
use rustc_hash::FxHashMap;

/// A holding step and the cells it needs.
type Held<const W: usize> = (u32, Cells<W>);

/// Collects the steps of the strategies of one board.
pub(crate) struct Extract<'s, 'a, 'b, const W: usize> {
    pub(crate) search: &'s mut Strong<'a, W>,
    pub(crate) steps: &'s mut Vec<Step>,
    budget: &'s mut Budget<'b>,
    weak: FxHashMap<weak::Key<W>, Held<W>>,
    held: FxHashMap<strong::Key<W>, Held<W>>,
    won: FxHashMap<strong::Key<W>, u32>,
}

fn list<const W: usize>(cells: Cells<W>) -> Vec<u16> {
    cells.iter().map(|cell| cell as u16).collect()
}

/// One answered move of the attacker: the move, where it leads and the cells needed there.
type Answered<const W: usize> = (u16, Link, Cells<W>);

impl<'s, 'a, 'b, const W: usize> Extract<'s, 'a, 'b, W> {
    pub(crate) fn new(
        search: &'s mut Strong<'a, W>,
        steps: &'s mut Vec<Step>,
        budget: &'s mut Budget<'b>,
    ) -> Self {
        let (weak, held, won) = Default::default();
        Extract { search, steps, budget, weak, held, won }
    }

    fn push(&mut self, step: Step) -> u32 {
        self.steps.push(step);
        self.steps.len() as u32 - 1
    }

    /// The first step of a strategy for a position whose result is proved, in the frame of the board;
    /// `None` if the budget for positions the search had skipped ran out.
    pub(crate) fn root(&mut self, child: &strong::Child<W>, wins: bool) -> Option<u32> {
        let step = if wins { self.won(&child.key)? } else { self.held(&child.key)?.0 };
        if child.symmetry == 0 {
            return Some(step);
        }
        // The claim names a step for the board itself, so the copy of the first step is mapped back.
        Some(self.mapped(step, inverse(child.symmetry)))
    }

    /// A copy of a step for the image of its positions under a symmetry.
    fn mapped(&mut self, step: u32, by: u8) -> u32 {
        let field = self.search.field;
        let cell = |cell: &u16| field.map_cell(by, (*cell).into()) as u16;
        let link = |link: &Link| Link { step: link.step, symmetry: after(inverse(by), link.symmetry) };
        let both = |(mv, to): &(u16, Link)| (cell(mv), link(to));
        let pair = |(one, two): &Pair| (cell(one), cell(two));
        let copy = match &self.steps[step as usize] {
            Step::Fours(moves) => Step::Fours(moves.iter().map(cell).collect()),
            Step::Plays(mv, to) => Step::Plays(cell(mv), link(to)),
            Step::Replies { listed, other } => {
                Step::Replies { listed: listed.iter().map(both).collect(), other: other.as_ref().map(link) }
            }
            Step::Pairs(pairs) => Step::Pairs(pairs.iter().map(pair).collect()),
            Step::Sum(cells) => Step::Sum(cells.iter().map(cell).collect()),
            Step::Answers { blocking, listed, also } => Step::Answers {
                blocking: *blocking,
                listed: listed.iter().map(both).collect(),
                also: also.iter().map(cell).collect(),
            },
            Step::Takes(mv, to) => Step::Takes(cell(mv), link(to)),
            Step::Completes(mv) => Step::Completes(cell(mv)),
            Step::Split { pairs, parts } => Step::Split {
                pairs: pairs.iter().map(pair).collect(),
                parts: parts.iter().map(|(cells, to)| (cells.iter().map(cell).collect(), link(to))).collect(),
            },
        };
        self.push(copy)
    }

    /// The step of a position that the attacker wins.
    fn won(&mut self, key: &strong::Key<W>) -> Option<u32> {
        if self.budget.part() {
            return None;
        }
        if let Some(&step) = self.won.get(key) {
            return Some(step);
        }
        let entry = self.search.table.get(key).copied()?;
        let spot = key.spot;
        let step = match entry.why {
            Why::Threats => Step::Fours(self.search.fours.find(spot, THREATS, self.budget)?),
            Why::Move(mv) => {
                let child = self.search.child(mv, spot.attack(mv.into()), false);
                Step::Plays(mv, self.won_link(&child)?)
            }
            Why::Rules => Step::Replies { listed: Vec::new(), other: None },
            Why::Moves => {
                let children = self.search.children(key, self.budget)?;
                let mut listed = Vec::with_capacity(children.len());
                for child in &children {
                    listed.push((child.mv, self.won_link(child)?));
                }
                let other = if !completions(self.search.field, spot.attacker, spot.empty).is_none() {
                    None
                } else if let Some(moves) = self.search.fours.find(spot, THREATS, self.budget) {
                    // Replies that spoil this list and have another one against them were not searched.
                    let searched: Cells<W> = children.iter().map(|child| usize::from(child.mv)).collect();
                    for cell in spoilers(self.search.field, spot, &moves, self.budget).minus(searched).iter()
                    {
                        let moves = self.search.fours.find(spot.defend(cell), THREATS, self.budget)?;
                        let step = self.push(Step::Fours(moves));
                        listed.push((cell as u16, Link { step, symmetry: 0 }));
                    }
                    Some(Link { step: self.push(Step::Fours(moves)), symmetry: 0 })
                } else {
                    // A pass, or a stone where no line is left, is no better than any move was.
                    let pass = self.search.child(NO_MOVE, spot, true);
                    if self.search.ask(spot, true, self.budget) != Some(true) {
                        self.ask_anew(spot)?;
                    }
                    Some(self.won_link(&pass)?)
                };
                Step::Replies { listed, other }
            }
            Why::Open | Why::Blocking => return None,
        };
        let step = self.push(step);
        self.won.insert(*key, step);
        Some(step)
    }

    /// Wins a position, attacker to move, that a pressing attack does not: in the whole game.
    fn ask_anew(&mut self, spot: Spot<W>) -> Option<()> {
        let mut whole = Strong::new(self.search.field);
        if whole.ask(spot, true, self.budget) != Some(true) {
            return None;
        }
        for (key, entry) in whole.table.iter().filter(|(_, entry)| entry.win == 0) {
            self.search.table.insert(*key, *entry).ok()?;
        }
        whole.discard();
        Some(())
    }

    fn won_link(&mut self, child: &strong::Child<W>) -> Option<Link> {
        Some(Link { step: self.won(&child.key)?, symmetry: child.symmetry })
    }

    /// The step of a position in which the defender holds.
    fn held(&mut self, key: &strong::Key<W>) -> Option<Held<W>> {
        if self.budget.part() {
            return None;
        }
        if let Some(&held) = self.held.get(key) {
            return Some(held);
        }
        let entry = self.search.table.get(key).copied().filter(|entry| entry.hold == 0)?;
        let spot = key.spot;
        let held = match entry.why {
            Why::Blocking => {
                let (link, zone) = self.weak_link(spot.attacker, spot.empty, key.attacker)?;
                if link.symmetry == 0 {
                    (link.step, zone)
                } else {
                    (self.mapped(link.step, inverse(link.symmetry)), zone)
                }
            }
            Why::Rules if key.attacker => {
                let also = list(entry.zone);
                (self.push(Step::Answers { blocking: false, listed: Vec::new(), also }), entry.zone)
            }
            Why::Rules => {
                let cell = completions(self.search.field, spot.defender, spot.empty).first() as u16;
                (self.push(Step::Completes(cell)), entry.zone)
            }
            Why::Move(mv) => {
                let child = self.search.child(mv, spot.defend(mv.into()), true);
                let (link, zone) = self.held_link(&child)?;
                (self.push(Step::Takes(mv, link)), zone.with(mv.into()))
            }
            Why::Moves => {
                let children = self.search.children(key, self.budget)?;
                if children.len() == 1 {
                    // A forced move: whatever else the attacker does, the defender completes a line.
                    let (link, _) = self.held_link(&children[0])?;
                    let mv = children[0].mv;
                    let also = list(entry.zone.without(mv.into()));
                    let listed = vec![(mv, link)];
                    (self.push(Step::Answers { blocking: false, listed, also }), entry.zone)
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
                    for i in chosen(&moves, zones, entry.zone, spot.empty)? {
                        let (link, zone) = self.held_link(&children[i])?;
                        answered.push((children[i].mv, link, zone));
                    }
                    self.answers(answered, false)?
                }
            }
            Why::Open | Why::Threats => return None,
        };
        self.held.insert(*key, held);
        Some(held)
    }

    fn held_link(&mut self, child: &strong::Child<W>) -> Option<(Link, Cells<W>)> {
        let (step, zone) = self.held(&child.key)?;
        let zone = self.search.field.map(inverse(child.symmetry), zone);
        Some((Link { step, symmetry: child.symmetry }, zone))
    }

    /// A step that answers every move in the union of the zones.
    fn answers(&mut self, answered: Vec<Answered<W>>, blocking: bool) -> Option<Held<W>> {
        let zone = answered.iter().fold(Cells::NONE, |all, (_, _, zone)| all | *zone);
        let mut listed = Vec::new();
        for cell in zone.iter() {
            let own = answered.iter().find(|(mv, ..)| usize::from(*mv) == cell);
            let any = answered.iter().find(|(_, _, zone)| !zone.has(cell));
            listed.push((cell as u16, own.or(any)?.1));
        }
        Some((self.push(Step::Answers { blocking, listed, also: Vec::new() }), zone))
    }

    /// The step of a position in which blocking is enough, from any frame; pairs are split off.
    fn weak_link(&mut self, stones: Cells<W>, empty: Cells<W>, attacker: bool) -> Option<(Link, Cells<W>)> {
        let residue = Residue::new(self.search.field, stones, empty);
        self.residue_link(residue, attacker)
    }

    fn residue_link(&mut self, residue: Residue<W>, attacker: bool) -> Option<(Link, Cells<W>)> {
        let child = self.search.weak.reach(NO_MOVE, &residue, attacker);
        let pairs = residue.pairs;
        let (step, zone) = self.weak(&child.key)?;
        let zone = self.search.field.map(inverse(child.symmetry), zone);
        let link = Link { step, symmetry: child.symmetry };
        if pairs.is_empty() {
            return Some((link, zone));
        }
        let parts = if zone.is_none() { Vec::new() } else { vec![(list(zone), link)] };
        if parts.is_empty() && attacker {
            let step = self.push(Step::Pairs(pairs));
            return Some((Link { step, symmetry: 0 }, child.paired));
        }
        let step = self.push(Step::Split { pairs, parts });
        Some((Link { step, symmetry: 0 }, zone | child.paired))
    }

    /// The step of a normalised position in which blocking is enough.
    fn weak(&mut self, key: &weak::Key<W>) -> Option<Held<W>> {
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
            (self.push(Step::Takes(entry.mv, link)), zone.with(entry.mv.into()))
        } else {
            let children = self.search.weak.children(key, self.budget)?;
            if children[0].0.mv == NO_MOVE {
                let (mut parts, mut zone) = (Vec::new(), Cells::NONE);
                for (_, residue) in children {
                    let (link, part) = self.residue_link(residue, true)?;
                    parts.push((list(part), link));
                    zone = zone | part;
                }
                (self.push(Step::Split { pairs: Vec::new(), parts }), zone)
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

    /// The step of a position that the first look decided, within its zone.
    fn weak_leaf(&mut self, key: &weak::Key<W>, zone: Cells<W>) -> Option<Held<W>> {
        let residue = Residue::new(self.search.field, key.stones, key.cells);
        let limit = if key.attacker { 1 << 31 } else { 1 << 32 };
        if residue.potential() < limit && residue.cells.within(zone) {
            return Some((self.push(Step::Sum(list(residue.cells))), residue.cells));
        }
        // The search saw the position in another frame, but the cells of its pairs are the zone.
        let lines: Vec<Cells<W>> = residue.lines().map(|line| line & zone).collect();
        let budget = &mut *self.budget;
        let pairs = pairing::find(&lines, u32::MAX, &mut || budget.part())?;
        let zone = pairs.iter().flat_map(|&(one, two)| [one.into(), two.into()]).collect();
        Some((self.push(Step::Pairs(pairs)), zone))
    }
}

/// Which answers suffice: no cell lies in the zones of all of them unless it is the move of one.
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
