//! UGI engine: this program behind the universal game interface.
//!
//! ```text
//!  command                                     reply or effect
//!  ugi                                         id, options, ugiok
//!  isready                                     readyok
//!  setoption name Game value SPEC              any game of the catalog; option `Player`: the player's spec
//!  uginewgame
//!  position startpos|fen LINE [moves …]        LINE is a position in the game's notation
//!  go [movetime|depth|nodes N] [p1time …]      info …, bestmove MOVE (`0000` where there is none)
//!  go infinite, stop
//!  query gameover|p1turn|result                response true|false|p1win|p2win|draw|none
//!  quit
//! ```
//!
//! Invalid commands are answered with `info string error: …`. Only `quit` or the end of the input ends the loop.

use crate::brain::{Brain, ChosenMove, InputAction, MoveLimits, milliseconds, minus_overhead};
use crate::lines::Input;
use outplay_core::{AnyPosition, Game, Notation, Turn};
use outplay_runtime::Monitor;
use std::io::{self, BufRead, Write};
use std::time::{Duration, Instant};

/// Constructs the engine of the game that a spec names; the error is a sentence for the user.
pub(crate) type Open<'a> = &'a dyn Fn(&str) -> Result<Brain, String>;

/// Runs the UGI protocol until `quit` or the end of the input.
///
/// # Errors
///
/// An output that is closed.
pub fn ugi(
    open: Open<'_>,
    game: &str,
    player: Option<&str>,
    input: impl BufRead + Send + 'static,
    out: &mut impl Write,
    monitor: &dyn Monitor,
) -> io::Result<()> {
    let mut engine = UgiEngine {
        open,
        input: Input::new(input),
        game: game.to_string(),
        player: player.map(str::to_string),
        brain: None,
        pos: None,
    };
    while let Some(line) = engine.input.next(monitor) {
        if line == "quit" {
            break;
        }
        engine.execute(&line, out, monitor)?;
        out.flush()?;
    }
    Ok(())
}

struct UgiEngine<'a> {
    open: Open<'a>,
    input: Input,
    game: String,
    player: Option<String>,
    brain: Option<Brain>,
    pos: Option<AnyPosition>,
}

impl UgiEngine<'_> {
    fn execute(&mut self, line: &str, out: &mut impl Write, monitor: &dyn Monitor) -> io::Result<()> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let done = match word {
            "" | "stop" | "ponderhit" => Ok(()),
            "ugi" => {
                writeln!(out, "id name outplay {}", env!("CARGO_PKG_VERSION"))?;
                writeln!(out, "id author the outplay authors")?;
                writeln!(out, "option name Game type string default {}", self.game)?;
                writeln!(out, "option name Player type string default auto")?;
                writeln!(out, "ugiok")?;
                Ok(())
            }
            "isready" => {
                writeln!(out, "readyok")?;
                Ok(())
            }
            "uginewgame" => {
                self.pos = None;
                if let Some(brain) = &mut self.brain {
                    brain.begin();
                }
                Ok(())
            }
            "setoption" => self.set_option(rest),
            "position" => self.set_position(rest),
            "go" => return self.go(rest, out, monitor),
            "query" => match self.answer(rest) {
                Ok(answer) => {
                    writeln!(out, "response {answer}")?;
                    Ok(())
                }
                Err(why) => Err(why),
            },
            other => {
                let shown: String = other.chars().take(40).collect();
                Err(format!("`{shown}` is not a UGI command"))
            }
        };
        match done {
            Ok(()) => Ok(()),
            Err(why) => writeln!(out, "info string error: {why}"),
        }
    }

    /// Handles `setoption name NAME value VALUE`.
    fn set_option(&mut self, rest: &str) -> Result<(), String> {
        let words = rest.strip_prefix("name ").unwrap_or(rest);
        let (name, value) = words.split_once(" value ").ok_or("write `setoption name NAME value VALUE`")?;
        let value = value.trim();
        match name.trim().to_ascii_lowercase().as_str() {
            "game" => {
                let mut brain = (self.open)(value)?;
                brain.name(self.player.as_deref()).map_err(|error| error.to_string())?;
                (self.game, self.brain, self.pos) = (value.to_string(), Some(brain), None);
                Ok(())
            }
            "player" => {
                let player = (value != "auto").then(|| value.to_string());
                if let Some(brain) = &mut self.brain {
                    brain.name(player.as_deref()).map_err(|error| error.to_string())?;
                }
                self.player = player;
                Ok(())
            }
            other => Err(format!("there is no option `{other}`; the options are Game and Player")),
        }
    }

    /// The engine of the game, constructed on first use.
    fn brain(&mut self) -> Result<&mut Brain, String> {
        if self.brain.is_none() {
            let mut brain = (self.open)(&self.game)?;
            brain.name(self.player.as_deref()).map_err(|error| error.to_string())?;
            self.brain = Some(brain);
        }
        self.brain
            .as_mut()
            .ok_or_else(|| "no game is set; send `setoption name Game value SPEC` first".into())
    }

    fn set_position(&mut self, rest: &str) -> Result<(), String> {
        self.pos = None;
        let (base, moves) = match rest.split_once("moves") {
            Some((base, moves)) if base.is_empty() || base.ends_with(' ') => (base.trim(), moves.trim()),
            _ => (rest, ""),
        };
        let game = self.brain()?.game().clone();
        let mut pos = match base.strip_prefix("fen ") {
            Some(line) => game.read_position(line.trim()).map_err(|error| error.to_string())?,
            None if base == "startpos" => game
                .start()
                .ok_or_else(|| format!("{} has no start position; send `position fen LINE`", game.spec()))?,
            None => {
                return Err(
                    "write `position startpos` or `position fen LINE`, optionally followed by `moves …`"
                        .into(),
                );
            }
        };
        for word in moves.split_whitespace() {
            if game.outcome(&pos).is_some() {
                return Err(format!("the game is over before the move `{word}`"));
            }
            let mv = game.read_move(&pos, word).map_err(|error| error.to_string())?;
            pos = game.play(&pos, mv);
        }
        self.pos = Some(pos);
        Ok(())
    }

    /// The current position, or the start if none was set.
    fn at(&mut self) -> Result<AnyPosition, String> {
        if let Some(pos) = &self.pos {
            return Ok(pos.clone());
        }
        let game = self.brain()?.game();
        game.start().ok_or_else(|| format!("{} has no start position; send `position fen LINE`", game.spec()))
    }

    fn answer(&mut self, question: &str) -> Result<&'static str, String> {
        let pos = self.at()?;
        let game = self.brain()?.game();
        let outcome = game.outcome(&pos);
        let yes = |answer: bool| if answer { "true" } else { "false" };
        match question {
            "gameover" => Ok(yes(outcome.is_some())),
            "p1turn" => Ok(yes(game.turn(&pos) == Turn::First)),
            "result" => Ok(match outcome {
                None => "none",
                Some(0) => "draw",
                Some(payoff) if payoff > 0 => "p1win",
                Some(_) => "p2win",
            }),
            other => Err(format!("`{other}` is not a query; the queries are gameover, p1turn and result")),
        }
    }

    fn go(&mut self, rest: &str, out: &mut impl Write, monitor: &dyn Monitor) -> io::Result<()> {
        let began = Instant::now();
        let pos = match self.at() {
            Ok(pos) => pos,
            Err(why) => {
                writeln!(out, "info string error: {why}")?;
                return writeln!(out, "bestmove 0000");
            }
        };
        let Some(brain) = &mut self.brain else { return writeln!(out, "bestmove 0000") };
        let game = brain.game().clone();
        if game.outcome(&pos).is_some() || game.turn(&pos) == Turn::Chance {
            writeln!(
                out,
                "info string in this position no player is to move: the game is over or dice are to be rolled"
            )?;
            return writeln!(out, "bestmove 0000");
        }
        let budget = budget(rest, game.turn(&pos));
        let mut ready = 0;
        let thought =
            brain.think_while_reading(&pos, &budget, &mut self.input, monitor, &mut |line| match line {
                "stop" => InputAction::Stop,
                "isready" => {
                    ready += 1;
                    InputAction::Done
                }
                // A piped script that ends with `quit` still expects its answer.
                "quit" => InputAction::End,
                _ => InputAction::Later,
            });
        let ChosenMove { choice, note } = match thought {
            Ok(thought) => thought,
            Err(error) => {
                writeln!(out, "info string error: {error}")?;
                return writeln!(out, "bestmove 0000");
            }
        };
        if let Some(note) = note {
            writeln!(out, "info string {note}")?;
        }
        let best = game.write_move(&pos, choice.mv);
        let (mut at, mut line) = (pos.clone(), Vec::new());
        for &mv in &choice.line {
            line.push(game.write_move(&at, mv));
            at = game.play(&at, mv);
        }
        if line.is_empty() {
            line.push(best.clone());
        }
        let score = choice.opinion.map(|opinion| format!(" score cp {opinion:.0}")).unwrap_or_default();
        writeln!(
            out,
            "info depth {} nodes {} time {}{score} pv {}",
            choice.depth,
            choice.nodes,
            milliseconds(began),
            line.join(" ")
        )?;
        // `isready` during the search is answered before the move.
        for _ in 0..ready {
            writeln!(out, "readyok")?;
        }
        writeln!(out, "bestmove {best}")
    }
}

/// Parses the limits of `go`.
fn budget(rest: &str, turn: Turn) -> MoveLimits {
    let mut budget = MoveLimits::default();
    let (mut time, mut increment) = (None, 0u64);
    let mut words = rest.split_whitespace();
    let own = if turn == Turn::Second { ["p2time", "btime"] } else { ["p1time", "wtime"] };
    let own_increment = if turn == Turn::Second { ["p2inc", "binc"] } else { ["p1inc", "winc"] };
    while let Some(word) = words.next() {
        if word == "infinite" {
            budget.infinite = true;
            continue;
        }
        let Some(number) = words.next().and_then(|number| number.parse::<u64>().ok()) else { continue };
        match word {
            "movetime" => budget.time = Some(minus_overhead(Duration::from_millis(number))),
            "depth" => budget.depth = Some(number.clamp(1, 1000) as u32),
            "nodes" => budget.nodes = Some(number.max(1)),
            _ if own.contains(&word) => time = Some(number),
            _ if own_increment.contains(&word) => increment = number,
            _ => {}
        }
    }
    if let (Some(left), None) = (time, budget.time) {
        // 1/30 of the remaining time plus 80 % of the increment, at most half of the remaining time.
        let share = (left / 30).saturating_add(increment / 5 * 4).min(left / 2).max(1);
        budget.time = Some(minus_overhead(Duration::from_millis(share)));
    }
    budget
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_core::Native;
    use outplay_games::mnk::{Mnk, Rules};
    use outplay_players::PlayerContext;
    use outplay_runtime::NoMonitor;
    use std::io::Cursor;

    fn open(spec: &str) -> Result<Brain, String> {
        let rules = Rules::parse(spec).map_err(|error| error.to_string())?;
        let game: Mnk<u64> = Mnk::new(rules).ok_or("too large")?;
        let kit = PlayerContext::new(Native::new(game).lines());
        let kit = PlayerContext { truth: Some(std::sync::Arc::new(crate::brain::EmptyOracle)), ..kit };
        Ok(Brain::new(kit, Box::new(|_| false)))
    }

    fn said(script: &str) -> Vec<String> {
        let mut out = Vec::new();
        ugi(&open, "tictactoe", None, Cursor::new(script.to_string()), &mut out, &NoMonitor).unwrap();
        String::from_utf8(out).unwrap().lines().map(str::to_string).collect()
    }

    #[test]
    fn a_conversation() {
        let lines = said(
            "ugi\nisready\nposition startpos moves b2 a1\nquery p1turn\nquery gameover\nquery result\nquit\n",
        );
        assert!(lines[0].starts_with("id name outplay"));
        assert!(lines.iter().any(|line| line.starts_with("option name Game type string")));
        let end = lines.iter().position(|line| line == "ugiok").unwrap();
        assert_eq!(lines[end + 1..], ["readyok", "response true", "response false", "response none"]);
    }

    #[test]
    fn it_wins_when_it_can() {
        for go in ["go depth 3", "go movetime 50", "go nodes 100", "go p1time 1000 p2time 1000"] {
            let lines = said(&format!("position startpos moves a1 b1 a2 b2\n{go}\n"));
            assert_eq!(lines.last().unwrap(), "bestmove a3", "{go}");
            assert!(lines[0].contains("score cp 100 pv a3"), "{lines:?}");
        }
        let lines = said(
            "setoption name Game value connect4\nposition fen ......./......./......./......./ooo..../xxx.... moves 7\ngo depth 2\n",
        );
        assert_eq!(lines.last().unwrap(), "bestmove 4");
    }

    #[test]
    fn finished_games_and_invalid_commands_are_reported() {
        let lines = said("position startpos moves a1 b1 a2 b2 a3\nquery gameover\nquery result\ngo\n");
        assert_eq!(lines[..2], ["response true", "response p1win"]);
        assert_eq!(lines.last().unwrap(), "bestmove 0000");
        for nonsense in [
            "position nowhere",
            "position startpos moves z9",
            "setoption name Game value nonsense",
            "query what",
            "hm",
            "setoption x",
        ] {
            let lines = said(&format!("{nonsense}\nisready\n"));
            assert!(lines[0].starts_with("info string error: "), "{nonsense}: {lines:?}");
            assert_eq!(lines[1], "readyok");
        }
    }

    #[test]
    fn replaced_player_is_reported() {
        let go = "position startpos moves b2\ngo movetime 100\n";
        let lines = said(&format!("setoption name Player value perfect\n{go}"));
        let note = "info string player `perfect` returned no move (the exact value of this position is not available); `greedy` moves instead";
        assert_eq!(lines[0], note);
        assert!(lines.last().unwrap().starts_with("bestmove "), "{lines:?}");
        let lines = said(&format!("setoption name Player value alphabeta:depth=2\n{go}"));
        assert!(lines[0].starts_with("info depth 2 "), "{lines:?}");
    }

    /// The depth and the move of an answer.
    fn answer(lines: &[String]) -> (u32, String) {
        let info = lines.iter().find(|line| line.starts_with("info depth ")).unwrap();
        let depth = info.split(' ').nth(2).unwrap().parse().unwrap();
        (depth, lines.last().unwrap().strip_prefix("bestmove ").unwrap().to_string())
    }

    /// A position of Connect-4 in which only 4 and 6 win, and 3, the choice of a one-ply player, loses.
    const WON: &str =
        "setoption name Game value connect4\nposition startpos moves 1 2 5 5 6 7 1 1 2 2 7 7 6\n";

    #[test]
    fn stopped_search_plays_the_move_that_it_found() {
        for player in ["alphabeta:time=10s", "mcts:time=10s", "noisy:p=0,inner=alphabeta:time=10s", "auto"] {
            let lines = said(&format!("setoption name Player value {player}\n{WON}go movetime 300\n"));
            let (depth, mv) = answer(&lines);
            assert!(["4", "6"].contains(&mv.as_str()), "{player}: {lines:?}");
            assert!(depth > 4 || player.starts_with("mcts"), "{player}: {lines:?}");
        }
    }

    #[test]
    fn infinite_search_is_answered_when_it_is_stopped() {
        for player in ["alphabeta:time=10s", "alphabeta:depth=2", "mcts:time=10s", "auto"] {
            let (input, mut host) = std::io::pipe().unwrap();
            let script = format!("setoption name Player value {player}\n{WON}go infinite\n");
            let talk = std::thread::spawn(move || {
                host.write_all(script.as_bytes()).unwrap();
                std::thread::sleep(Duration::from_millis(300));
                host.write_all(b"stop\nquit\n").unwrap();
            });
            let (began, mut out) = (Instant::now(), Vec::new());
            let input = std::io::BufReader::new(input);
            ugi(&open, "tictactoe", None, input, &mut out, &NoMonitor).unwrap();
            talk.join().unwrap();
            let lines: Vec<String> = String::from_utf8(out).unwrap().lines().map(str::to_string).collect();
            let (depth, mv) = answer(&lines);
            assert!(began.elapsed() >= Duration::from_millis(300), "{player}: {lines:?}");
            assert!(depth == 2 || ["4", "6"].contains(&mv.as_str()), "{player}: {lines:?}");
        }
    }

    /// A search of great depth ends soon after the input; the answer reports the depth that was searched.
    #[test]
    fn search_ends_with_the_input() {
        let began = Instant::now();
        let lines = said("setoption name Game value mnk:7x7,k=5\nposition startpos moves d4\ngo depth 60\n");
        assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
        let (depth, _) = answer(&lines);
        assert!((1..60).contains(&depth), "{lines:?}");
    }

    #[test]
    fn infinite_search_ends_with_the_input() {
        let lines = said("position startpos\ngo infinite\n");
        assert!(lines.last().unwrap().starts_with("bestmove "), "{lines:?}");
    }
}
