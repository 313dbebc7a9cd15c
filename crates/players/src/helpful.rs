//! The player `helpful`: the helpfulness heuristic of Hayes and Loge. It wins or blocks at once if it can, else takes
//! the cell with the most open windows through it.
//!
//! The source is "Developing a Memory Efficient Algorithm for Playing m,n,k Games". A window is k cells in a row; it is
//! open if the opponent has no stone in it. The player stores one integer per cell, and a move on a board of a million
//! cells takes milliseconds.

use crate::helpfulness::{Form, Helpfulness};
use crate::insight::{DIRECTIONS, Insight, Part, cell_helps, direction};
use crate::words::format_spec;
use crate::{Choice, Distribution, Judge, PlayError, Player, PlayerContext};
use outplay_core::{AnyGame, AnyMove, AnyPosition, Content, LineBoard, Turn};
use outplay_runtime::Monitor;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::collections::BTreeMap;

/// The player `helpful`; ties are broken uniformly at random.
pub struct Helpful {
    kit: PlayerContext,
    form: Form,
    rng: SmallRng,
    bytes: usize,
}

impl Helpful {
    /// A player of a k-in-a-row game.
    pub fn new(kit: &PlayerContext, form: Form) -> Helpful {
        Helpful { kit: kit.clone(), form, rng: SmallRng::seed_from_u64(0), bytes: 0 }
    }
}

/// Visits the playable cells in order, with their rank: win, else block, else helpfulness.
#[inline(always)]
fn each_rank(board: &LineBoard, found: &Helpfulness, mut visit: impl FnMut(usize, (i32, i32))) {
    let urgent = |cell: usize| match found.wins.binary_search(&cell) {
        Ok(_) => 2,
        Err(_) => i32::from(found.blocks.binary_search(&cell).is_ok()),
    };
    if board.gravity {
        for (place, cell) in board.open_cells().into_iter().enumerate() {
            visit(place, (urgent(cell), found.cells[cell]));
        }
        return;
    }
    let calm = found.wins.is_empty() && found.blocks.is_empty();
    let mut place = 0;
    for (cell, (content, help)) in board.cells.iter().zip(&found.cells).enumerate() {
        if *content == Content::Empty {
            visit(place, (if calm { 0 } else { urgent(cell) }, *help));
            place += 1;
        }
    }
}

/// The indices of the moves between which `helpful` chooses at random.
pub fn helpful_choices(board: &LineBoard, form: Form) -> Vec<usize> {
    let found = Helpfulness::of(board, form);
    let (mut best, mut places) = ((0, i32::MIN), Vec::new());
    each_rank(board, &found, |place, rank| {
        if rank > best {
            (best, places) = (rank, Vec::new());
        }
        if rank == best {
            places.push(place);
        }
    });
    places
}

impl Player for Helpful {
    fn spec(&self) -> String {
        match self.form {
            Form::Revised => "helpful".into(),
            Form::First => format_spec("helpful", &[("form", "first".into())]),
        }
    }

    fn begin(&mut self, seed: u64) {
        self.rng = SmallRng::seed_from_u64(seed);
    }

    fn choose(&mut self, pos: &AnyPosition, _monitor: &dyn Monitor) -> Result<Choice, PlayError> {
        let moves = self.kit.game.list(pos).count();
        let board = self.kit.game.board(pos).filter(|_| moves > 0).ok_or(PlayError::NoMove)?;
        let found = Helpfulness::of(&board, self.form);
        self.bytes = found.cells.len() * size_of::<i32>()
            + board.cells.len() * size_of::<Content>()
            + moves * size_of::<AnyMove>();
        let (mut best, mut equals) = ((0, i32::MIN), 0);
        each_rank(&board, &found, |_, rank| {
            if rank > best {
                (best, equals) = (rank, 0);
            }
            equals += usize::from(rank == best);
        });
        // A second pass picks one of the ties, so that they need not be stored.
        let (mut left, mut mv) = (self.rng.random_range(0..equals.max(1)) as isize, AnyMove(0));
        each_rank(&board, &found, |place, rank| {
            if rank == best {
                if left == 0 {
                    // Moves are in the order of their cells.
                    mv = AnyMove(place as u32);
                }
                left -= 1;
            }
        });
        Ok(Choice { line: vec![mv], ..Choice::plain(mv) }.after_sight(1))
    }

    fn distribution(
        &mut self,
        pos: &AnyPosition,
        _monitor: &dyn Monitor,
    ) -> Result<Option<Distribution>, PlayError> {
        let moves = self.kit.game.list(pos).count();
        let board = self.kit.game.board(pos).filter(|_| moves > 0).ok_or(PlayError::NoMove)?;
        let places = helpful_choices(&board, self.form);
        // Moves are in the order of their cells.
        Ok(Some(Distribution::Equal(places.into_iter().map(|place| AnyMove(place as u32)).collect())))
    }

    fn bytes(&self) -> usize {
        self.bytes
    }
}

/// The evaluation `helpful`: the difference in helpfulness of the empty cells for the two players.
pub(crate) struct HelpfulnessJudge {
    game: AnyGame,
    lines: Vec<Vec<usize>>,
}

impl HelpfulnessJudge {
    /// Lists the lines of a board once.
    pub(crate) fn new(game: AnyGame, start: &LineBoard) -> HelpfulnessJudge {
        HelpfulnessJudge { game, lines: start.lines() }
    }
}

impl Judge for HelpfulnessJudge {
    fn spec(&self) -> String {
        "helpful".into()
    }

    fn score(&self, pos: &AnyPosition, me: Turn) -> i32 {
        let Some(board) = self.game.board(pos) else { return 0 };
        let mut score = 0;
        for line in &self.lines {
            let (mut first, mut second) = (0, 0);
            for &cell in line {
                match board.cells[cell] {
                    Content::First => first += 1,
                    Content::Second => second += 1,
                    Content::Empty | Content::Blocked => {}
                }
            }
            // Every empty cell of the window counts 1 plus the stones in the window.
            let helps = |stones: i32| (1 + stones) * (board.k as i32 - stones);
            match (first, second) {
                (1.., 0) => score += helps(first),
                (0, 1..) => score -= helps(second),
                _ => {}
            }
        }
        if me == Turn::Second { -score } else { score }
    }

    fn insight(&self, pos: &AnyPosition, me: Turn) -> Insight {
        let Some(board) = self.game.board(pos) else { return Insight::of(0) };
        let own = if me == Turn::Second { Content::Second } else { Content::First };
        // Windows by owner, by direction, and by number of stones.
        let mut windows: BTreeMap<(bool, usize, i32), f64> = BTreeMap::new();
        for line in &self.lines {
            let stones = |of: &dyn Fn(Content) -> bool| {
                line.iter().filter(|&&cell| of(board.cells[cell])).count() as i32
            };
            let mine = stones(&|content| content == own);
            let theirs = stones(&|content| content != own && content != Content::Empty);
            if (mine == 0) != (theirs == 0) {
                *windows.entry((mine == 0, direction(&board, line), mine + theirs)).or_default() += 1.0;
            }
        }
        let parts = windows.into_iter().map(|((theirs, way, stones), count)| {
            let whose = if theirs { "their" } else { "my" };
            let name = format!("{whose} windows with {stones}, {}", DIRECTIONS[way]);
            let helps = f64::from((1 + stones) * (board.k as i32 - stones));
            Part::new(name, count, if theirs { -helps } else { helps })
        });
        Insight {
            score: self.score(pos, me),
            scale: 1.0,
            parts: parts.collect(),
            cells: cell_helps(&board, &self.lines, Form::Revised),
        }
    }

    fn unit(&self) -> i32 {
        40
    }
}
