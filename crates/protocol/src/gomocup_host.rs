//! A program that speaks Gomocup's protocol as a player of five in a row.
//!
//! ```text
//!  > START 15 (or RECTSTART 20,15)                    < OK
//!  > INFO timeout_turn 1000, …
//!  > BEGIN, TURN 7,7 or BOARD … DONE                  < 8,7
//! ```
//!
//! Columns count from the left and rows from the top, both from 0. A board says 1 for the program's own stones and 2 for
//! the other ones; stones are listed in turn, as the game may have gone.

use crate::child::{Child, fault};
use crate::clock::{Think, at_move};
use crate::history::History;
use crate::stable::{Parts, Stable, purpose};
use outplay_core::{AnyGame, AnyMove, AnyPosition, Content, Game, LineBoard, Notation, Quiet, Turn, Watch};
use outplay_players::{Choice, Fault, PlayError, Player};
use std::time::{Duration, Instant};

/// How long a program may take to be ready.
const READY: Duration = Duration::from_secs(10);
/// What is said of time without a limit, in milliseconds.
const UNLIMITED: u64 = i32::MAX as u64;

/// Columns and rows of a game that the protocol can speak about.
///
/// # Errors
///
/// Anything but five in a row on an empty board, in a sentence.
pub(crate) fn size(game: &AnyGame) -> Result<(usize, usize), String> {
    let board = game.start().and_then(|start| game.board(&start));
    let fits = |board: &LineBoard| {
        let empty = board.cells.iter().all(|content| *content == Content::Empty);
        !board.gravity && !board.misere && board.k == 5 && empty && board.turn == Turn::First
    };
    let board = board.filter(fits).ok_or_else(|| {
        format!(
            "Gomocup's protocol is for five in a row on an empty board, which {} is not; use `ugi:` there",
            game.spec()
        )
    })?;
    Ok((board.width, board.height))
}

/// The player.
pub(crate) struct GomocupPlayer {
    stable: Stable,
    game: AnyGame,
    parts: Parts,
    size: (usize, usize),
    purpose: String,
    child: Option<Child>,
    trouble: Option<PlayError>,
    history: History,
    /// Whether the program knows the game up to its own last move.
    knows: bool,
}

impl GomocupPlayer {
    pub(crate) fn new(stable: Stable, game: AnyGame, parts: Parts, size: (usize, usize)) -> GomocupPlayer {
        let purpose = purpose("gomocup", &parts.words, &game);
        let (child, trouble, history) = (None, None, History::default());
        GomocupPlayer { stable, game, parts, size, purpose, child, trouble, history, knows: false }
    }

    fn greet(&self, child: &mut Child) -> Result<(), PlayError> {
        let (width, height) = self.size;
        child.order(&match width == height {
            true => format!("START {width}"),
            false => format!("RECTSTART {width},{height}"),
        });
        let until = Instant::now() + READY;
        loop {
            let line = child.hear(until, &Quiet)?;
            if line == "OK" || line.starts_with("OK ") {
                return Ok(());
            }
            if line.starts_with("ERROR") || line.starts_with("UNKNOWN") {
                let shown: String = line.chars().take(100).collect();
                return Err(fault(Fault::Garbage, format!("does not play {width}x{height}: `{shown}`")));
            }
        }
    }

    fn ready(&mut self) -> Result<Child, PlayError> {
        if let Some(mut child) = self.child.take().or_else(|| self.stable.take(&self.purpose))
            && self.greet(&mut child).is_ok()
        {
            return Ok(child);
        }
        let mut child = Child::start(&self.parts.words, "END")?;
        self.greet(&mut child)?;
        Ok(child)
    }

    /// What brings the program to a position, and makes it think.
    fn order(&self, pos: &AnyPosition, by_turn: bool) -> Result<String, PlayError> {
        let board = self.game.board(pos).ok_or(PlayError::NoMove)?;
        if board.stones() == 0 {
            return Ok("BEGIN".into());
        }
        if let Some(word) = self.history.moves.last().filter(|_| by_turn && self.knows)
            && let Some((column, row)) = outplay_core::parse_cell(word)
        {
            return Ok(format!("TURN {column},{}", board.height - 1 - row));
        }
        let own = board.mover();
        let cells = |content: Content| {
            (0..board.cells.len()).filter(|&cell| board.cells[cell] == content).collect::<Vec<usize>>()
        };
        let (first, second) = (cells(Content::First), cells(Content::Second));
        // A game that is under way ends before another board is shown; the `OK` for it is passed over.
        let mut order = String::from(if self.knows { "RESTART\nBOARD\n" } else { "BOARD\n" });
        for turn in 0..first.len().max(second.len()) {
            for (stones, content) in [(&first, Content::First), (&second, Content::Second)] {
                if let Some(&cell) = stones.get(turn) {
                    let (column, row) = (cell / board.height, cell % board.height);
                    let whose = if content == own { 1 } else { 2 };
                    order += &format!("{column},{},{whose}\n", board.height - 1 - row);
                }
            }
        }
        Ok(order + "DONE")
    }

    fn ask(
        &self,
        child: &mut Child,
        pos: &AnyPosition,
        by_turn: bool,
        watch: &dyn Watch,
    ) -> Result<AnyMove, PlayError> {
        let (told, patience) = at_move(self.parts.think, watch);
        let Think::Time(time) = told else { return Err(PlayError::NoMove) };
        let infos = format!(
            "INFO timeout_turn {}\nINFO timeout_match 0\nINFO time_left {UNLIMITED}\nINFO max_memory 0\nINFO game_type 1\nINFO rule 0",
            time.as_millis().max(1)
        );
        child.order(&format!("{infos}\n{}", self.order(pos, by_turn)?));
        loop {
            let line = child.hear(patience, watch)?;
            if let Some((column, row)) = point(&line) {
                let height = self.size.1;
                let cell = (column < self.size.0 && row < height).then(|| (column, height - 1 - row));
                let mv = cell.map(|(column, row)| outplay_core::cell_name(column, row));
                return mv.and_then(|name| self.game.read_move(pos, &name).ok()).ok_or_else(|| {
                    fault(Fault::Illegal, format!("played `{column},{row}`, which is no legal move"))
                });
            }
            if line.starts_with("ERROR") {
                let shown: String = line.chars().take(100).collect();
                return Err(fault(Fault::Garbage, format!("said `{shown}` instead of a move")));
            }
        }
    }
}

/// Two numbers and a comma.
fn point(line: &str) -> Option<(usize, usize)> {
    let (column, row) = line.split_once(',')?;
    Some((column.trim().parse().ok()?, row.trim().parse().ok()?))
}

impl Player for GomocupPlayer {
    fn spec(&self) -> String {
        self.parts.spec.clone()
    }

    fn begin(&mut self, _seed: u64) {
        self.history.clear();
        self.trouble = None;
        self.knows = false;
        match self.ready() {
            Ok(child) => self.child = Some(child),
            Err(error) => self.trouble = Some(error),
        }
    }

    fn choose(&mut self, pos: &AnyPosition, watch: &dyn Watch) -> Result<Choice, PlayError> {
        if self.game.outcome(pos).is_some() {
            return Err(PlayError::NoMove);
        }
        if self.child.is_none() && self.trouble.is_none() {
            self.begin(0);
        }
        if let Some(trouble) = self.trouble.take() {
            return Err(trouble);
        }
        let Some(mut child) = self.child.take() else { return Err(PlayError::NoMove) };
        let by_turn = self.history.reach(&self.game, pos);
        let mv = self.ask(&mut child, pos, by_turn, watch)?;
        self.child = Some(child);
        self.knows = true;
        self.history.made(&self.game, pos, mv);
        Ok(Choice::plain(mv))
    }
}

impl Drop for GomocupPlayer {
    fn drop(&mut self) {
        if let Some(child) = self.child.take() {
            self.stable.keep(&self.purpose, child);
        }
    }
}
