//! The engine: an attack if there is one, else deeper and deeper until a limit is met.
//!
//! ```text
//!   1 a line, or the only move           2 an attack by threats, for a part of the time
//!   3 alpha-beta to depth 1, 2, 3 …      on every thread, with one table
//! ```

use crate::attack::Attacks;
use crate::ground::{Ground, TIER_FIVE, TIER_OPEN, number};
use crate::search::{MOST_PLIES, SURE, Search, Shared, WIN};
use crate::shape::{MOST_K, Shapes};
use crate::table::Table;
use crate::weights::{NUMBERED, Weights};
use outplay_core::{Attack, Counters, Deadline, LineBoard, Pace, Watch};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// How an engine is made.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Entries of the table, of 16 bytes each.
    pub entries: usize,
    /// Threads, where only time limits a search; any other is the same every time, on one thread.
    pub threads: usize,
    /// What shapes are worth.
    pub weights: Weights,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { entries: 1 << 16, threads: 1, weights: Weights::FITTED }
    }
}

/// When to stop; whatever comes first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Plies, threats beyond them not counted.
    pub depth: Option<u32>,
    /// Stones placed.
    pub nodes: Option<u64>,
    /// A moment.
    pub end: Option<Instant>,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The cell to play.
    pub cell: usize,
    /// An opinion for the player to move; [`Engine::UNIT`] is a clear advantage.
    pub score: i32,
    /// Proven: the player to move wins, in so many plies at most.
    pub wins_in: Option<u32>,
    /// Proven: the other player wins.
    pub loses_in: Option<u32>,
    /// The last depth that was finished.
    pub depth: u32,
    /// Positions that were looked at: stones placed.
    pub nodes: u64,
    /// What else was done. An attack by threats alone counts its positions only.
    pub counters: Counters,
    /// The line that is expected, the move included.
    pub line: Vec<usize>,
}

impl Found {
    fn sure(cell: usize, wins_in: u32, nodes: u64) -> Found {
        let score = WIN - wins_in as i32;
        let depth = wins_in.min(1000);
        let counters = Counters { nodes, ..Counters::default() };
        Found {
            cell,
            score,
            wins_in: Some(wins_in),
            loses_in: None,
            depth,
            nodes,
            counters,
            line: vec![cell],
        }
    }
}

/// An engine for boards with one k; what it learned serves the next search until it is cleared.
pub struct Engine {
    k: usize,
    settings: Settings,
    shapes: Vec<Shapes>,
    table: Table,
}

impl Engine {
    /// A score that is a clear advantage, though no win.
    pub const UNIT: i32 = 400;

    /// An engine for boards like this one; `None` if its lines are longer than [`MOST_K`], or the board is too large.
    pub fn new(board: &LineBoard, settings: Settings) -> Option<Engine> {
        Engine::fits(board).then(|| Engine {
            k: board.k,
            settings,
            shapes: Vec::new(),
            table: Table::new(settings.entries),
        })
    }

    /// Whether the engine can take a board.
    pub fn fits(board: &LineBoard) -> bool {
        let small = (board.width + 2 * MOST_K) * (board.height + 2 * MOST_K) < 1 << 24;
        (1..=MOST_K).contains(&board.k) && small
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.table.clear();
    }

    /// Bytes held on to.
    pub fn bytes(&self) -> usize {
        self.table.bytes() + self.shapes.iter().map(Shapes::bytes).sum::<usize>()
    }

    fn ground(&mut self, board: &LineBoard) -> Ground {
        let shapes = self.shapes.pop().unwrap_or_else(|| Shapes::new(self.k));
        Ground::new(board, shapes, &self.settings.weights)
    }

    /// A win by threats of the player to move, where stones do not fall and lines win; within so many positions.
    pub fn attack(&mut self, board: &LineBoard, nodes: u64, watch: &dyn Watch) -> Option<Attack> {
        if board.gravity || board.misere || board.k != self.k {
            return None;
        }
        let mut ground = self.ground(board);
        let found = Attacks::new(&mut ground, number(board.turn), &mut Pace::new(watch)).find(nodes);
        self.shapes.push(ground.into_shapes());
        found
    }

    /// The best move of a board that is not full, and on which nobody has a line; `None` if there is no move.
    pub fn think(&mut self, board: &LineBoard, limits: &Limits, watch: &dyn Watch) -> Option<Found> {
        if board.k != self.k {
            return None;
        }
        let began = Instant::now();
        let mut ground = self.ground(board);
        let me = number(board.turn);
        if ground.empty == 0 {
            self.shapes.push(ground.into_shapes());
            return None;
        }
        // 1. What needs no search.
        let plain = !(board.gravity || board.misere);
        let now = |list: &[u32], ground: &Ground| {
            list.iter().copied().find(|&place| ground.playable(place as usize))
        };
        let quick = if board.misere {
            None
        } else if let Some(place) = now(ground.list(me, TIER_FIVE), &ground) {
            Some(Found::sure(ground.cell(place as usize), 1, 1))
        } else if let Some(place) = now(ground.list(1 - me, TIER_FIVE), &ground).filter(|_| !plain) {
            // What falls on top of it is the search's business, but there is no other move.
            let cell = ground.cell(place as usize);
            Some(Found { wins_in: None, score: 0, ..Found::sure(cell, 1, 1) })
        } else if board.stones() == 0 && plain {
            let cell = ground.cell(opening(board, &ground));
            Some(Found { wins_in: None, score: 0, ..Found::sure(cell, 1, 1) })
        } else if let (true, [], Some(&place)) =
            (plain, ground.list(1 - me, TIER_FIVE), ground.list(me, TIER_OPEN).first())
        {
            Some(Found::sure(ground.cell(place as usize), 3, 1))
        } else {
            None
        };
        if let Some(found) = quick {
            self.shapes.push(ground.into_shapes());
            return Some(found);
        }
        // 2. Threats.
        let mut nodes = 0;
        if plain {
            let most = limits.nodes.map_or(200_000, |nodes| nodes / 4);
            let most = limits.depth.map_or(most, |depth| most.min(40 << depth.min(12)));
            let part = limits.end.map(|end| end.saturating_duration_since(began) / 5);
            let timed = Deadline::new(part, watch);
            let mut pace = Pace::new(&timed);
            let mut attacks = Attacks::new(&mut ground, me, &mut pace);
            let found = attacks.find(most);
            nodes = attacks.nodes;
            if let Some(attack) = found {
                self.shapes.push(ground.into_shapes());
                return Some(Found::sure(attack.cell(), attack.plies(), nodes));
            }
        }
        // 3. Deeper and deeper.
        let alone = limits.depth.is_some() || limits.nodes.is_some() || limits.end.is_none();
        let threads = if alone { 1 } else { self.settings.threads.max(1) };
        let stop = AtomicBool::new(false);
        let shared = Shared {
            table: &self.table,
            stop: &stop,
            watch,
            end: limits.end,
            nodes: limits.nodes.map_or(u64::MAX, |most| most.saturating_sub(nodes).max(1)),
        };
        let deepest = limits.depth.unwrap_or(u32::MAX).min(MOST_PLIES as u32 / 2);
        let (mut found, grounds) = std::thread::scope(|scope| {
            let helpers: Vec<_> = (1..threads)
                .map(|number| {
                    let ground = ground.clone();
                    let shared = &shared;
                    scope.spawn(move || {
                        let mut search = Search::new(ground, me, shared, false);
                        deepen(&mut search, number as u32 % 2, deepest);
                        (search.counters(), search.ground)
                    })
                })
                .collect();
            let mut search = Search::new(ground, me, &shared, true);
            let mut found = deepen(&mut search, 0, deepest);
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
            found.line = line(&mut search, found.cell, found.depth);
            found.counters = search.counters();
            let mut grounds = vec![search.ground];
            for helper in helpers {
                // A helper that panicked helped no more; the search itself is sound.
                if let Ok((counters, ground)) = helper.join() {
                    found.counters += counters;
                    grounds.push(ground);
                }
            }
            (found, grounds)
        });
        self.shapes.extend(grounds.into_iter().map(Ground::into_shapes));
        found.counters.nodes += nodes;
        found.nodes = found.counters.nodes;
        Some(found)
    }
}

/// What the engine thinks of a board at first sight, for the player to move; 0 for boards that it cannot take.
pub fn opinion(board: &LineBoard, weights: &Weights) -> i32 {
    if !Engine::fits(board) {
        return 0;
    }
    let opinion = Ground::new(board, Shapes::new(board.k), weights).opinion(number(board.turn));
    if board.misere { -opinion } else { opinion }
}

/// How often each shape of [`crate::NAMES`] stands on a board, for the player to move and for the other: what weights are
/// multiplied with. All 0 for boards that the engine cannot take.
pub fn census(board: &LineBoard) -> [[u32; 10]; 2] {
    if !Engine::fits(board) {
        return Default::default();
    }
    let counts = Ground::new(board, Shapes::new(board.k), &Weights::PLAIN).census();
    let me = number(board.turn);
    [me, 1 - me].map(|player| NUMBERED.map(|shape| counts[player][shape as usize]))
}

/// The first stone of an empty board: in the middle of where most lines run.
fn opening(board: &LineBoard, ground: &Ground) -> usize {
    let far = |cell: usize| {
        let off = |at: usize, length: usize| (2 * at + 1).abs_diff(length) as u64;
        let (x, y) = (off(cell / board.height, board.width), off(cell % board.height, board.height));
        x * x + y * y
    };
    let cells = (0..board.cells.len()).filter(|&cell| ground.playable(ground.place(cell)));
    let best = cells.min_by_key(|&cell| (-i64::from(ground.rank(ground.place(cell))), far(cell), cell));
    ground.place(best.unwrap_or(0))
}

/// Searches to depth 1, 2, 3 … until a limit is met or all is known.
fn deepen(search: &mut Search<'_>, ahead: u32, deepest: u32) -> Found {
    let mut moves = Vec::new();
    let me = search.mover;
    let complete = match *search.ground.list(1 - me, TIER_FIVE) {
        [gap, ..] if !(search.ground.gravity || search.ground.misere) => {
            moves.push((0, gap));
            true
        }
        _ if search.ground.gravity || search.ground.misere => search.moves_otherwise(&mut moves, 0, 99, 0),
        _ => search.moves(&mut moves, 0, 99, 0),
    };
    if moves.is_empty() {
        // Every move loses; one has to be made.
        let places = 0..search.ground.content.len();
        moves.extend(places.filter(|&place| search.ground.playable(place)).map(|place| (0, place as u32)));
        moves.sort_by_key(|&(_, place)| -search.ground.rank(place as usize));
        moves.truncate(60);
    }
    let mut best_place = moves.first().map_or(0, |&(_, place)| place);
    let (mut score, mut depth_done) = (0, 0);
    let only = moves.len() == 1;
    for depth in 1 + ahead..=deepest {
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
        // What was seen of an unfinished depth counts if its first move, the best so far, was finished.
        if let Some((at, value)) = best {
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
    Found {
        cell: search.ground.cell(best_place as usize),
        score,
        wins_in: sure(score),
        loses_in: sure(-score).filter(|_| complete),
        depth: depth_done,
        nodes: search.nodes,
        counters: search.counters(),
        line: Vec::new(),
    }
}

/// The line that the table remembers.
fn line(search: &mut Search<'_>, first: usize, depth: u32) -> Vec<usize> {
    let mut line = vec![first];
    let mut placed = 1;
    search.put(search.ground.place(first) as u32);
    while (line.len() as u32) < depth {
        let ended = [0, 1].iter().any(|&player| !search.ground.list(player, TIER_FIVE).is_empty());
        let Some(known) = search.table().find(search.hash()) else { break };
        if known.place == 0 || ended || !search.ground.playable(known.place as usize) {
            break;
        }
        line.push(search.ground.cell(known.place as usize));
        search.put(known.place);
        placed += 1;
    }
    for _ in 0..placed {
        search.take();
    }
    search.nodes -= placed;
    line
}
