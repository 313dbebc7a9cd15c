//! This program as an engine that speaks Gomocup's protocol: five in a row.
//!
//! ```text
//!  START 15, RECTSTART 20,15, RESTART       OK, or ERROR and a sentence
//!  BEGIN                                    a move such as 7,7: columns from the left, rows from the top, from 0
//!  TURN 7,8                                 a move
//!  BOARD, 7,7,1 … DONE                      a move; 1 is this program's stone, 2 the other's
//!  TAKEBACK 7,8                             OK
//!  SWAP2BOARD … DONE                        three stones, two stones, one, or SWAP
//!  INFO key value                           timeout_turn, timeout_match, time_left, max_memory; others are passed over
//!  ABOUT, END
//! ```

use crate::brain::{Brain, Budget, Heed, less_overhead};
use crate::lines;
use outplay_core::{Game, Notation, Watch};
use outplay_players::Choice;
use std::collections::VecDeque;
use std::io::{self, BufRead, Write};
use std::sync::mpsc::Receiver;
use std::time::Duration;

/// How long a move takes if nobody says.
const TURN: Duration = Duration::from_secs(5);
/// Moves that a game's time has to last for.
const MOVES: u32 = 25;
/// Where more time is left than this, there is no limit.
const UNLIMITED: u64 = i32::MAX as u64;
/// Boards beyond this are nobody's.
const WIDEST: usize = 1000;

/// Makes a mind for a game within so much memory, or says in a sentence why it cannot.
pub(crate) type Open<'a> = &'a dyn Fn(&str, Option<u64>) -> Result<Brain, String>;

/// Speaks Gomocup's protocol until `END` or the end of the input.
///
/// # Errors
///
/// An output that is closed.
pub fn gomocup(
    open: Open<'_>,
    player: Option<&str>,
    input: impl BufRead + Send + 'static,
    out: &mut impl Write,
    watch: &dyn Watch,
) -> io::Result<()> {
    let mut engine = Engine {
        open,
        lines: lines::read(input),
        queue: VecDeque::new(),
        player: player.map(str::to_string),
        table: None,
        turn: None,
        game: None,
        left: None,
        memory: None,
    };
    while let Some(line) = engine.next(watch) {
        if line.eq_ignore_ascii_case("END") {
            break;
        }
        let answer = engine.obey(&line, watch);
        if !answer.is_empty() {
            writeln!(out, "{answer}")?;
            out.flush()?;
        }
    }
    Ok(())
}

/// Whose stone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Whose {
    Own,
    Other,
}

/// A board and who thinks about it.
struct Table {
    brain: Brain,
    width: usize,
    height: usize,
    /// Stones in the order in which they came.
    stones: Vec<(usize, usize, Whose)>,
}

struct Engine<'a> {
    open: Open<'a>,
    lines: Receiver<String>,
    queue: VecDeque<String>,
    player: Option<String>,
    table: Option<Table>,
    /// What a move may take.
    turn: Option<Duration>,
    /// What a game may take.
    game: Option<Duration>,
    /// What is left of that.
    left: Option<Duration>,
    memory: Option<u64>,
}

/// Two numbers and a comma.
fn point(text: &str) -> Option<(usize, usize)> {
    let (column, row) = text.split_once(',')?;
    Some((column.trim().parse().ok()?, row.trim().parse().ok()?))
}

impl Engine<'_> {
    fn next(&mut self, watch: &dyn Watch) -> Option<String> {
        self.queue.pop_front().or_else(|| lines::next(&self.lines, watch))
    }

    /// What to answer; nothing to some orders.
    fn obey(&mut self, line: &str, watch: &dyn Watch) -> String {
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
            "RESTART" => self.table().map(|table| {
                table.stones.clear();
                table.brain.begin();
                "OK".to_string()
            }),
            "BEGIN" => self.think(),
            "TURN" => match point(rest) {
                Some((x, y)) => self.put(x, y, Whose::Other).and_then(|()| self.think()),
                None => Err("write the other's move, as in `TURN 7,8`".into()),
            },
            "BOARD" => self.board(watch).and_then(|()| self.think()),
            "SWAP2BOARD" => self.board(watch).and_then(|()| self.swap2()),
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

    fn table(&mut self) -> Result<&mut Table, String> {
        self.table.as_mut().ok_or_else(|| "there is no board yet; send START first".into())
    }

    fn start(&mut self, width: usize, height: usize) -> Result<String, String> {
        if !(5..=WIDEST).contains(&width) || !(5..=WIDEST).contains(&height) {
            return Err(format!("boards have 5 to {WIDEST} columns and rows"));
        }
        // A table of the same size keeps what it learned of no game but stays made.
        let same = self.table.as_ref().is_some_and(|table| (table.width, table.height) == (width, height));
        if same {
            let table = self.table()?;
            table.stones.clear();
            table.brain.begin();
        } else {
            let mut brain = (self.open)(&format!("mnk:{width}x{height},k=5"), self.memory)?;
            brain.name(self.player.as_deref()).map_err(|error| error.to_string())?;
            self.table = Some(Table { brain, width, height, stones: Vec::new() });
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

    /// What the next move may take.
    fn time(&self) -> Duration {
        let turn = self.turn.unwrap_or(TURN);
        let share = self.left.filter(|_| self.game.is_some()).map_or(turn, |left| left / MOVES);
        // Where only the game has a limit, a turn of 0 says so; where nothing has, it says "at once".
        let time = if turn.is_zero() && self.game.is_some() { share } else { turn.min(share) };
        less_overhead(time.max(Duration::from_millis(5)))
    }

    fn put(&mut self, x: usize, y: usize, whose: Whose) -> Result<(), String> {
        let table = self.table()?;
        if x >= table.width || y >= table.height {
            return Err(format!("{x},{y} is not on the board"));
        }
        if table.stones.iter().any(|&(a, b, _)| (a, b) == (x, y)) {
            return Err(format!("{x},{y} is taken"));
        }
        table.stones.push((x, y, whose));
        Ok(())
    }

    fn take_back(&mut self, x: usize, y: usize) -> Result<String, String> {
        let table = self.table()?;
        let at = table.stones.iter().position(|&(a, b, _)| (a, b) == (x, y));
        let at = at.ok_or_else(|| format!("there is no stone on {x},{y}"))?;
        table.stones.remove(at);
        Ok("OK".into())
    }

    /// Reads stones up to `DONE`. A list with a mistake is read to its end, so that what follows is not taken for orders.
    fn board(&mut self, watch: &dyn Watch) -> Result<(), String> {
        let mut mistake = self.table().map(|table| table.stones.clear()).err();
        while let Some(line) = self.next(watch) {
            if line.eq_ignore_ascii_case("DONE") {
                return mistake.map_or(Ok(()), Err);
            }
            if line.eq_ignore_ascii_case("END") {
                self.queue.push_front(line);
                break;
            }
            let fields: Vec<usize> = line.split(',').map_while(|field| field.trim().parse().ok()).collect();
            let stone = match fields[..] {
                [x, y, 1] => self.put(x, y, Whose::Own),
                [x, y, 2] => self.put(x, y, Whose::Other),
                // Cells of a finished line, in games that go on: no stone.
                [_, _, 3] => Ok(()),
                _ => Err("lines of a board are column, row and whose stone, as in `7,8,1`".into()),
            };
            mistake = mistake.or(stone.err());
        }
        Err("the board has no DONE".into())
    }

    /// Thinks, moves and says so.
    fn think(&mut self) -> Result<String, String> {
        let budget = Budget { time: Some(self.time()), ..Budget::default() };
        let (x, y, _) = self.find(&budget)?;
        self.put(x, y, Whose::Own)?;
        Ok(format!("{x},{y}"))
    }

    /// A move for whoever this program is.
    fn find(&mut self, budget: &Budget) -> Result<(usize, usize, Choice), String> {
        let (lines, queue) = (&self.lines, &mut self.queue);
        let table = self.table.as_mut().ok_or("there is no board yet; send START first")?;
        let own = table.stones.iter().filter(|stone| stone.2 == Whose::Own).count();
        let other = table.stones.len() - own;
        let first = match (own, other) {
            (own, other) if own == other => Whose::Own,
            (own, other) if own + 1 == other => Whose::Other,
            _ => {
                return Err(format!(
                    "with {own} own stones and {other} of the other's it is not this one's turn"
                ));
            }
        };
        let game = table.brain.game().clone();
        let pos = game.read_position(&written(table, first)).map_err(|error| error.to_string())?;
        if game.outcome(&pos).is_some() {
            return Err("the game is over".into());
        }
        let mut heard = Vec::new();
        let thought = table.brain.think_aloud(&pos, budget, lines, &mut heard, &mut |line| match line
            .to_ascii_uppercase()
            .as_str()
        {
            "YXSTOP" | "STOP" => Heed::Stop,
            _ => Heed::Later,
        });
        queue.extend(heard);
        let choice = thought.map_err(|error| error.to_string())?;
        let name = game.write_move(&pos, choice.mv);
        let (column, row) = outplay_core::parse_cell(&name).ok_or("the move has no cell")?;
        Ok((column, table.height - 1 - row, choice))
    }

    /// The opening by swap2: whoever begins puts three stones; the other takes a side, or puts two more and lets the first
    /// choose.
    fn swap2(&mut self) -> Result<String, String> {
        let time = self.time();
        let count = self.table()?.stones.len();
        match count {
            0 => self.three(time),
            // Three stones: it is White's turn. Five: the same.
            3 | 5 => {
                let stones = self.table()?.stones.clone();
                // The stones of the player to move are this program's if it stays White.
                self.colour(&stones, Whose::Other)?;
                let budget = Budget { time: Some(time), ..Budget::default() };
                let (x, y, choice) = self.find(&budget)?;
                if choice.opinion.is_some_and(|opinion| opinion < 0.0) {
                    self.colour(&stones, Whose::Own)?;
                    return Ok("SWAP".into());
                }
                self.put(x, y, Whose::Own)?;
                Ok(format!("{x},{y}"))
            }
            other => Err(format!("swap2 begins with 0, 3 or 5 stones, not {other}")),
        }
    }

    /// Stones in turn, the first of them of one side.
    fn colour(&mut self, stones: &[(usize, usize, Whose)], first: Whose) -> Result<(), String> {
        let second = if first == Whose::Own { Whose::Other } else { Whose::Own };
        let table = self.table()?;
        table.stones = stones
            .iter()
            .enumerate()
            .map(|(i, &(x, y, _))| (x, y, if i % 2 == 0 { first } else { second }))
            .collect();
        Ok(())
    }

    /// Three stones near a rim of which neither side should have the better end, as far as a short look at each tells.
    fn three(&mut self, time: Duration) -> Result<String, String> {
        let (width, height) = self.table().map(|table| (table.width, table.height))?;
        let (middle, last) = (width / 2, height - 1);
        let candidates = [
            [(middle, 0), (middle + 1, 2), (middle - 2, 1)],
            [(middle, 1), (middle + 1, 1), (middle - 1, 3)],
            [(1, last), (3, last - 1), (0, last - 3)],
            [(middle, 0), (middle + 2, 3), (middle + 1, 0)],
            [(0, 0), (2, 1), (1, 3)],
        ];
        let budget = Budget { time: Some(time / candidates.len() as u32), ..Budget::default() };
        let mut best: Option<(f64, [(usize, usize); 3])> = None;
        for stones in candidates {
            let listed: Vec<_> = stones.iter().map(|&(x, y)| (x, y, Whose::Other)).collect();
            self.colour(&listed, Whose::Other)?;
            let (_, _, choice) = self.find(&budget)?;
            let bias = choice.opinion.unwrap_or(0.0).abs();
            if best.is_none_or(|(known, _)| bias < known) {
                best = Some((bias, stones));
            }
        }
        let (_, stones) = best.ok_or("there is no opening")?;
        let listed: Vec<_> = stones.iter().map(|&(x, y)| (x, y, Whose::Own)).collect();
        self.colour(&listed, Whose::Own)?;
        Ok(stones.map(|(x, y)| format!("{x},{y}")).join(" "))
    }
}

/// The position line of a table; `first` says whose stones are those of the player who began.
fn written(table: &Table, first: Whose) -> String {
    let mut rows = vec![vec![b'.'; table.width]; table.height];
    for &(x, y, whose) in &table.stones {
        rows[y][x] = if whose == first { b'x' } else { b'o' };
    }
    let rows: Vec<String> = rows.iter().map(|row| String::from_utf8_lossy(row).into_owned()).collect();
    rows.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_core::{Native, Quiet};
    use outplay_games::mnk::{Mnk, Rules};
    use outplay_players::Kit;
    use std::io::Cursor;

    fn open(spec: &str, _: Option<u64>) -> Result<Brain, String> {
        let rules = Rules::parse(spec).map_err(|error| error.to_string())?;
        let game: Mnk<u128> = Mnk::new(rules).ok_or("too large")?;
        Ok(Brain::new(Kit::new(Native::new(game).lines()), Box::new(|_| false)))
    }

    fn said(script: &str) -> Vec<String> {
        let mut out = Vec::new();
        let script = format!("INFO timeout_turn 30\r\n{}", script.replace('\n', "\r\n"));
        gomocup(&open, None, Cursor::new(script), &mut out, &Quiet).unwrap();
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
    fn boards_are_seen_the_right_way_up() {
        // Four in the top row of a board that is wider than high: the fifth cell wins, and has to be stopped.
        let own = "RECTSTART 10,7\nBOARD\n0,0,1\n0,6,2\n1,0,1\n1,6,2\n2,0,1\n2,6,2\n3,0,1\n9,6,2\nDONE\n";
        assert_eq!(said(own), ["OK", "4,0"]);
        let other = "RECTSTART 10,7\nBOARD\n0,0,2\n0,6,1\n1,0,2\n1,4,1\n2,0,2\n2,6,1\n3,0,2\nDONE\n";
        assert_eq!(said(other), ["OK", "4,0"]);
    }

    #[test]
    fn moves_are_taken_back() {
        let lines = said("START 9\nTURN 4,4\nTURN 4,5\nTAKEBACK 4,5\nTAKEBACK 4,5\nRESTART\nTURN 4,4\n");
        assert_eq!((lines[0].as_str(), lines[3].as_str(), lines[5].as_str()), ("OK", "OK", "OK"));
        assert_eq!(lines[4], "ERROR there is no stone on 4,5");
        assert!(point(&lines[6]).is_some());
    }

    #[test]
    fn nonsense_is_an_error_and_the_talk_goes_on() {
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
    fn the_opening_by_swap() {
        let lines = said("START 9\nSWAP2BOARD\nDONE\n");
        let stones: Vec<_> = lines[1].split(' ').filter_map(point).collect();
        assert_eq!(stones.len(), 3, "{lines:?}");
        let lines = said("START 9\nSWAP2BOARD\n4,4,1\n0,0,2\n4,5,1\nDONE\n");
        assert!(lines[1] == "SWAP" || point(&lines[1]).is_some(), "{lines:?}");
    }
}
