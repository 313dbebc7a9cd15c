//! Recorder for small minimax and alpha-beta searches, for display.
//!
//! ```text
//!        ▲ ≥ draw          every position with its window, its value and its outcome:
//!      ╱   ┆   ╲           expanded, finished, at the horizon, or cut off and why
//!   ▼ draw  ▼ ≤ loss ✂
//! ```
//!
//! The search is textbook minimax or alpha-beta, in the order of the rules unless the options choose another.
//! It runs twice: first to count the nodes of each ply, then to record as many whole plies as fit.
//!
//! Invariant: values and windows are the first player's, and distances count from the root of the tree.

use crate::clock::{Clock, NodeBudget, StopReason};
use crate::score::{self, INFINITE, MOST_PAYOFF, Scale, SearchScore};
use crate::stack::{MOST_PLIES, with_room};
use crate::tree_order::{Orderer, TreeContext, TreeOrder};
use crate::{Counters, DiceMethod, Evaluate, SearchError, SearchLimits};
use outplay_core::{Game, Turn, Value};
use outplay_runtime::Monitor;

/// Options of a recorded search tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TreeOptions {
    /// Alpha-beta; otherwise minimax.
    pub prune: bool,
    /// Mate-distance pruning: leave a node as soon as its best possible payoff is reached.
    pub best_payoff: bool,
    /// Prefer sooner wins. Without it more is cut off.
    pub distance: bool,
    /// Maximum number of recorded positions, cut-off ones included.
    pub most: usize,
    /// Move ordering.
    pub order: TreeOrder,
}

impl Default for TreeOptions {
    /// Alpha-beta with mate-distance pruning, and as many positions as fit into a picture.
    fn default() -> TreeOptions {
        TreeOptions { prune: true, best_payoff: true, distance: true, most: 200, order: TreeOrder::default() }
    }
}

/// Value of a node of a recorded search tree, for the first player.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Worth {
    /// The result of the game, with the distance counted from the root.
    End(Value),
    /// A heuristic score at the horizon, in hundredths of a payoff.
    Opinion(i32),
    /// The mean payoff, for games with chance.
    Mean(f64),
}

/// Kind of bound of a node's value: exact, lower or upper.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// The value itself.
    Exact,
    /// A lower bound: the node failed high.
    AtLeast,
    /// An upper bound: the node failed low.
    AtMost,
}

/// Reason why a branch of a recorded search tree was pruned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cut {
    /// Alpha cutoff: the first player has at least as much elsewhere.
    Alpha,
    /// Beta cutoff: the second player has at least as much elsewhere.
    Beta,
    /// The best possible payoff was reached (mate-distance pruning).
    BestPayoff,
    /// Cutoff at a chance node (Star1 or Star2): the mean stays outside the window.
    Dice,
}

impl Cut {
    /// A sentence for display.
    pub fn reason(self) -> &'static str {
        match self {
            Cut::Alpha => "alpha cut-off: the first player already has at least as much elsewhere",
            Cut::Beta => "beta cut-off: the second player already has at least as much elsewhere",
            Cut::BestPayoff => "nothing better is possible",
            Cut::Dice => "the mean stays outside the window, whatever the remaining values are",
        }
    }
}

/// Fate of a position in the search: expanded, finished, at the horizon or cut off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// Its successors were searched.
    Expanded,
    /// The game is over.
    Finished,
    /// The depth limit was reached.
    Horizon,
    /// It was never entered.
    CutOff(Cut),
}

/// A node of a recorded search tree.
#[derive(Clone, Debug)]
pub struct Branch<P, M> {
    /// The position.
    pub pos: P,
    /// The player to move.
    pub turn: Turn,
    /// The move that led here; `None` at the root.
    pub mv: Option<M>,
    /// Probability of the move at a chance node; `None` for moves of players.
    pub probability: Option<f64>,
    /// Whether this is a probe of Star2: one reply was searched for a bound, and the position was not entered.
    pub glance: bool,
    /// Plies from the root.
    pub ply: u32,
    /// The window (alpha, beta), `None` for no bound.
    pub window: (Option<Worth>, Option<Worth>),
    /// Fate in the search.
    pub fate: Fate,
    /// Its value; `None` if it was cut off.
    pub worth: Option<(Bound, Worth)>,
    /// Whether it lies on the principal variation.
    pub principal: bool,
    /// Its recorded successors.
    pub children: Vec<usize>,
    /// Nodes entered below it that are not recorded.
    pub left_out: u64,
    /// Moves cut off here that are not recorded.
    pub cut_left_out: usize,
}

/// A recorded search tree.
#[derive(Clone, Debug)]
pub struct Tree<G: Game> {
    /// The positions in preorder: the root first, parents before children.
    pub branches: Vec<Branch<G::Position, G::Move>>,
    /// Search depth.
    pub depth: u32,
    /// Search options.
    pub options: TreeOptions,
    /// Pruning method at chance nodes; `None` for games without chance.
    pub dice: Option<DiceMethod>,
    /// Search statistics, including nodes that are not recorded.
    pub counts: Counters,
    /// Number of plies that are recorded completely.
    pub recorded_plies: u32,
    /// Whether the root's value is that of the game and not an estimate: a win or loss that was found, or any value if
    /// the search estimated no position at its horizon.
    pub exact: bool,
}

impl<G: Game> Tree<G> {
    /// Number of nodes entered that are not recorded.
    pub fn left_out(&self) -> u64 {
        self.branches.iter().map(|branch| branch.left_out).sum()
    }

    /// A sentence about missing positions; `None` if all are recorded.
    pub fn note(&self) -> Option<String> {
        let left_out = self.left_out();
        let cut: usize = self.branches.iter().map(|branch| branch.cut_left_out).sum();
        (left_out > 0 || cut > 0).then(|| {
            format!(
                "{} of {} positions are shown, to ply {}; ask for more positions or less depth to see all",
                self.counts.nodes - left_out,
                self.counts.nodes,
                self.recorded_plies
            )
        })
    }

    /// A one-line summary of the search.
    pub fn summary(&self) -> String {
        let Counters { nodes, static_evaluations, alpha_cutoffs, beta_cutoffs, best_payoff_cutoffs, .. } =
            self.counts;
        let method = match self.dice {
            Some(dice) => dice.word(),
            None if self.options.prune => "alpha-beta",
            None => "minimax",
        };
        let mut text = format!(
            "{method}, {} plies ahead: {nodes} positions entered, {static_evaluations} of them leaves",
            self.depth
        );
        if self.options.prune {
            text += &format!(", {alpha_cutoffs} alpha and {beta_cutoffs} beta cut-offs");
        }
        if best_payoff_cutoffs > 0 {
            text += &format!(", {best_payoff_cutoffs} more at the best payoff");
        }
        if self.dice.is_some() && self.options.prune {
            text += &format!(", {} of dice", self.counts.dice_cutoffs);
        }
        text
    }
}

/// Searches a position `depth` plies deep and records the tree.
///
/// # Errors
///
/// Games with chance, payoffs that are too large, a fault of the rules, or a stop by the monitor.
pub fn tree<G: Game, E: Evaluate<G>>(
    game: &G,
    pos: &G::Position,
    evaluate: &E,
    depth: u32,
    options: TreeOptions,
    monitor: &dyn Monitor,
) -> Result<Tree<G>, SearchError> {
    let best = game.best_payoff();
    if !(0..=MOST_PAYOFF).contains(&best) {
        return Err(SearchError::Payoff(best));
    }
    let depth = depth.min(MOST_PLIES);
    let fault = || game.fault();
    let budget = NodeBudget::new(&SearchLimits::NONE, monitor, &fault);
    let run = |plies: Option<u32>| -> Result<Recorder<'_, G, E>, SearchError> {
        let scale = Scale::new(options.distance, options.best_payoff.then_some(best));
        let mut recorder = Recorder {
            context: TreeContext { game, evaluate, scale, depth },
            options,
            orderer: Orderer::new(options.order),
            plies,
            clock: Clock::new(&budget),
            branches: Vec::new(),
            per_ply: Vec::new(),
            counts: Counters::default(),
            estimated: false,
        };
        recorder.visit(pos, None, None, 0, OPEN);
        match budget.why() {
            Some(StopReason::Error(error)) => Err(error),
            Some(_) => Err(SearchError::Stopped),
            None => Ok(recorder),
        }
    };
    let recorder = with_room(depth, || {
        let counted = run(None)?;
        let mut sum = 0;
        let fitting = counted.per_ply.iter().take_while(|&&here| {
            sum += here;
            sum <= options.most
        });
        // The root and its moves are always shown.
        let plies = (fitting.count() as u32).saturating_sub(1).max(1);
        run(Some(plies)).map(|recorder| (plies, recorder.estimated, recorder.finished()))
    });
    let (recorded_plies, estimated, (mut branches, counts)) = recorder?;
    mark_principal(&mut branches);
    let decided = |worth| matches!(worth, Worth::End(value) if value.payoff() != 0);
    let root = branches.first().and_then(|root| root.worth);
    let exact = !estimated || root.is_some_and(|(_, worth)| decided(worth));
    let recorded_plies = recorded_plies.min(depth);
    Ok(Tree { branches, depth, options, dice: None, counts, recorded_plies, exact })
}

/// Marks the principal variation: from the root, the first child with the value of its parent.
pub(crate) fn mark_principal<P, M>(branches: &mut [Branch<P, M>]) {
    let mut at = Some(0);
    while let Some(here) = at {
        branches[here].principal = true;
        let worth = branches[here].worth;
        at = branches[here].children.iter().copied().find(|&child| branches[child].worth == worth);
    }
}

/// Alpha and beta. Here the proof flags only distinguish game results from evaluations.
type Window = (SearchScore, SearchScore);

const OPEN: Window = (SearchScore { score: -INFINITE, proof: 0 }, SearchScore { score: INFINITE, proof: 0 });

type Recorded<G> = (Vec<Branch<<G as Game>::Position, <G as Game>::Move>>, Counters);

struct Recorder<'a, G: Game, E> {
    context: TreeContext<'a, G, E>,
    options: TreeOptions,
    orderer: Orderer<G>,
    /// Plies to record; `None` in the counting run.
    plies: Option<u32>,
    clock: Clock<'a>,
    branches: Vec<Branch<G::Position, G::Move>>,
    per_ply: Vec<usize>,
    counts: Counters,
    /// Whether a position at the horizon was evaluated.
    estimated: bool,
}

impl<G: Game, E: Evaluate<G>> Recorder<'_, G, E> {
    fn finished(self) -> Recorded<G> {
        (self.branches, Counters { nodes: self.clock.nodes(), ..self.counts })
    }

    /// Adds a branch if there is room for it.
    fn record(
        &mut self,
        pos: &G::Position,
        mv: Option<G::Move>,
        parent: Option<usize>,
        ply: u32,
        window: Window,
        fate: Fate,
    ) -> Option<usize> {
        if self.per_ply.len() <= ply as usize {
            self.per_ply.push(0);
        }
        self.per_ply[ply as usize] += 1;
        if self.plies.is_none_or(|plies| ply > plies) || self.branches.len() >= self.options.most.max(1) {
            return None;
        }
        let number = self.branches.len();
        if let Some(parent) = parent {
            self.branches[parent].children.push(number);
        }
        let side = |found: SearchScore| (found.score.abs() < INFINITE).then(|| worth(found));
        self.branches.push(Branch {
            pos: pos.clone(),
            turn: self.context.game.turn(pos),
            mv,
            probability: None,
            glance: false,
            ply,
            window: (side(window.0), side(window.1)),
            fate,
            worth: None,
            principal: false,
            children: Vec::new(),
            left_out: 0,
            cut_left_out: 0,
        });
        Some(number)
    }

    /// Enters a position; `parent` is the branch above it if that is recorded.
    fn visit(
        &mut self,
        pos: &G::Position,
        mv: Option<G::Move>,
        parent: Option<usize>,
        ply: u32,
        window: Window,
    ) -> SearchScore {
        if self.clock.must_stop() {
            return SearchScore::opinion(0);
        }
        let turn = self.context.game.turn(pos);
        let before = self.clock.nodes();
        let here = self.record(pos, mv, parent, ply, window, Fate::Horizon);
        let (found, fate) = match self.context.game.outcome(pos) {
            Some(payoff) => {
                self.counts.static_evaluations += 1;
                (self.context.scale.finished(payoff, ply), Fate::Finished)
            }
            None if turn == Turn::Chance => {
                self.clock.stop(StopReason::Error(SearchError::Chance));
                return SearchScore::opinion(0);
            }
            None if ply == self.context.depth => {
                self.counts.static_evaluations += 1;
                self.estimated = true;
                (SearchScore::opinion(self.context.opinion(pos)), Fate::Horizon)
            }
            None => {
                self.counts.dynamic_evaluations += 1;
                (self.expand(pos, turn, here, ply, window), Fate::Expanded)
            }
        };
        match (here, parent) {
            (Some(here), _) => {
                let bound = match found.score {
                    score if self.options.prune && score >= window.1.score => Bound::AtLeast,
                    score if self.options.prune && score <= window.0.score => Bound::AtMost,
                    _ => Bound::Exact,
                };
                let exact = fate == Fate::Finished || fate == Fate::Horizon;
                let branch = &mut self.branches[here];
                branch.fate = fate;
                branch.worth = Some((if exact { Bound::Exact } else { bound }, worth(found)));
            }
            // Not recorded: its nodes count as left out below its parent.
            (None, Some(parent)) => self.branches[parent].left_out += self.clock.nodes() - before + 1,
            (None, None) => {}
        }
        found
    }

    fn expand(
        &mut self,
        pos: &G::Position,
        turn: Turn,
        here: Option<usize>,
        ply: u32,
        window: Window,
    ) -> SearchScore {
        let (mut alpha, mut beta) = window;
        let max = turn == Turn::First;
        let better = |a: SearchScore, b: SearchScore| if max { a.score > b.score } else { a.score < b.score };
        let most = SearchScore::opinion(if max {
            self.context.scale.most(ply)
        } else {
            -self.context.scale.most(ply)
        });
        let mut moves = Vec::new();
        self.context.game.moves(pos, &mut moves);
        self.orderer.sort(&self.context, pos, ply, &mut moves, &mut self.clock);
        let mut best = if max { OPEN.0 } else { OPEN.1 };
        let mut cut = None;
        for (i, &mv) in moves.iter().enumerate() {
            // Moves that are cut off are recorded, and they can be very many.
            if self.clock.must_pause() {
                return best;
            }
            let next = self.context.game.play(pos, mv);
            if let Some(cut) = cut {
                let fate = Fate::CutOff(cut);
                if self.record(&next, Some(mv), here, ply + 1, (alpha, beta), fate).is_none()
                    && let Some(here) = here
                {
                    self.branches[here].cut_left_out += 1;
                }
                continue;
            }
            let window = if self.options.prune { (alpha, beta) } else { OPEN };
            let found = self.visit(&next, Some(mv), here, ply + 1, window);
            if self.clock.stopped {
                return found;
            }
            if better(found, best) {
                best = found;
                let bound = if max { &mut alpha } else { &mut beta };
                if better(best, *bound) {
                    *bound = best;
                }
            }
            if i + 1 == moves.len() {
                break;
            }
            if self.options.prune && alpha.score >= beta.score {
                cut = Some(if max { Cut::Beta } else { Cut::Alpha });
                *(if max { &mut self.counts.beta_cutoffs } else { &mut self.counts.alpha_cutoffs }) += 1;
            } else if !better(most, best) {
                cut = Some(Cut::BestPayoff);
                self.counts.best_payoff_cutoffs += 1;
            }
        }
        best
    }
}

fn worth(found: SearchScore) -> Worth {
    match score::value(found.score) {
        Some(value) if found.proof != 0 => Worth::End(value),
        _ => Worth::Opinion(found.score),
    }
}
