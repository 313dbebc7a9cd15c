//! `alphabeta-savings`: leaves that alpha-beta visits with best, natural and worst move ordering, compared with minimax
//! and with the bound b^(d/2) of Knuth and Moore (1975).

use crate::opinion::Opinion;
use crate::plot::{Lines, Point, Series};
use crate::{Bench, Findings, Grid};
use outplay_core::Game;
use outplay_core::figures::grouped;
use outplay_games::mnk::{Board, Mnk};
use outplay_search::{Evaluate, SearchEngine, SearchLimits, SearchOptions};
use outplay_workbench::Trouble;
use rustc_hash::FxHashMap;

/// Move ordering.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Natural,
    Best,
    Worst,
}

/// A tree of fixed depth with a static evaluation at its leaves, and all minimax values.
struct ValuedTree<'a> {
    game: &'a Mnk<u64>,
    opinion: &'a Opinion,
    values: FxHashMap<(Board<u64>, u32), i32>,
    positions: u64,
    leaves: u64,
}

const INFINITE: i32 = 1 << 30;

impl ValuedTree<'_> {
    /// The value of a leaf for the player to move.
    fn leaf(&self, pos: &Board<u64>) -> i32 {
        match self.game.outcome(pos) {
            Some(payoff) => self.game.turn(pos).sees(payoff) * 1_000_000,
            None => self.opinion.score(self.game, pos),
        }
    }

    /// Memoised minimax.
    fn minimax(&mut self, pos: &Board<u64>, depth: u32) -> i32 {
        if depth == 0 || self.game.outcome(pos).is_some() {
            return self.leaf(pos);
        }
        if let Some(&value) = self.values.get(&(*pos, depth)) {
            return value;
        }
        let mut moves = Vec::new();
        self.game.moves(pos, &mut moves);
        let mut best = -INFINITE;
        for mv in moves {
            best = best.max(-self.minimax(&self.game.play(pos, mv), depth - 1));
        }
        self.values.insert((*pos, depth), best);
        best
    }

    /// Number of leaves of minimax.
    fn all_leaves(&self, pos: &Board<u64>, depth: u32, known: &mut FxHashMap<(Board<u64>, u32), u64>) -> u64 {
        if depth == 0 || self.game.outcome(pos).is_some() {
            return 1;
        }
        if let Some(&leaves) = known.get(&(*pos, depth)) {
            return leaves;
        }
        let mut moves = Vec::new();
        self.game.moves(pos, &mut moves);
        let leaves =
            moves.iter().map(|&mv| self.all_leaves(&self.game.play(pos, mv), depth - 1, known)).sum();
        known.insert((*pos, depth), leaves);
        leaves
    }

    fn alphabeta(&mut self, pos: &Board<u64>, depth: u32, mut alpha: i32, beta: i32, order: Order) -> i32 {
        self.positions += 1;
        if depth == 0 || self.game.outcome(pos).is_some() {
            self.leaves += 1;
            return self.leaf(pos);
        }
        let mut moves = Vec::new();
        self.game.moves(pos, &mut moves);
        if order != Order::Natural {
            let mut ranked: Vec<(i32, u8)> =
                moves.iter().map(|&mv| (-self.minimax(&self.game.play(pos, mv), depth - 1), mv)).collect();
            ranked.sort_by_key(|&(value, _)| if order == Order::Best { -value } else { value });
            moves = ranked.into_iter().map(|(_, mv)| mv).collect();
        }
        let mut best = -INFINITE;
        for mv in moves {
            best = best.max(-self.alphabeta(&self.game.play(pos, mv), depth - 1, -beta, -alpha, order));
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        best
    }
}

pub(crate) fn run(bench: &Bench<'_>) -> Result<Findings, Trouble> {
    let deepest = if bench.full { 9 } else { 7 };
    let mut findings = Findings::new(format!(
        "Connect-4 from the empty board to depths 1-{deepest}, leaves judged by `lines`, the centre last to first; best and worst order by the exact values of minimax"
    ));
    let names =
        ["minimax", "worst order", "natural order", "best order", "the least possible (Knuth and Moore)"];
    let mut series = names.map(Series::new);
    let mut grid = Grid::new(
        "leaves judged",
        &[
            "depth",
            "minimax",
            "worst order",
            "natural order",
            "best order",
            "7^⌈d/2⌉ + 7^⌊d/2⌋ − 1",
            "positions of the engine",
            "best / minimax",
        ],
    );
    let (board, kit) = bench.board("connect4")?;
    let opinion = Opinion::new(&board, &kit, "lines")?;
    let Some(start) = board.game.start() else { return Ok(findings) };
    let (mut agree, mut best_is_least) = (true, true);
    for depth in 1..=deepest {
        bench.watch.stage(&format!("depth {depth}"), 0);
        bench.check_cancelled()?;
        let mut tree = ValuedTree {
            game: &board.game,
            opinion: &opinion,
            values: FxHashMap::default(),
            positions: 0,
            leaves: 0,
        };
        let value = tree.minimax(&start, depth);
        let all = tree.all_leaves(&start, depth, &mut FxHashMap::default());
        let mut leaves = Vec::new();
        for order in [Order::Worst, Order::Natural, Order::Best] {
            (tree.positions, tree.leaves) = (0, 0);
            agree &= tree.alphabeta(&start, depth, -INFINITE, INFINITE, order) == value;
            leaves.push(tree.leaves);
        }
        let report =
            SearchEngine::new(&board.game, SearchOptions { quiescence: 0, ..SearchOptions::default() })
                .evaluate(&opinion)
                .search(&start, SearchLimits::depth(depth), bench.watch)?;
        let least = 7u64.pow(depth.div_ceil(2)) + 7u64.pow(depth / 2) - 1;
        best_is_least &= leaves[2] <= leaves[1] && leaves[2] <= leaves[0];
        for (series, count) in series.iter_mut().zip([all, leaves[0], leaves[1], leaves[2], least]) {
            series.points.push(Point::exact(f64::from(depth), count as f64));
        }
        grid.row(vec![
            depth.to_string(),
            grouped(all),
            grouped(leaves[0]),
            grouped(leaves[1]),
            grouped(leaves[2]),
            grouped(least),
            grouped(report.counts.nodes),
            format!("{:.2} %", 100.0 * leaves[2] as f64 / all as f64),
        ]);
    }
    findings.tables.push(grid);
    let (title, axes) =
        ("What alpha-beta leaves out, by the order of moves", ["depth, plies", "leaves judged"]);
    findings.plot(Lines::new(title, axes, series).logarithmic());
    if agree {
        findings.remark("All orders give minimax's value.");
    }
    findings.claim(agree, "Some order does not give minimax's value: this is an error of the program.");
    findings.claim(
        best_is_least,
        "The best order judges more leaves than another one at some depth, which it never should.",
    );
    findings.remark("The formula is the least that any order needs in a tree without equal leaves; where leaves are equal, the best order can do with fewer.");
    findings.remark("The engine deepens step by step and remembers positions that are reached twice; its column counts all positions of all its searches together.");
    Ok(findings)
}
