//! Every position of thousands of random small boards against an independent plain minimax.

use outplay_bitplane::{BitplaneOptions, Dense, Level, PlaneValues, PlyCounts, Sink, Slots, solve};
use outplay_core::{Content, LineBoard, Turn, Value};
use outplay_runtime::NoMonitor;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::collections::HashMap;
use std::sync::Mutex;

/// Straightforward rules, and the value of every reachable position.
struct Plain {
    start: LineBoard,
    known: HashMap<Vec<Content>, Value>,
}

impl Plain {
    fn stone(turn: Turn) -> Content {
        if turn == Turn::First { Content::First } else { Content::Second }
    }

    /// k stones of one player in a row, counted cell by cell.
    fn has_line(&self, cells: &[Content], player: Content) -> bool {
        let (w, h, k) = (self.start.width as i32, self.start.height as i32, self.start.k as i32);
        let at = |x: i32, y: i32| {
            (0..w).contains(&x) && (0..h).contains(&y) && cells[(x * h + y) as usize] == player
        };
        (0..w).any(|x| {
            (0..h).any(|y| {
                [(1, 0), (0, 1), (1, 1), (1, -1)]
                    .iter()
                    .any(|&(dx, dy)| (0..k).all(|i| at(x + i * dx, y + i * dy)))
            })
        })
    }

    fn moves(&self, cells: &[Content]) -> Vec<usize> {
        let (w, h) = (self.start.width, self.start.height);
        let empty = |c: &usize| cells[*c] == Content::Empty;
        if !self.start.gravity {
            return (0..w * h).filter(empty).collect();
        }
        let column = |x: usize| {
            let blocked = (0..h).rev().find(|&y| cells[x * h + y] == Content::Blocked);
            (blocked.map_or(0, |y| y + 1)..h).map(|y| x * h + y).find(empty)
        };
        (0..w).filter_map(column).collect()
    }

    fn value(&mut self, cells: &mut Vec<Content>, turn: Turn) -> Value {
        if let Some(&value) = self.known.get(cells) {
            return value;
        }
        let last = Self::stone(turn.other());
        let value = if self.has_line(cells, last) {
            if self.start.misere { Value::win(0) } else { Value::loss(0) }
        } else {
            let moves = self.moves(cells);
            let mut best = if moves.is_empty() { Some(Value::TIE) } else { None };
            for cell in moves {
                cells[cell] = Self::stone(turn);
                let value = self.value(cells, turn.other()).before(false);
                cells[cell] = Content::Empty;
                best = best.max(Some(value));
            }
            best.expect("a move or a tie")
        };
        self.known.insert(cells.clone(), value);
        value
    }

    fn solve(board: &LineBoard) -> Plain {
        let mut plain = Plain { start: board.clone(), known: HashMap::new() };
        plain.value(&mut board.cells.clone(), board.turn);
        plain
    }

    fn placed(&self, cells: &[Content]) -> usize {
        cells.iter().zip(&self.start.cells).filter(|(now, before)| now != before).count()
    }

    fn turn(&self, cells: &[Content]) -> Turn {
        if self.placed(cells).is_multiple_of(2) { self.start.turn } else { self.start.turn.other() }
    }
}

/// A random board with at most `most` free cells and no line yet.
fn random_board(rng: &mut SmallRng, most: usize) -> LineBoard {
    loop {
        let (width, height) = (rng.random_range(1..=5), rng.random_range(1..=5));
        let mut board = LineBoard::empty(width, height, rng.random_range(1..=5));
        board.gravity = rng.random_bool(0.5);
        board.misere = rng.random_bool(0.3);
        board.turn = if rng.random_bool(0.7) { Turn::First } else { Turn::Second };
        let symmetric = rng.random_bool(0.5);
        let stuff = [Content::Blocked, Content::First, Content::Second];
        let density = rng.random_range(0.0..0.7);
        for cell in 0..board.cells.len() {
            if rng.random_bool(density) {
                board.cells[cell] = stuff[rng.random_range(0..3)];
            }
        }
        if symmetric {
            for column in 0..width / 2 {
                for row in 0..height {
                    board.cells[(width - 1 - column) * height + row] = board.cells[column * height + row];
                }
            }
        }
        // No line runs through a cell below an obstacle, so a stone there would be irrelevant.
        let buried: Vec<usize> = (0..board.cells.len()).filter(|&c| !board.playable(c)).collect();
        buried.into_iter().for_each(|cell| board.cells[cell] = Content::Blocked);
        let free =
            (0..board.cells.len()).filter(|&c| board.playable(c) && board.cells[c] == Content::Empty).count();
        let plain = Plain { start: board.clone(), known: HashMap::new() };
        let over = [Content::First, Content::Second].iter().any(|&p| plain.has_line(&board.cells, p));
        if free <= most && !over {
            return board;
        }
    }
}

fn random_options(rng: &mut SmallRng) -> BitplaneOptions {
    let levels = Level::available();
    BitplaneOptions {
        values: if rng.random_bool(0.7) { PlaneValues::Distance } else { PlaneValues::Wdl },
        counts: true,
        threads: if rng.random_bool(0.9) { 1 } else { 2 },
        mirror: rng.random_bool(0.7),
        level: Some(levels[rng.random_range(0..levels.len())]),
        low: [1, 2, 3, 5, 12][rng.random_range(0..5)],
        ..BitplaneOptions::default()
    }
}

fn agrees(values: PlaneValues, found: Value, right: Value) -> bool {
    match values {
        PlaneValues::Wdl => found.verdict() == right.verdict(),
        PlaneValues::Distance => found == right,
    }
}

/// Counts of legal positions, directly from the reachable ones.
fn plain_counts(plain: &Plain, values: PlaneValues) -> Vec<PlyCounts> {
    let mut plies = Vec::new();
    for (cells, value) in &plain.known {
        let ply = plain.placed(cells);
        if plies.len() <= ply {
            plies.resize(ply + 1, PlyCounts::default());
        }
        let count: &mut PlyCounts = &mut plies[ply];
        let payoff = plain.turn(cells).sees(value.payoff());
        count.legal += 1;
        let last = Plain::stone(plain.turn(cells).other());
        count.decided += u64::from(plain.has_line(cells, last));
        count.finished += u64::from(plain.has_line(cells, last) || plain.moves(cells).is_empty());
        *[&mut count.loss, &mut count.draw, &mut count.win][(payoff + 1) as usize] += 1;
        let list = if payoff > 0 { &mut count.win_in } else { &mut count.loss_in };
        if let (Some(distance), PlaneValues::Distance) = (value.distance(), values) {
            list.resize(list.len().max(distance as usize + 1), 0);
            list[distance as usize] += 1;
        }
    }
    plies
}

fn check(plain: &Plain, options: &BitplaneOptions) {
    let board = &plain.start;
    let dense = Dense::new(board, options, &NoMonitor).expect("a small board");
    for (cells, &value) in &plain.known {
        let pos = LineBoard { cells: cells.clone(), ..board.clone() };
        let found = dense.value(&pos).unwrap_or_else(|| panic!("{pos:?} belongs to {board:?}"));
        assert!(agrees(options.values, found, value), "{found} is not {value}: {pos:?} {options:?}");
    }
    let start = plain.known[&board.cells];
    let solution = dense.solution();
    assert_eq!(solution.verdict, start.verdict(), "{board:?}");
    let mut best = Vec::new();
    for cell in plain.moves(&board.cells) {
        let mut cells = board.cells.clone();
        cells[cell] = Plain::stone(board.turn);
        if agrees(options.values, plain.known[&cells].before(false), start) {
            best.push(cell);
        }
    }
    assert_eq!(solution.best, best, "{board:?} {options:?}");
    let mut counts = solution.counts.clone().expect("counts were asked for").plies;
    while counts.last().is_some_and(|ply| ply.legal == 0) {
        counts.pop();
    }
    assert_eq!(counts, plain_counts(plain, options.values), "{board:?} {options:?}");
}

#[test]
fn random_small_boards() {
    let mut rng = SmallRng::seed_from_u64(1);
    for _ in 0..4000 {
        let board = random_board(&mut rng, 7);
        check(&Plain::solve(&board), &random_options(&mut rng));
    }
}

#[test]
fn random_larger_boards() {
    let mut rng = SmallRng::seed_from_u64(2);
    for _ in 0..200 {
        let board = random_board(&mut rng, 10);
        check(&Plain::solve(&board), &random_options(&mut rng));
    }
}

#[test]
fn tall_boards_with_every_number_of_low_variables() {
    for (width, height, k) in [(3, 4, 3), (4, 3, 3), (2, 6, 4), (5, 2, 2)] {
        for misere in [false, true] {
            let mut board = LineBoard::empty(width, height, k);
            (board.gravity, board.misere) = (true, misere);
            let plain = Plain::solve(&board);
            for low in [1, 2, 3, 4, 7, 11] {
                for mirror in [false, true] {
                    check(
                        &plain,
                        &BitplaneOptions {
                            low,
                            mirror,
                            threads: 1,
                            ..BitplaneOptions::distance().with_counts()
                        },
                    );
                }
            }
        }
    }
}

/// Sink that stores every slot.
#[derive(Default)]
struct Keep {
    slots: Mutex<HashMap<(usize, u64), i8>>,
    ends: Mutex<Vec<usize>>,
    skip: Option<usize>,
}

impl Sink for Keep {
    fn wants(&self, tier: usize) -> bool {
        Some(tier) != self.skip
    }
    fn put(&self, slots: Slots<'_>) -> Result<(), String> {
        let mut all = self.slots.lock().expect("no panic");
        for (i, &code) in slots.codes.iter().enumerate() {
            assert_eq!(all.insert((slots.tier, slots.first() + i as u64), code), None, "a slot came twice");
        }
        Ok(())
    }
    fn end(&self, tier: usize) -> Result<(), String> {
        self.ends.lock().expect("no panic").push(tier);
        Ok(())
    }
}

/// The slot of a position by definition: enumerate, sort, look up.
struct Slotter {
    free: Vec<usize>,
    /// Shapes of each tier in shape order.
    shapes: Vec<Vec<Vec<usize>>>,
}

impl Slotter {
    fn new(board: &LineBoard) -> Slotter {
        let free: Vec<usize> = (0..board.cells.len())
            .filter(|&c| board.playable(c) && board.cells[c] == Content::Empty)
            .collect();
        let mut shapes = vec![Vec::new(); free.len() + 1];
        for set in 0..1usize << free.len() {
            let cells: Vec<usize> = (0..free.len()).filter(|i| set >> i & 1 == 1).map(|i| free[i]).collect();
            let column = |c: usize| c / board.height;
            let falls = cells.iter().all(|&c| {
                free.iter()
                    .filter(|&&below| column(below) == column(c) && below < c)
                    .all(|b| cells.contains(b))
            });
            if !board.gravity || falls {
                shapes[cells.len()].push((set, cells));
            }
        }
        let order = |tier: Vec<(usize, Vec<usize>)>| {
            let mut tier = tier;
            if board.gravity {
                let counts = |cells: &Vec<usize>| -> Vec<usize> {
                    (0..board.width)
                        .map(|x| cells.iter().filter(|&&c| c / board.height == x).count())
                        .collect()
                };
                tier.sort_by_key(|(_, cells)| counts(cells));
            }
            tier.into_iter().map(|(_, cells)| cells).collect()
        };
        Slotter { free, shapes: shapes.into_iter().map(order).collect() }
    }

    fn slot(&self, cells: &[Content]) -> (usize, u64) {
        let filled: Vec<usize> = self.free.iter().copied().filter(|&c| cells[c] != Content::Empty).collect();
        let tier = filled.len();
        let shape = self.shapes[tier].iter().position(|s| *s == filled).expect("a shape") as u64;
        let bits: Vec<bool> = filled.iter().map(|&c| cells[c] == Content::First).collect();
        let number = bits.iter().enumerate().map(|(i, &one)| usize::from(one) << i).sum::<usize>();
        let ones = bits.iter().filter(|&&one| one).count() as u32;
        let alike: Vec<usize> = (0..1usize << tier).filter(|c| c.count_ones() == ones).collect();
        let rank = alike.iter().position(|&c| c == number).expect("a colouring") as u64;
        (tier, shape * alike.len() as u64 + rank)
    }
}

#[test]
fn sink_gets_every_defined_slot() {
    let mut rng = SmallRng::seed_from_u64(3);
    for round in 0..800 {
        let board = random_board(&mut rng, 7);
        let mut options = random_options(&mut rng);
        options.counts = round % 2 == 0;
        let plain = Plain::solve(&board);
        let keep = Keep::default();
        let solution = solve(&board, &options, &NoMonitor, Some(&keep)).expect("a small board");
        let slots = keep.slots.into_inner().expect("no panic");
        let tiers: Vec<usize> = (0..solution.plan.tiers.len()).rev().collect();
        assert_eq!(keep.ends.into_inner().expect("no panic"), tiers);
        let slotter = Slotter::new(&board);
        let mut matter = 0;
        for (cells, &value) in &plain.known {
            let mirrored: Vec<Content> = (0..cells.len())
                .map(|c| cells[(board.width - 1 - c / board.height) * board.height + c % board.height])
                .collect();
            let slot = slotter.slot(cells);
            if plain.moves(cells).is_empty() && !slots.contains_key(&slot) {
                // A full board: its value follows from the rules, and it is never put.
                continue;
            }
            let code = slots.get(&slot).or_else(|| {
                assert!(solution.plan.mirror, "no slot {slot:?}");
                slots.get(&slotter.slot(&mirrored))
            });
            let code = *code.expect("the position or its mirror image");
            let finished = value.distance() == Some(0) || plain.moves(cells).is_empty();
            let at_once = value == Value::win(1) && !board.misere;
            if finished || at_once {
                assert_eq!(code, i8::MIN);
                continue;
            }
            matter += u64::from(slots.contains_key(&slot));
            match options.values {
                PlaneValues::Wdl => assert_eq!(i32::from(code), value.payoff()),
                PlaneValues::Distance => {
                    assert_eq!(<i8 as outplay_core::Code>::unpack(code), Some(value), "{board:?} {options:?}")
                }
            }
        }
        // Everything else is a don't-care.
        assert_eq!(slots.values().filter(|&&code| code != i8::MIN).count() as u64, matter, "{board:?}");
    }
}

#[test]
fn existing_tier_is_not_exported_again() {
    let board = LineBoard::empty(3, 3, 3);
    let keep = Keep { skip: Some(4), ..Keep::default() };
    solve(&board, &BitplaneOptions::default(), &NoMonitor, Some(&keep)).expect("a small board");
    assert_eq!(keep.ends.into_inner().expect("no panic"), [9, 8, 7, 6, 5, 3, 2, 1, 0]);
    assert!(keep.slots.into_inner().expect("no panic").keys().all(|&(tier, _)| tier != 4));
}
