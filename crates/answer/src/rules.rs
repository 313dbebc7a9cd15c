//! A game written out: its conditions, its positions, its index, a search tree.

use crate::Trouble;
use crate::answers::{CheckReport, IndexReport, IndexTier, Rules, TreeNode, TreeReport};
use crate::entry::Entry;
use crate::kernels::Numbering;
use crate::request::Place;
use outplay_core::{AnyGame, AnyPosition, Chance, Deadline, Game, Notation, Tier, Turn, Watch};
use outplay_search::{DiceMethod, Fate, Tree, TreeOptions, Worth, dice_tree, tree};
use outplay_solve::{Explored, SolveError};
use std::time::Duration;

/// Plies of the random games that show who ever moves in a game too large to explore.
const LONGEST: usize = 200;

impl Entry {
    /// The game written out as (S, I, Succs, T, V), if it has at most `most` positions.
    ///
    /// # Errors
    ///
    /// Bad input, a larger game, or a stop.
    pub fn rules(&self, place: &Place, most: u64, watch: &dyn Watch) -> Result<Rules, Trouble> {
        let game = self.game();
        let start = self.locate(place)?;
        let listed = game.textbook_positions().filter(|listed| listed.len() as u64 <= most);
        let positions = match listed {
            Some(listed) => listed,
            None => match Explored::new(game, &start, most, watch) {
                Ok(explored) => explored.positions().to_vec(),
                Err(SolveError::TooLarge(most)) => {
                    let why =
                        format!("{} has more than {most} positions, too many to write out", game.spec());
                    return Err(Trouble::unable(why + "; choose a smaller game, such as `nim:2+2`"));
                }
                Err(error) => return Err(error.into()),
            },
        };
        let name = |pos: &AnyPosition| game.textbook(pos);
        let place_of = |pos: &AnyPosition| positions.iter().position(|known| known == pos);
        let (mut successors, mut terminals, mut probabilities) = (Vec::new(), Vec::new(), Vec::new());
        for pos in &positions {
            if let Some(payoff) = game.outcome(pos) {
                terminals.push((name(pos), payoff));
                continue;
            }
            let mut next: Vec<AnyPosition> = game.list(pos).map(|mv| game.play(pos, mv)).collect();
            next.sort_by_key(&place_of);
            next.dedup();
            if game.turn(pos) == Turn::Chance {
                let odds = self.odds(pos);
                let likely = |next: &AnyPosition| {
                    odds.iter().filter(|(known, _)| known == next).map(|(_, odds)| odds).sum::<f64>()
                };
                probabilities.push((name(pos), next.iter().map(|next| (name(next), likely(next))).collect()));
            }
            successors.push((name(pos), next.iter().map(name).collect()));
        }
        Ok(Rules {
            game: game.spec(),
            positions: positions.iter().map(name).collect(),
            start: name(&start),
            successors,
            probabilities,
            terminals,
        })
    }

    /// Where the dice can lead from a position, and how likely.
    fn odds(&self, pos: &AnyPosition) -> Vec<(AnyPosition, f64)> {
        let mut falls = Vec::new();
        self.game().outcomes(pos, &mut falls);
        falls.into_iter().map(|(mv, odds)| (self.game().play(pos, mv), odds)).collect()
    }

    /// A small search, recorded and drawn, so that pruning can be seen; `eval` names the opinion at its leaves. Through
    /// dice it is Star2, or expectiminimax if nothing is to be pruned.
    ///
    /// # Errors
    ///
    /// Bad input, or a stop.
    pub fn tree(
        &self,
        place: &Place,
        depth: u32,
        prune: bool,
        eval: Option<&str>,
        watch: &dyn Watch,
    ) -> Result<TreeReport, Trouble> {
        if self.game().has_dice() {
            let method = if prune { DiceMethod::Star2 } else { DiceMethod::Expectiminimax };
            return self.dice_tree(place, depth, method, eval, watch);
        }
        let game = self.game();
        let pos = self.locate(place)?;
        let leaves = self.leaves(&pos, eval)?;
        // Minimax looks at everything, even where a win is found.
        let options = TreeOptions { prune, best_payoff: prune, ..TreeOptions::default() };
        Ok(drawn(game, &tree(game, &pos, &leaves, depth, options, watch)?))
    }

    /// The same of a game with dice, by one of its methods: players choose, dice have probabilities.
    ///
    /// # Errors
    ///
    /// Bad input, a game without dice, or a stop.
    pub fn dice_tree(
        &self,
        place: &Place,
        depth: u32,
        method: DiceMethod,
        eval: Option<&str>,
        watch: &dyn Watch,
    ) -> Result<TreeReport, Trouble> {
        let game = self.game();
        let pos = self.locate(place)?;
        if !game.has_dice() {
            let why = format!(
                "{} has no dice; its trees are those of alpha-beta or, with nothing cut off, of minimax",
                game.spec()
            );
            return Err(Trouble::unable(why));
        }
        let leaves = self.leaves(&pos, eval)?;
        let most = TreeOptions::default().most;
        Ok(drawn(game, &dice_tree(game, &pos, &leaves, depth, method, most, watch)?))
    }

    /// The size of the index tier by tier; reachable positions are counted where `memory` allows.
    ///
    /// # Errors
    ///
    /// A game too large to explore that has no index of its own, or a stop.
    pub fn index_report(&self, memory: u64, count: bool, watch: &dyn Watch) -> Result<IndexReport, Trouble> {
        let game = self.spec();
        if let Some(sizes) = self.sizes() {
            let size = sizes.as_ref().map(|sizes| sizes.iter().sum());
            let fits = |size: u128| size / 8 <= u128::from(memory);
            let counted = match (self.index(), size) {
                (Some(Numbering::Sweeps(sweeps)), Some(size)) if count && fits(size) => {
                    Some(sweeps.reach(&self.start()?, watch)?)
                }
                _ => None,
            };
            let reachable = |t: usize| counted.as_ref().map(|reach| reach.count(Tier(t as u32)));
            let tiers: Vec<IndexTier> = sizes
                .iter()
                .flatten()
                .enumerate()
                .map(|(t, &size)| IndexTier { tier: format!("{t:02}"), size, reachable: reachable(t) })
                .collect();
            let total =
                counted.is_some().then(|| tiers.iter().filter_map(|tier| tier.reachable).sum::<u64>());
            let ratio = total.zip(size).map(|(reached, size): (u64, u128)| reached as f64 / size as f64);
            return Ok(IndexReport { game, index: "tight", tiers, size, reachable: total, ratio });
        }
        let (index, explored) = match self.index() {
            Some(index) => (index, false),
            None => (self.numbering(self.most_explored(memory), watch)?, true),
        };
        let tier = |(tier, size): (String, u64)| IndexTier {
            tier,
            size: size.into(),
            reachable: explored.then_some(size),
        };
        let numbers = index.numbers();
        let tiers: Vec<IndexTier> = numbers.tier_names().into_iter().zip(numbers.sizes()).map(tier).collect();
        let size: u128 = tiers.iter().map(|tier| tier.size).sum();
        let reachable = explored.then(|| u64::try_from(size).unwrap_or(u64::MAX));
        let (kind, ratio) = if explored { ("explored", Some(1.0)) } else { ("tight", None) };
        Ok(IndexReport { game, index: kind, tiers, size: Some(size), reachable, ratio })
    }

    /// Whether the game meets the lecture's conditions: what its rules say, and what exploring at most `most`
    /// positions shows.
    ///
    /// # Errors
    ///
    /// A game without a start, or a stop.
    pub fn check(
        &self,
        most: u64,
        time: Option<Duration>,
        watch: &dyn Watch,
    ) -> Result<CheckReport, Trouble> {
        let game = self.game();
        let start = match game.start() {
            Some(start) => start,
            None => self.some_position().ok_or(SolveError::NoStart)?,
        };
        // What is known without looking: who rolls dice, and games that came with an index.
        let known = CheckReport {
            game: game.spec(),
            two_players: self.has_two_players(&start),
            zero_sum: true,
            finite: (self.index().is_some() || game.most_positions().is_some() || game.has_board())
                .then_some(true),
            deterministic: Some(!game.has_dice()),
            perfect_information: true,
            acyclic: self.kernels().loops().map(|loops| !loops),
            positions: 0,
            moves: 0,
            complete: false,
        };
        // A game of which all is known that exploring would tell is not explored beyond what is cheap.
        let settled = known.two_players == Some(true) && known.finite.is_some() && known.acyclic.is_some();
        let large = game.most_positions().is_none_or(|positions| positions > most as f64);
        if (settled && large && !game.has_dice()) || game.start().is_none() {
            return Ok(known);
        }
        watch.stage("exploring", 0);
        let clock = Deadline::new(time, watch);
        let explored = match Explored::new(game, &start, most, &clock) {
            Ok(explored) => explored,
            Err(SolveError::Stopped) if clock.passed() && !watch.stopped() => return Ok(known),
            Err(SolveError::TooLarge(seen)) => return Ok(CheckReport { positions: seen, ..known }),
            Err(error) => return Err(error.into()),
        };
        Ok(CheckReport {
            finite: Some(true),
            deterministic: Some(!explored.has_chance()),
            acyclic: Some(!explored.has_loops()),
            positions: explored.positions().len() as u64,
            moves: explored.moves(),
            complete: true,
            ..known
        })
    }

    /// A position of a game without a start.
    fn some_position(&self) -> Option<AnyPosition> {
        let index = self.index()?;
        let numbers = index.numbers();
        let sizes = numbers.sizes();
        // The last tiers have the fewest men; the first one is the game itself.
        (0..sizes.len() as u32).find_map(|t| {
            (0..sizes[t as usize].min(1000)).find_map(|number| {
                numbers.position(Tier(t), number).filter(|pos| self.game().outcome(pos).is_none())
            })
        })
    }

    /// A position by any number at all, for games whose positions have numbers: one with all the men on the board.
    pub fn numbered_position(&self, number: u64) -> Option<AnyPosition> {
        let index = self.index()?;
        let sizes = index.numbers().sizes();
        let (tier, &size) = sizes.iter().enumerate().max_by_key(|(_, size)| **size)?;
        index.numbers().position(Tier(tier as u32), number % size.max(1))
    }

    /// Whether both players come to move in a game of first moves; `None` if one does not in this one.
    fn has_two_players(&self, start: &AnyPosition) -> Option<bool> {
        let game = self.game();
        let (mut pos, mut seen) = (start.clone(), [false; 2]);
        for _ in 0..LONGEST {
            match game.turn(&pos) {
                _ if game.outcome(&pos).is_some() => break,
                Turn::First => seen[0] = true,
                Turn::Second => seen[1] = true,
                Turn::Chance => {}
            }
            let Some(mv) = game.list(&pos).next() else { break };
            pos = game.play(&pos, mv);
        }
        (seen == [true, true]).then_some(true)
    }
}

/// A recorded search as data, text and a picture.
fn drawn(game: &AnyGame, found: &Tree<AnyGame>) -> TreeReport {
    TreeReport {
        game: game.spec(),
        positions: found.counts.nodes,
        counters: found.counts,
        tree: node(game, found, 0, None),
        text: found.text(game),
        svg: found.svg(game),
    }
}

/// A recorded position with everything below it.
fn node(game: &AnyGame, found: &Tree<AnyGame>, at: usize, parent: Option<&AnyPosition>) -> TreeNode {
    let branch = &found.branches[at];
    TreeNode {
        mv: branch.mv.zip(parent).map(|(mv, parent)| game.write_move(parent, mv)),
        value: branch.worth.map(|(_, worth)| match worth {
            Worth::End(value) => value.to_string(),
            Worth::Opinion(score) => format!("{:+.2}", f64::from(score) / 100.0),
            Worth::Mean(mean) => format!("{:+.6}", mean + 0.0),
        }),
        probability: branch.probability,
        glance: branch.glance,
        cut: matches!(branch.fate, Fate::CutOff(_)),
        moves: branch.children.iter().map(|&child| node(game, found, child, Some(&branch.pos))).collect(),
    }
}
