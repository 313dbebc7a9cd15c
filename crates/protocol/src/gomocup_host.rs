//! Gomocup host: an external engine with the Gomocup protocol as a player of five in a row.
//!
//! ```text
//!  > START 15 (or RECTSTART 20,15)                    < OK
//!  > INFO timeout_turn 1000, …
//!  > BEGIN, TURN 7,7 or BOARD … DONE                  < 8,7
//! ```
//!
//! Columns count from the left and rows from the top, both from 0. `BOARD` lists the engine's own stones as 1 and the
//! opponent's as 2, in alternating order.
//!
//! The protocol has no command that stops a search. When a turn is stopped, the host sends `YXSTOP`, an extension of a
//! few engines. An engine that has not moved within [`STOP`] is terminated, because its late move could be taken for
//! its next one. An engine that did move is resynchronised with `START`.

use crate::child::{EngineProcess, STOP, fault};
use crate::clock::{ThinkLimit, limit_of_move};
use crate::engine_player::{Protocol, Seat};
use crate::gomocup_engine::point;
use outplay_core::{AnyGame, AnyMove, AnyPosition, Content, Game, LineBoard, Notation, Turn};
use outplay_players::{Choice, Fault, PlayError};
use outplay_runtime::{Monitor, NoMonitor};
use std::time::{Duration, Instant};

/// Timeout of the handshake.
const READY: Duration = Duration::from_secs(10);
/// Timeout of `ABOUT`.
const ABOUT: Duration = Duration::from_secs(1);
/// The protocol's value for "no limit", in milliseconds.
const UNLIMITED: u64 = i32::MAX as u64;

/// Returns columns and rows of a game that the protocol supports.
///
/// # Errors
///
/// Anything but five in a row on an empty board, as a sentence for the user.
pub(crate) fn size(game: &AnyGame) -> Result<(usize, usize), String> {
    let board = game.start().and_then(|start| game.board(&start));
    let fits = |board: &LineBoard| {
        let empty = board.cells.iter().all(|content| *content == Content::Empty);
        !board.gravity && !board.misere && board.k == 5 && empty && board.turn == Turn::First
    };
    let board = board.filter(fits).ok_or_else(|| {
        format!(
            "the Gomocup protocol is for five in a row on an empty board, which {} is not; use `ugi:` instead",
            game.spec()
        )
    })?;
    Ok((board.width, board.height))
}

/// The host's side of the Gomocup protocol.
pub(crate) struct Gomocup {
    pub(crate) size: (usize, usize),
    /// Whether the engine knows the game up to its own last move.
    pub(crate) knows: bool,
    /// Whether the engine does not answer `ABOUT`.
    pub(crate) mute: bool,
}

impl Gomocup {
    /// The command that starts a game.
    fn start(&self) -> String {
        let (width, height) = self.size;
        match width == height {
            true => format!("START {width}"),
            false => format!("RECTSTART {width},{height}"),
        }
    }

    fn greet(&self, child: &mut EngineProcess) -> Result<(), PlayError> {
        let (width, height) = self.size;
        child.send(&self.start());
        let until = Instant::now() + READY;
        loop {
            let line = child.receive(until, &NoMonitor)?;
            if line == "OK" || line.starts_with("OK ") {
                return Ok(());
            }
            if line.starts_with("ERROR") || line.starts_with("UNKNOWN") {
                let shown: String = line.chars().take(100).collect();
                return Err(fault(
                    Fault::Garbage,
                    format!("refuses the board of {width}x{height}: `{shown}`"),
                ));
            }
        }
    }

    /// The command that sets a position and starts a search: `BEGIN`, `TURN` or `BOARD`.
    fn order(&self, seat: &Seat, pos: &AnyPosition, by_turn: bool) -> Result<String, PlayError> {
        let board = seat.game.board(pos).ok_or(PlayError::NoMove)?;
        if board.stones() == 0 {
            return Ok("BEGIN".into());
        }
        if let Some(word) = seat.history.moves.last().filter(|_| by_turn && self.knows)
            && let Some((column, row)) = outplay_core::parse_cell(word)
        {
            return Ok(format!("TURN {column},{}", board.height - 1 - row));
        }
        let own = board.mover();
        let cells = |content: Content| {
            (0..board.cells.len()).filter(|&cell| board.cells[cell] == content).collect::<Vec<usize>>()
        };
        let (first, second) = (cells(Content::First), cells(Content::Second));
        // `RESTART` ends the current game before a new board; its `OK` is ignored.
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

    /// Waits until the engine has sent all output of an earlier turn. It uses `ABOUT` as a barrier, the only command of
    /// the protocol without side effects. An engine that does not answer it is not asked again.
    fn settle(
        &mut self,
        child: &mut EngineProcess,
        patience: Instant,
        monitor: &dyn Monitor,
    ) -> Result<(), PlayError> {
        if self.mute {
            return Ok(());
        }
        child.send("ABOUT");
        let until = patience.min(Instant::now() + ABOUT);
        loop {
            match child.receive(until, monitor) {
                Ok(line) if is_about(&line) => return Ok(()),
                Ok(_) => {}
                Err(PlayError::Fault { fault: Fault::Time, .. }) => {
                    self.mute = true;
                    return Ok(());
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Stops a search and returns the engine's move.
    fn stop(
        &mut self,
        seat: &mut Seat,
        mut child: EngineProcess,
        pos: &AnyPosition,
    ) -> Result<Choice, PlayError> {
        child.send_during_search("YXSTOP");
        let until = Instant::now() + STOP;
        let (column, row) = loop {
            let line = child.receive(until, &NoMonitor).map_err(|_| PlayError::Stopped)?;
            if let Some(point) = point(&line) {
                break point;
            }
        };
        let mv = self.read_point(&seat.game, pos, column, row).ok_or(PlayError::Stopped)?;
        self.keep_in_step(seat, child);
        Ok(Choice { stopped: true, ..Choice::plain(mv) })
    }

    /// Resynchronises an engine whose turn was stopped: all output before its answer to `START` belongs to that turn,
    /// such as `UNKNOWN` for `YXSTOP`. The next turn sends the whole board. Drops an engine that does not answer.
    fn keep_in_step(&mut self, seat: &mut Seat, mut child: EngineProcess) {
        child.send(&self.start());
        self.knows = false;
        let until = Instant::now() + STOP;
        while let Ok(line) = child.receive(until, &NoMonitor) {
            if line == "OK" || line.starts_with("OK ") {
                seat.child = Some(child);
                return;
            }
        }
    }

    /// The legal move at the protocol's coordinates.
    fn read_point(&self, game: &AnyGame, pos: &AnyPosition, column: usize, row: usize) -> Option<AnyMove> {
        let (width, height) = self.size;
        let name =
            (column < width && row < height).then(|| outplay_core::cell_name(column, height - 1 - row))?;
        game.read_move(pos, &name).ok()
    }
}

/// Whether a line answers `ABOUT`, including by an error.
fn is_about(line: &str) -> bool {
    line.contains("name") && line.contains('=') || line.starts_with("UNKNOWN") || line.starts_with("ERROR")
}

impl Protocol for Gomocup {
    const NAME: &'static str = "gomocup";

    fn ready(&mut self, seat: &Seat, idle: Option<EngineProcess>) -> Result<EngineProcess, PlayError> {
        self.knows = false;
        if let Some(mut child) = idle
            && self.greet(&mut child).is_ok()
        {
            return Ok(child);
        }
        let mut child = EngineProcess::start(&seat.parts.words, "END")?;
        self.greet(&mut child)?;
        Ok(child)
    }

    fn ask(
        &mut self,
        seat: &mut Seat,
        mut child: EngineProcess,
        pos: &AnyPosition,
        by_turn: bool,
        monitor: &dyn Monitor,
    ) -> Result<Choice, PlayError> {
        let (limit, patience) = limit_of_move(seat.parts.think, monitor);
        let ThinkLimit::Time(time) = limit else { return Err(PlayError::NoMove) };
        let infos = format!(
            "INFO timeout_turn {}\nINFO timeout_match 0\nINFO time_left {UNLIMITED}\nINFO max_memory 0\nINFO game_type 1\nINFO rule 0",
            time.as_millis().max(1)
        );
        if self.knows {
            match self.settle(&mut child, patience, monitor) {
                // The search has not started, so there is no move.
                Err(PlayError::Stopped) => {
                    self.keep_in_step(seat, child);
                    return Err(PlayError::Stopped);
                }
                other => other?,
            }
        }
        child.send(&format!("{infos}\n{}", self.order(seat, pos, by_turn)?));
        loop {
            let line = match child.receive(patience, monitor) {
                Err(PlayError::Stopped) => return self.stop(seat, child, pos),
                other => other?,
            };
            if let Some((column, row)) = point(&line) {
                let mv = self.read_point(&seat.game, pos, column, row).ok_or_else(|| {
                    fault(Fault::Illegal, format!("played `{column},{row}`, which is not a legal move"))
                })?;
                seat.child = Some(child);
                self.knows = true;
                return Ok(Choice::plain(mv));
            }
            if line.starts_with("ERROR") {
                let shown: String = line.chars().take(100).collect();
                return Err(fault(Fault::Garbage, format!("answered `{shown}` instead of a move")));
            }
        }
    }
}
