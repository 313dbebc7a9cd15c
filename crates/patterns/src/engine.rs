//! Iterative deepening with alpha-beta, VCT (wins by continuous threats) and Lazy SMP (Homan 2013, Østensen 2016).
//!
//! ```text
//!   1 immediate results: a winning move, or the only move
//!   2 for depth 1, 2, 3 …    VCT, with about as many nodes as alpha-beta has used so far;
//!                            then alpha-beta to that depth, on every thread, with one table
//! ```
//!
//! Helper threads run the same search (Lazy SMP); every other one starts at depth 2.
//!
//! Invariant: on one thread, a stopped search returns the result of the same search limited to the last completed
//! depth. The node budget of VCT therefore depends on depth and nodes, never on the clock.

use crate::attack::VctSearch;
use crate::ground::{PatternBoard, TIER_FIVE, TIER_OPEN, number};
use crate::search::{MOST_PLIES, SURE, Search, SearchContext, WIN};
use crate::shape::{MOST_K, ShapeTable};
use crate::table::TranspositionTable;
use crate::weights::{NUMBERED, Weights};
use outplay_core::{Attack, Counters, LineBoard};
use outplay_runtime::{Monitor, Pace};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Node limit of VCT per search.
const MOST_ATTACK: u64 = 200_000;

/// Configuration of the pattern engine: memory, threads and weights.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Entries of the transposition table, 16 bytes each.
    pub entries: usize,
    /// Threads of a search limited by time only; all other searches are deterministic and run on one thread.
    pub threads: usize,
    /// Evaluation weights.
    pub weights: Weights,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { entries: 1 << 16, threads: 1, weights: Weights::FITTED }
    }
}

/// Limits of a search by the pattern engine; the first one reached ends the search.
#[derive(Clone, Copy, Debug, Default)]
pub struct PatternLimits {
    /// Maximum depth in plies, not counting threats beyond the horizon.
    pub depth: Option<u32>,
    /// Maximum number of nodes (stones placed).
    pub nodes: Option<u64>,
    /// Deadline.
    pub end: Option<Instant>,
}

/// Result of a search by the pattern engine.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternResult {
    /// The cell to play.
    pub cell: usize,
    /// Heuristic score for the player to move; [`PatternEngine::UNIT`] is a clear advantage.
    pub score: i32,
    /// Proven: the player to move wins within this many plies.
    pub wins_in: Option<u32>,
    /// Proven: the other player wins within this many plies.
    pub loses_in: Option<u32>,
    /// The last completed depth; 0 if none was, and the move is no better than a guess.
    pub depth: u32,
    /// Whether the monitor ended the search, not a limit.
    pub stopped: bool,
    /// Nodes searched (stones placed).
    pub nodes: u64,
    /// Further statistics. VCT counts its nodes only.
    pub counters: Counters,
    /// The principal variation, the move included.
    pub line: Vec<usize>,
}

impl PatternResult {
    fn sure(cell: usize, wins_in: u32, nodes: u64) -> PatternResult {
        let score = WIN - wins_in as i32;
        let depth = wins_in.min(1000);
        let counters = Counters { nodes, ..Counters::default() };
        PatternResult {
            cell,
            score,
            wins_in: Some(wins_in),
            loses_in: None,
            depth,
            stopped: false,
            nodes,
            counters,
            line: vec![cell],
        }
    }
}

/// Engine for k in a row with a fixed k; its transposition table persists between searches until it is cleared.
pub struct PatternEngine {
    k: usize,
    settings: Settings,
    shapes: Vec<ShapeTable>,
    table: TranspositionTable,
}

impl PatternEngine {
    /// Score of a clear advantage that is not a win.
    pub const UNIT: i32 = 400;

    /// Creates an engine for boards like this one; `None` if k exceeds [`MOST_K`], or the board is too large.
    pub fn new(board: &LineBoard, settings: Settings) -> Option<PatternEngine> {
        PatternEngine::fits(board).then(|| PatternEngine {
            k: board.k,
            settings,
            shapes: Vec::new(),
            table: TranspositionTable::new(settings.entries),
        })
    }

    /// Whether the engine supports a board.
    pub fn fits(board: &LineBoard) -> bool {
        let small = (board.width + 2 * MOST_K) * (board.height + 2 * MOST_K) < 1 << 24;
        (1..=MOST_K).contains(&board.k) && small
    }

    /// Clears the transposition table.
    pub fn clear(&mut self) {
        self.table.clear();
    }

    /// Bytes allocated.
    pub fn bytes(&self) -> usize {
        self.table.bytes() + self.shapes.iter().map(ShapeTable::bytes).sum::<usize>()
    }

    fn grid(&mut self, board: &LineBoard) -> PatternBoard {
        let shapes = self.shapes.pop().unwrap_or_else(|| ShapeTable::new(self.k));
        PatternBoard::new(board, shapes, &self.settings.weights)
    }

    /// Searches for a win by VCT for the player to move, within a number of nodes; `None` on boards with
    /// gravity or misère.
    pub fn attack(&mut self, board: &LineBoard, nodes: u64, monitor: &dyn Monitor) -> Option<Attack> {
        if board.gravity || board.misere || board.k != self.k {
            return None;
        }
        let mut grid = self.grid(board);
        let mover = number(board.turn);
        let found = VctSearch::default().search(&mut grid, mover, nodes, &mut Pace::new(monitor));
        self.shapes.push(grid.into_shapes());
        found
    }

    /// Searches for the best move on a board without a line; `None` if the board is full.
    pub fn think(
        &mut self,
        board: &LineBoard,
        limits: &PatternLimits,
        monitor: &dyn Monitor,
    ) -> Option<PatternResult> {
        if board.k != self.k {
            return None;
        }
        let grid = self.grid(board);
        let me = number(board.turn);
        if grid.empty == 0 {
            self.shapes.push(grid.into_shapes());
            return None;
        }
        // 1. Results that need no search.
        let plain = !(board.gravity || board.misere);
        let now = |list: &[u32], grid: &PatternBoard| {
            list.iter().copied().find(|&place| grid.playable(place as usize))
        };
        let quick = if board.misere {
            None
        } else if let Some(place) = now(grid.list(me, TIER_FIVE), &grid) {
            Some(PatternResult::sure(grid.cell(place as usize), 1, 1))
        } else if let Some(place) = now(grid.list(1 - me, TIER_FIVE), &grid).filter(|_| !plain) {
            // The cell above is left to the search, but there is no other move.
            let cell = grid.cell(place as usize);
            Some(PatternResult { wins_in: None, score: 0, ..PatternResult::sure(cell, 1, 1) })
        } else if board.stones() == 0 && plain {
            let cell = grid.cell(opening(board, &grid));
            Some(PatternResult { wins_in: None, score: 0, ..PatternResult::sure(cell, 1, 1) })
        } else if let (true, [], Some(&place)) =
            (plain, grid.list(1 - me, TIER_FIVE), grid.list(me, TIER_OPEN).first())
        {
            Some(PatternResult::sure(grid.cell(place as usize), 3, 1))
        } else {
            None
        };
        if let Some(found) = quick {
            self.shapes.push(grid.into_shapes());
            return Some(found);
        }
        // 2. Iterative deepening.
        let alone = limits.depth.is_some() || limits.nodes.is_some() || limits.end.is_none();
        let threads = if alone { 1 } else { self.settings.threads.max(1) };
        let stop = AtomicBool::new(false);
        let shared = SearchContext {
            table: &self.table,
            stop: &stop,
            monitor,
            end: limits.end,
            nodes: limits.nodes.map_or(u64::MAX, |most| most.max(1)),
        };
        let deepest = limits.depth.unwrap_or(u32::MAX).min(MOST_PLIES as u32 / 2);
        let (mut found, grids) = std::thread::scope(|scope| {
            let helpers: Vec<_> = (1..threads)
                .map(|number| {
                    let grid = grid.clone();
                    let shared = &shared;
                    scope.spawn(move || {
                        let mut search = Search::new(grid, me, shared, false);
                        deepen(&mut search, None, number as u32 % 2, deepest);
                        (search.counters(), search.grid)
                    })
                })
                .collect();
            let mut search = Search::new(grid, me, &shared, true);
            let mut found = deepen(&mut search, plain.then(VctSearch::default), 0, deepest);
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
            if found.line.is_empty() {
                found.line = line(&mut search, found.cell, found.depth);
            }
            found.counters = search.counters();
            let mut grids = vec![search.grid];
            for helper in helpers {
                // The result of a helper that panicked is not needed.
                if let Ok((counters, grid)) = helper.join() {
                    found.counters += counters;
                    grids.push(grid);
                }
            }
            (found, grids)
        });
        self.shapes.extend(grids.into_iter().map(PatternBoard::into_shapes));
        found.nodes = found.counters.nodes;
        Some(found)
    }
}

/// Static evaluation of a board for the player to move; 0 for boards that the engine does not support.
pub fn opinion(board: &LineBoard, weights: &Weights) -> i32 {
    if !PatternEngine::fits(board) {
        return 0;
    }
    let opinion = PatternBoard::new(board, ShapeTable::new(board.k), weights).opinion(number(board.turn));
    if board.misere { -opinion } else { opinion }
}

/// Counts the shapes of [`crate::NAMES`] on a board, for the player to move and for the opponent: the features
/// of the evaluation. All 0 for boards that the engine does not support.
pub fn census(board: &LineBoard) -> [[u32; 10]; 2] {
    if !PatternEngine::fits(board) {
        return Default::default();
    }
    let counts = PatternBoard::new(board, ShapeTable::new(board.k), &Weights::PLAIN).census();
    let me = number(board.turn);
    [me, 1 - me].map(|player| NUMBERED.map(|shape| counts[player][shape as usize]))
}

/// Returns the first move on an empty board: the cell with most lines, nearest to the centre.
fn opening(board: &LineBoard, grid: &PatternBoard) -> usize {
    let far = |cell: usize| {
        let off = |at: usize, length: usize| (2 * at + 1).abs_diff(length) as u64;
        let (x, y) = (off(cell / board.height, board.width), off(cell % board.height, board.height));
        x * x + y * y
    };
    let cells = (0..board.cells.len()).filter(|&cell| grid.playable(grid.place(cell)));
    let best = cells.min_by_key(|&cell| (-i64::from(grid.rank(grid.place(cell))), far(cell), cell));
    grid.place(best.unwrap_or(0))
}

/// Node limit of VCT before the alpha-beta search to a depth; `placed` is the number of nodes alpha-beta has
/// used so far.
fn attack_budget(depth: u32, placed: u64, limit: u64) -> u64 {
    (40 << depth.min(12)).max(placed).min(MOST_ATTACK).min(limit / 4)
}

/// Runs VCT before an iteration; `Err` if the search has to stop.
fn attack(search: &mut Search<'_>, vct: &mut VctSearch, depth: u32) -> Result<Option<PatternResult>, ()> {
    if vct.exhausted {
        return Ok(None);
    }
    let before = vct.nodes;
    let most = attack_budget(depth, search.nodes - before, search.node_limit());
    let clock = search.deadline();
    let mut pace = Pace::new(&clock);
    let found = vct.search(&mut search.grid, search.mover, most, &mut pace);
    let stopped = pace.stopped();
    search.nodes += vct.nodes - before;
    match found {
        // An attack that took many nodes to find would not be found by a search limited to its length.
        Some(attack) => {
            let sure = PatternResult::sure(attack.cell(), attack.plies(), search.nodes);
            Ok(Some(PatternResult { depth: sure.depth.max(depth), ..sure }))
        }
        None if stopped => {
            search.halt();
            Err(())
        }
        None => Ok(None),
    }
}

/// Iterative deepening until a limit is hit or the value is proven.
fn deepen(search: &mut Search<'_>, mut vct: Option<VctSearch>, ahead: u32, deepest: u32) -> PatternResult {
    let mut moves = Vec::new();
    let me = search.mover;
    let complete = match *search.grid.list(1 - me, TIER_FIVE) {
        [gap, ..] if !(search.grid.gravity || search.grid.misere) => {
            moves.push((0, gap));
            true
        }
        _ if search.grid.gravity || search.grid.misere => search.moves_other_rules(&mut moves, 0, 99, 0),
        _ => search.moves(&mut moves, 0, 99, 0),
    };
    if moves.is_empty() {
        // Every move loses; one has to be made.
        let places = 0..search.grid.content.len();
        moves.extend(places.filter(|&place| search.grid.playable(place)).map(|place| (0, place as u32)));
        moves.sort_by_key(|&(_, place)| -search.grid.rank(place as usize));
        moves.truncate(60);
    }
    let mut best_place = moves.first().map_or(0, |&(_, place)| place);
    let (mut score, mut depth_done) = (0, 0);
    let only = moves.len() == 1;
    for depth in 1 + ahead..=deepest {
        if let Some(vct) = &mut vct {
            match attack(search, vct, depth) {
                Ok(Some(found)) => return found,
                Ok(None) => {}
                Err(()) => break,
            }
        }
        search.horizon = depth as usize + 8;
        let mut alpha = -WIN;
        let mut best = None;
        for (tried, &(_, place)) in moves.iter().enumerate() {
            search.put(place);
            let mut value = if tried == 0 {
                -search.enter(depth as i32 - 1, 1, -WIN, -alpha)
            } else {
                -search.enter(depth as i32 - 1, 1, -alpha - 1, -alpha)
            };
            if tried > 0 && value > alpha && !search.stopped {
                value = -search.enter(depth as i32 - 1, 1, -WIN, -alpha);
            }
            search.take();
            if search.stopped {
                break;
            }
            if best.is_none() || value > alpha {
                alpha = alpha.max(value);
                best = Some((tried, value));
            }
        }
        // An incomplete iteration does not count, unless it is the first.
        if let Some((at, value)) = best.filter(|_| !search.stopped || depth_done == 0) {
            (best_place, score) = (moves[at].1, value);
            moves[..=at].rotate_right(1);
        }
        if search.stopped {
            break;
        }
        depth_done = depth;
        if score.abs() > SURE || (only && depth >= 4) {
            break;
        }
    }
    let sure = |score: i32| (score > SURE).then(|| (WIN - score) as u32);
    PatternResult {
        cell: search.grid.cell(best_place as usize),
        score,
        wins_in: sure(score),
        loses_in: sure(-score).filter(|_| complete),
        depth: depth_done,
        stopped: search.interrupted,
        nodes: search.nodes,
        counters: search.counters(),
        line: Vec::new(),
    }
}

/// Reads the principal variation from the transposition table.
fn line(search: &mut Search<'_>, first: usize, depth: u32) -> Vec<usize> {
    let mut line = vec![first];
    let mut placed = 1;
    search.put(search.grid.place(first) as u32);
    while (line.len() as u32) < depth {
        let ended = [0, 1].iter().any(|&player| !search.grid.list(player, TIER_FIVE).is_empty());
        let Some(known) = search.table().probe(search.hash()) else { break };
        if known.place == 0 || ended || !search.grid.playable(known.place as usize) {
            break;
        }
        line.push(search.grid.cell(known.place as usize));
        search.put(known.place);
        placed += 1;
    }
    for _ in 0..placed {
        search.take();
    }
    search.nodes -= placed;
    line
}
