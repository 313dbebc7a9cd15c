//! Gomocup engine: this program as a player of five in a row for Gomocup managers.
//!
//! ```text
//!  command                                  reply
//!  START 15, RECTSTART 20,15, RESTART       OK, or ERROR and a sentence
//!  BEGIN                                    a move such as 7,7: columns from the left, rows from the top, from 0
//!  TURN 7,8                                 a move
//!  BOARD, 7,7,1 … DONE                      a move; 1 is this engine's stone, 2 the opponent's
//!  TAKEBACK 7,8                             OK
//!  SWAP2BOARD … DONE                        three stones, two stones, one, or SWAP
//!  INFO key value                           timeout_turn, timeout_match, time_left, max_memory; others are ignored
//!  ABOUT, END
//! ```
//!
//! A line `MESSAGE …` before a move reports that a fallback player moved.

use crate::brain::{Brain, ChosenMove, InputAction, MoveLimits, minus_overhead};
use crate::lines::Input;
use outplay_core::{Game, Notation};
use outplay_players::Choice;
use outplay_runtime::Monitor;
use std::io::{self, BufRead, Write};
use std::time::Duration;

/// Default time of a move.
const DEFAULT_TURN: Duration = Duration::from_secs(5);
/// Number of moves over which the remaining time of a game is spread.
const MOVES: u32 = 25;
/// Times in milliseconds from here on mean "no limit".
const UNLIMITED: u64 = i32::MAX as u64;
/// Maximal columns and rows.
const MAX_SIZE: usize = 1000;

/// Constructs the engine of a game within a memory limit in bytes; the error is a sentence for the user.
pub(crate) type Open<'a> = &'a dyn Fn(&str, Option<u64>) -> Result<Brain, String>;

/// Runs the Gomocup protocol until `END` or the end of the input.
///
/// # Errors
///
/// An output that is closed.
pub fn gomocup(
    open: Open<'_>,
    player: Option<&str>,
    input: impl BufRead + Send + 'static,
    out: &mut impl Write,
    monitor: &dyn Monitor,
) -> io::Result<()> {
    let mut engine = GomocupEngine {
        open,
        input: Input::new(input),
        player: player.map(str::to_string),
        board_state: None,
        turn: None,
        game: None,
        left: None,
        memory: None,
        messages: Vec::new(),
    };
    while let Some(line) = engine.input.next(monitor) {
        if line.eq_ignore_ascii_case("END") {
            break;
        }
        let answer = engine.execute(&line, monitor);
        for message in engine.messages.drain(..) {
            writeln!(out, "MESSAGE {message}")?;
        }
        if !answer.is_empty() {
            writeln!(out, "{answer}")?;
            out.flush()?;
        }
    }
    Ok(())
}

/// The owner of a stone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum StoneOwner {
    Own,
    Other,
}

/// A board with the engine that plays on it.
struct GomocupBoard {
    brain: Brain,
    width: usize,
    height: usize,
    /// Stones in the order of play.
    stones: Vec<(usize, usize, StoneOwner)>,
}

struct GomocupEngine<'a> {
    open: Open<'a>,
    input: Input,
    player: Option<String>,
    board_state: Option<GomocupBoard>,
    /// Time limit of a move.
    turn: Option<Duration>,
    /// Time limit of a game.
    game: Option<Duration>,
    /// Remaining time of the game.
    left: Option<Duration>,
    memory: Option<u64>,
    /// Lines for the host's log, printed before the answer to the current command.
    messages: Vec<String>,
}

/// Parses two numbers and a comma.
pub(crate) fn point(text: &str) -> Option<(usize, usize)> {
    let (column, row) = text.split_once(',')?;
    Some((column.trim().parse().ok()?, row.trim().parse().ok()?))
}

impl GomocupEngine<'_> {
    /// Executes a command and returns the answer; empty for some commands.
    fn execute(&mut self, line: &str, monitor: &dyn Monitor) -> String {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let answer = match word.to_ascii_uppercase().as_str() {
            "" | "YXSTOP" | "STOP" => Ok(String::new()),
            "START" => match rest.parse() {
                Ok(size) => self.start(size, size),
                Err(_) => Err("write the size of the board, as in `START 15`".into()),
            },
            "RECTSTART" => match point(rest) {
                Some((width, height)) => self.start(width, height),
                None => Err("write columns and rows, as in `RECTSTART 20,15`".into()),
            },
            "RESTART" => self.board_state().map(|board| {
                board.stones.clear();
                board.brain.begin();
                "OK".to_string()
            }),
            "BEGIN" => self.think(monitor),
            "TURN" => match point(rest) {
                Some((x, y)) => self.place_stone(x, y, StoneOwner::Other).and_then(|()| self.think(monitor)),
                None => Err("write the opponent's move, as in `TURN 7,8`".into()),
            },
            "BOARD" => self.board(monitor).and_then(|()| self.think(monitor)),
            "SWAP2BOARD" => self.board(monitor).and_then(|()| self.swap2(monitor)),
            "TAKEBACK" => match point(rest) {
                Some((x, y)) => self.take_back(x, y),
                None => Err("write the move to take back, as in `TAKEBACK 7,8`".into()),
            },
            "INFO" => {
                self.inform(rest);
                Ok(String::new())
            }
            "ABOUT" => Ok(format!(
                "name=\"outplay\", version=\"{}\", author=\"the outplay authors\", country=\"-\"",
                env!("CARGO_PKG_VERSION")
            )),
            _ => {
                let shown: String = word.chars().take(40).collect();
                return format!("UNKNOWN {shown}");
            }
        };
        answer.unwrap_or_else(|why| format!("ERROR {why}"))
    }

    fn board_state(&mut self) -> Result<&mut GomocupBoard, String> {
        self.board_state.as_mut().ok_or_else(|| "there is no board yet; send START first".into())
    }

    fn start(&mut self, width: usize, height: usize) -> Result<String, String> {
        if !(5..=MAX_SIZE).contains(&width) || !(5..=MAX_SIZE).contains(&height) {
            return Err(format!("boards have 5 to {MAX_SIZE} columns and rows"));
        }
        // A board of the same size is reused: its state is cleared, its allocations stay.
        let same =
            self.board_state.as_ref().is_some_and(|board| (board.width, board.height) == (width, height));
        if same {
            let board = self.board_state()?;
            board.stones.clear();
            board.brain.begin();
        } else {
            let mut brain = (self.open)(&format!("mnk:{width}x{height},k=5"), self.memory)?;
            brain.name(self.player.as_deref()).map_err(|error| error.to_string())?;
            self.board_state = Some(GomocupBoard { brain, width, height, stones: Vec::new() });
        }
        Ok("OK".into())
    }

    fn inform(&mut self, rest: &str) {
        let (key, value) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let number: Option<u64> = value.trim().parse().ok();
        let time = |number: u64| Some(Duration::from_millis(number));
        match (key.to_ascii_lowercase().as_str(), number) {
            ("timeout_turn", Some(number)) => self.turn = time(number),
            ("timeout_match", Some(number)) => {
                self.game = time(number).filter(|_| number > 0 && number < UNLIMITED);
                self.left = self.game;
            }
            ("time_left", Some(number)) => self.left = time(number).filter(|_| number < UNLIMITED),
            ("max_memory", Some(number)) => self.memory = (number > 0).then_some(number),
            _ => {}
        }
    }

    /// The time of the next move.
    fn time(&self) -> Duration {
        let turn = self.turn.unwrap_or(DEFAULT_TURN);
        let share = self.left.filter(|_| self.game.is_some()).map_or(turn, |left| left / MOVES);
        // With a limit of the game, a turn of 0 means "no limit of a turn"; without one it means "at once".
        let time = if turn.is_zero() && self.game.is_some() { share } else { turn.min(share) };
        minus_overhead(time.max(Duration::from_millis(5)))
    }

    fn place_stone(&mut self, x: usize, y: usize, whose: StoneOwner) -> Result<(), String> {
        let board = self.board_state()?;
        if x >= board.width || y >= board.height {
            return Err(format!("{x},{y} is not on the board; columns and rows count from 0"));
        }
        if board.stones.iter().any(|&(a, b, _)| (a, b) == (x, y)) {
            return Err(format!("the cell {x},{y} is not empty"));
        }
        board.stones.push((x, y, whose));
        Ok(())
    }

    fn take_back(&mut self, x: usize, y: usize) -> Result<String, String> {
        let board = self.board_state()?;
        let at = board.stones.iter().position(|&(a, b, _)| (a, b) == (x, y));
        let at = at.ok_or_else(|| format!("there is no stone on {x},{y}"))?;
        board.stones.remove(at);
        Ok("OK".into())
    }

    /// Reads stones up to `DONE`. A list with an error is read to its end, lest its lines be taken for commands.
    fn board(&mut self, monitor: &dyn Monitor) -> Result<(), String> {
        let mut mistake = self.board_state().map(|board| board.stones.clear()).err();
        while let Some(line) = self.input.next(monitor) {
            if line.eq_ignore_ascii_case("DONE") {
                return mistake.map_or(Ok(()), Err);
            }
            if line.eq_ignore_ascii_case("END") {
                self.input.queue.push_front(line);
                break;
            }
            let fields: Vec<usize> = line.split(',').map_while(|field| field.trim().parse().ok()).collect();
            let stone = match fields[..] {
                [x, y, 1] => self.place_stone(x, y, StoneOwner::Own),
                [x, y, 2] => self.place_stone(x, y, StoneOwner::Other),
                // Cells of a finished line, in continuous games: not a stone.
                [_, _, 3] => Ok(()),
                _ => {
                    Err("write each stone as column, row and owner (1 own, 2 opponent), as in `7,8,1`".into())
                }
            };
            mistake = mistake.or(stone.err());
        }
        Err("the board does not end with DONE".into())
    }

    /// Searches, plays the move and returns the answer.
    fn think(&mut self, monitor: &dyn Monitor) -> Result<String, String> {
        let budget = MoveLimits { time: Some(self.time()), ..MoveLimits::default() };
        let (x, y, _) = self.find(&budget, monitor)?;
        self.place_stone(x, y, StoneOwner::Own)?;
        Ok(format!("{x},{y}"))
    }

    /// Searches for a move of this engine, whose colour follows from the number of stones.
    fn find(&mut self, budget: &MoveLimits, monitor: &dyn Monitor) -> Result<(usize, usize, Choice), String> {
        let board = self.board_state.as_mut().ok_or("there is no board yet; send START first")?;
        let own = board.stones.iter().filter(|stone| stone.2 == StoneOwner::Own).count();
        let other = board.stones.len() - own;
        let first = match (own, other) {
            (own, other) if own == other => StoneOwner::Own,
            (own, other) if own + 1 == other => StoneOwner::Other,
            _ => {
                return Err(format!(
                    "with {own} own stones and {other} stones of the opponent it is the opponent's turn"
                ));
            }
        };
        let game = board.brain.game().clone();
        let pos = game.read_position(&position_line(board, first)).map_err(|error| error.to_string())?;
        if game.outcome(&pos).is_some() {
            return Err("the game is over".into());
        }
        let thought =
            board.brain.think_while_reading(&pos, budget, &mut self.input, monitor, &mut |line| match line
                .to_ascii_uppercase()
                .as_str()
            {
                "YXSTOP" | "STOP" => InputAction::Stop,
                "END" => InputAction::End,
                _ => InputAction::Later,
            });
        let ChosenMove { choice, note } = thought.map_err(|error| error.to_string())?;
        // The swap2 opening searches several positions, so notes may repeat.
        self.messages.extend(note.filter(|note| !self.messages.contains(note)));
        let name = game.write_move(&pos, choice.mv);
        let (column, row) = outplay_core::parse_cell(&name).ok_or("the move does not name a cell")?;
        Ok((column, board.height - 1 - row, choice))
    }

    /// The swap2 opening: the first player places three stones; the second chooses a colour, or places two more and
    /// lets the first choose. This engine never places two more.
    fn swap2(&mut self, monitor: &dyn Monitor) -> Result<String, String> {
        let time = self.time();
        let count = self.board_state()?.stones.len();
        match count {
            0 => self.swap2_stones(time, monitor),
            // With three stones and with five, White is to move.
            3 | 5 => {
                let stones = self.board_state()?.stones.clone();
                // If it does not swap, this engine is White.
                self.colour(&stones, StoneOwner::Other)?;
                let budget = MoveLimits { time: Some(time), ..MoveLimits::default() };
                let (x, y, choice) = self.find(&budget, monitor)?;
                if choice.opinion.is_some_and(|opinion| opinion < 0.0) {
                    self.colour(&stones, StoneOwner::Own)?;
                    return Ok("SWAP".into());
                }
                self.place_stone(x, y, StoneOwner::Own)?;
                Ok(format!("{x},{y}"))
            }
            other => Err(format!("swap2 begins with 0, 3 or 5 stones, not {other}")),
        }
    }

    /// Assigns the stones to alternating owners, starting with `first`.
    fn colour(&mut self, stones: &[(usize, usize, StoneOwner)], first: StoneOwner) -> Result<(), String> {
        let second = if first == StoneOwner::Own { StoneOwner::Other } else { StoneOwner::Own };
        let board = self.board_state()?;
        board.stones = stones
            .iter()
            .enumerate()
            .map(|(i, &(x, y, _))| (x, y, if i % 2 == 0 { first } else { second }))
            .collect();
        Ok(())
    }

    /// Places three stones: of a few fixed candidates near an edge, the one with the most balanced evaluation.
    fn swap2_stones(&mut self, time: Duration, monitor: &dyn Monitor) -> Result<String, String> {
        let (width, height) = self.board_state().map(|board| (board.width, board.height))?;
        let (middle, last) = (width / 2, height - 1);
        let candidates = [
            [(middle, 0), (middle + 1, 2), (middle - 2, 1)],
            [(middle, 1), (middle + 1, 1), (middle - 1, 3)],
            [(1, last), (3, last - 1), (0, last - 3)],
            [(middle, 0), (middle + 2, 3), (middle + 1, 0)],
            [(0, 0), (2, 1), (1, 3)],
        ];
        let budget = MoveLimits { time: Some(time / candidates.len() as u32), ..MoveLimits::default() };
        let mut best: Option<(f64, [(usize, usize); 3])> = None;
        for stones in candidates {
            let listed: Vec<_> = stones.iter().map(|&(x, y)| (x, y, StoneOwner::Other)).collect();
            self.colour(&listed, StoneOwner::Other)?;
            let (_, _, choice) = self.find(&budget, monitor)?;
            let bias = choice.opinion.unwrap_or(0.0).abs();
            if best.is_none_or(|(known, _)| bias < known) {
                best = Some((bias, stones));
            }
        }
        let (_, stones) = best.ok_or("this engine has no opening for this board")?;
        let listed: Vec<_> = stones.iter().map(|&(x, y)| (x, y, StoneOwner::Own)).collect();
        self.colour(&listed, StoneOwner::Own)?;
        Ok(stones.map(|(x, y)| format!("{x},{y}")).join(" "))
    }
}

/// The position of a board in the game's notation; `first` is the owner of the first player's stones.
fn position_line(board: &GomocupBoard, first: StoneOwner) -> String {
    let mut rows = vec![vec![b'.'; board.width]; board.height];
    for &(x, y, whose) in &board.stones {
        rows[y][x] = if whose == first { b'x' } else { b'o' };
    }
    let rows: Vec<String> = rows.iter().map(|row| String::from_utf8_lossy(row).into_owned()).collect();
    rows.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_core::Native;
    use outplay_games::mnk::{Mnk, Rules};
    use outplay_players::PlayerContext;
    use outplay_runtime::NoMonitor;
    use std::io::Cursor;

    fn open(spec: &str, _: Option<u64>) -> Result<Brain, String> {
        let rules = Rules::parse(spec).map_err(|error| error.to_string())?;
        let game: Mnk<u128> = Mnk::new(rules).ok_or("too large")?;
        let kit = PlayerContext::new(Native::new(game).lines());
        let kit = PlayerContext { truth: Some(std::sync::Arc::new(crate::brain::EmptyOracle)), ..kit };
        Ok(Brain::new(kit, Box::new(|_| false)))
    }

    fn said(script: &str) -> Vec<String> {
        said_by(None, 30, script)
    }

    fn said_by(player: Option<&str>, turn: u32, script: &str) -> Vec<String> {
        let mut out = Vec::new();
        let script = format!("INFO timeout_turn {turn}\r\n{}", script.replace('\n', "\r\n"));
        gomocup(&open, player, Cursor::new(script), &mut out, &NoMonitor).unwrap();
        String::from_utf8(out).unwrap().lines().map(str::to_string).collect()
    }

    #[test]
    fn a_conversation() {
        let lines = said("ABOUT\nSTART 9\nBEGIN\nTURN 0,0\nEND\n");
        assert!(lines[0].starts_with("name=\"outplay\", version="));
        assert_eq!(lines[1], "OK");
        assert_eq!(lines.len(), 4);
        for line in &lines[2..] {
            let (x, y) = point(line).unwrap();
            assert!(x < 9 && y < 9 && (x, y) != (0, 0), "{line}");
        }
        assert_ne!(lines[2], lines[3]);
    }

    #[test]
    fn rows_count_from_the_top() {
        // Four in the top row of a board that is wider than high: the fifth cell wins, and must be blocked.
        let own = "RECTSTART 10,7\nBOARD\n0,0,1\n0,6,2\n1,0,1\n1,6,2\n2,0,1\n2,6,2\n3,0,1\n9,6,2\nDONE\n";
        assert_eq!(said(own), ["OK", "4,0"]);
        let other = "RECTSTART 10,7\nBOARD\n0,0,2\n0,6,1\n1,0,2\n1,4,1\n2,0,2\n2,6,1\n3,0,2\nDONE\n";
        assert_eq!(said(other), ["OK", "4,0"]);
    }

    /// A one-ply player answers a stone in the middle anywhere on the board; a search stays near it.
    #[test]
    fn stopped_search_plays_the_move_that_it_found() {
        let lines = said_by(Some("alphabeta:time=10s"), 300, "START 10\nTURN 5,5\nEND\n");
        let (x, y) = point(&lines[1]).unwrap();
        assert!(x.abs_diff(5) <= 2 && y.abs_diff(5) <= 2, "{lines:?}");
    }

    #[test]
    fn replaced_player_is_reported() {
        let lines = said_by(Some("perfect"), 50, "START 10\nTURN 5,5\nEND\n");
        let note = "MESSAGE player `perfect` returned no move (the exact value of this position is not available); `greedy` moves instead";
        assert_eq!(lines[1], note);
        assert!(point(&lines[2]).is_some() && lines.len() == 3, "{lines:?}");
    }

    #[test]
    fn moves_are_taken_back() {
        let lines = said("START 9\nTURN 4,4\nTURN 4,5\nTAKEBACK 4,5\nTAKEBACK 4,5\nRESTART\nTURN 4,4\n");
        assert_eq!((lines[0].as_str(), lines[3].as_str(), lines[5].as_str()), ("OK", "OK", "OK"));
        assert_eq!(lines[4], "ERROR there is no stone on 4,5");
        assert!(point(&lines[6]).is_some());
    }

    #[test]
    fn invalid_commands_are_errors_and_the_session_continues() {
        let lines = said(
            "BEGIN\nSTART 3\nSTART x\nTURN 1,1\nSTART 8\nTURN 9,9\nTURN\nBOARD\n1,1,7\n2,2,2\nDONE\nHELLO\nBOARD\n1,1,2\n2,2,2\nDONE\nBEGIN\n",
        );
        let kinds: Vec<&str> = lines.iter().map(|line| line.split(' ').next().unwrap()).collect();
        assert_eq!(
            kinds[..9],
            ["ERROR", "ERROR", "ERROR", "ERROR", "OK", "ERROR", "ERROR", "ERROR", "UNKNOWN"]
        );
        assert!(lines[9].starts_with("ERROR with 0 own stones and 2"), "{lines:?}");
    }

    #[test]
    fn swap2_opening() {
        let lines = said("START 9\nSWAP2BOARD\nDONE\n");
        let stones: Vec<_> = lines[1].split(' ').filter_map(point).collect();
        assert_eq!(stones.len(), 3, "{lines:?}");
        let lines = said("START 9\nSWAP2BOARD\n4,4,1\n0,0,2\n4,5,1\nDONE\n");
        assert!(lines[1] == "SWAP" || point(&lines[1]).is_some(), "{lines:?}");
    }
}
