//! Recorder of small expectiminimax searches for display; it observes the search itself.
//!
//! ```text
//!        ▲ +0.2500                players choose, chance nodes have odds; branches pruned by
//!      ╱           ╲              Star1 and Star2 are shown with the reason
//!   ● +0.2500     ▼ -0.5000
//!  1/2 ╱ ╲ 1/2
//! ```
//!
//! The search runs twice: first to count the nodes of each ply, then to record as many whole plies as fit.
//!
//! Invariant: nodes = recorded branches that are neither cut off nor Star2 probes + branches that were left out for
//! lack of space.

use crate::dice::{SearchObserver, Window, observed};
use crate::tree::{Bound, Branch, Cut, Fate, Tree, TreeOptions, Worth, mark_principal};
use crate::{DiceMethod, Evaluate, Limit, SearchError, SearchLimits};
use outplay_core::{Chance, Game, Turn};
use outplay_runtime::Monitor;

/// Searches a position of a game with chance `depth` plies deep, chance nodes included, and records the tree.
///
/// # Errors
///
/// A fault of the rules, or a stop by the monitor.
pub fn dice_tree<G: Chance, E: Evaluate<G>>(
    game: &G,
    pos: &G::Position,
    evaluate: &E,
    depth: u32,
    method: DiceMethod,
    most: usize,
    monitor: &dyn Monitor,
) -> Result<Tree<G>, SearchError> {
    let run = |plies: Option<u32>| {
        let mut recorder = Recorder {
            game,
            best: f64::from(game.best_payoff()),
            prune: method != DiceMethod::Expectiminimax,
            depth,
            plies,
            most: most.max(1),
            branches: Vec::new(),
            per_ply: Vec::new(),
            path: Vec::new(),
        };
        let report =
            observed(game, pos, evaluate, method, SearchLimits::depth(depth), &mut recorder, monitor)?;
        match report.limit {
            None | Some(Limit::Depth) => Ok((recorder, report.counters(), report.exact)),
            Some(_) => Err(SearchError::Stopped),
        }
    };
    let (counted, ..) = run(None)?;
    let mut sum = 0;
    let fitting = counted.per_ply.iter().take_while(|&&here| {
        sum += here;
        sum <= most
    });
    // The root and its moves are always shown.
    let plies = (fitting.count() as u32).saturating_sub(1).max(1);
    let (Recorder { mut branches, .. }, counts, exact) = run(Some(plies))?;
    mark_principal(&mut branches);
    let prune = method != DiceMethod::Expectiminimax;
    let options = TreeOptions { prune, best_payoff: false, distance: false, most, ..TreeOptions::default() };
    let recorded_plies = plies.min(depth);
    Ok(Tree { branches, depth, options, dice: Some(method), counts, recorded_plies, exact })
}

/// A node on the path.
struct PathNode {
    /// Its branch, or that of its nearest ancestor that has one.
    branch: Option<usize>,
    recorded: bool,
    window: Window,
    glance: bool,
}

struct Recorder<'a, G: Game> {
    game: &'a G,
    best: f64,
    prune: bool,
    depth: u32,
    /// Plies to record; `None` in the counting run.
    plies: Option<u32>,
    most: usize,
    branches: Vec<Branch<G::Position, G::Move>>,
    per_ply: Vec<usize>,
    path: Vec<PathNode>,
}

impl<G: Game> Recorder<'_, G> {
    /// Adds a branch if there is room for it.
    fn record(
        &mut self,
        pos: &G::Position,
        mv: Option<G::Move>,
        probability: Option<f64>,
        ply: u32,
        window: Option<Window>,
    ) -> Option<usize> {
        if self.per_ply.len() <= ply as usize {
            self.per_ply.resize(ply as usize + 1, 0);
        }
        self.per_ply[ply as usize] += 1;
        if self.plies.is_none_or(|plies| ply > plies) || self.branches.len() >= self.most {
            return None;
        }
        let number = self.branches.len();
        if let Some(parent) = self.path.last() {
            if !parent.recorded {
                return None;
            }
            if let Some(parent) = parent.branch {
                self.branches[parent].children.push(number);
            }
        }
        // A window as wide as the range of payoffs is no bound.
        let side = |bound: f64| (bound.abs() <= self.best).then_some(Worth::Mean(bound));
        let window = window.filter(|_| self.prune);
        self.branches.push(Branch {
            pos: pos.clone(),
            turn: self.game.turn(pos),
            mv,
            probability,
            glance: false,
            ply,
            window: window.map_or((None, None), |window| (side(window.alpha), side(window.beta))),
            fate: Fate::Expanded,
            worth: None,
            principal: false,
            children: Vec::new(),
            left_out: 0,
            cut_left_out: 0,
        });
        Some(number)
    }

    /// Returns the branch of the nearest recorded node on the path.
    fn above(&self) -> Option<usize> {
        self.path.last().and_then(|step| step.branch)
    }
}

impl<G: Game> SearchObserver<G> for Recorder<'_, G> {
    fn enters(
        &mut self,
        pos: &G::Position,
        mv: Option<G::Move>,
        odds: Option<f64>,
        ply: u32,
        window: Window,
    ) {
        let here = self.record(pos, mv, odds, ply, Some(window));
        if let (None, Some(above)) = (here, self.above()) {
            self.branches[above].left_out += 1;
        }
        if let Some(here) = here {
            self.branches[here].fate = match self.game.outcome(pos) {
                Some(_) => Fate::Finished,
                None if ply == self.depth => Fate::Horizon,
                None => Fate::Expanded,
            };
        }
        let branch = here.or(self.above());
        self.path.push(PathNode { branch, recorded: here.is_some(), window, glance: false });
    }

    fn glances(&mut self, pos: &G::Position, mv: G::Move, odds: f64, ply: u32, window: Window) {
        let here = self.record(pos, Some(mv), Some(odds), ply, Some(window));
        if let Some(here) = here {
            self.branches[here].glance = true;
        }
        let branch = here.or(self.above());
        self.path.push(PathNode { branch, recorded: here.is_some(), window, glance: true });
    }

    fn leaves(&mut self, value: f64) {
        let Some(PathNode { branch, recorded: true, window, glance }) = self.path.pop() else { return };
        let Some(branch) = branch.map(|at| &mut self.branches[at]) else { return };
        let bound = match branch.fate {
            // One reply gives a lower bound for the player who chooses.
            _ if glance && branch.turn == Turn::Second => Bound::AtMost,
            _ if glance => Bound::AtLeast,
            Fate::Expanded if self.prune && value >= window.beta => Bound::AtLeast,
            Fate::Expanded if self.prune && value <= window.alpha => Bound::AtMost,
            _ => Bound::Exact,
        };
        branch.worth = Some((bound, Worth::Mean(value)));
    }

    fn skips(&mut self, pos: &G::Position, mv: G::Move, odds: Option<f64>, ply: u32, cut: Cut) {
        match self.record(pos, Some(mv), odds, ply, None) {
            Some(here) => self.branches[here].fate = Fate::CutOff(cut),
            None => {
                if let Some(PathNode { branch: Some(above), recorded: true, .. }) = self.path.last() {
                    self.branches[*above].cut_left_out += 1;
                }
            }
        }
    }
}
