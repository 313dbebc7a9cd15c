//! `outplay play` as somebody at a terminal meets it: keys go in through a pseudo-terminal, and a terminal
//! emulator reads the screen.

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use serde_json::Value;
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Long enough for a machine that is busy with something else.
const PATIENCE: Duration = Duration::from_secs(40);

struct Terminal {
    screen: Arc<Mutex<vt100::Parser>>,
    keys: Box<dyn Write + Send>,
    master: Box<dyn MasterPty + Send>,
    child: Box<dyn Child + Send + Sync>,
    _data: tempfile::TempDir,
}

fn cells(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).unwrap()
}

fn size(cols: u16, rows: u16) -> PtySize {
    PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }
}

impl Terminal {
    fn play(words: &[&str]) -> Terminal {
        let data = tempfile::tempdir().unwrap();
        let pair = native_pty_system().openpty(size(80, 24)).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_outplay"));
        command.args(["play"]);
        command.args(words);
        command.env("OUTPLAY_DATA", data.path());
        command.env("TERM", "xterm-256color");
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let screen = Arc::new(Mutex::new(vt100::Parser::new(cells(24), cells(80), 0)));
        let mut output = pair.master.try_clone_reader().unwrap();
        let shown = Arc::clone(&screen);
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = output.read(&mut buffer) {
                shown.lock().unwrap().process(&buffer[..read]);
            }
        });
        let keys = pair.master.take_writer().unwrap();
        Terminal { screen, keys, master: pair.master, child, _data: data }
    }

    fn text(&self) -> String {
        self.screen.lock().unwrap().screen().contents()
    }

    /// The screen once it is as wanted. A frame arrives in pieces, so everything a test looks for on one
    /// screen belongs in `seen`: what is missing may be on its way.
    fn wait(&self, what: &str, seen: impl Fn(&str) -> bool) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let text = self.text();
            if seen(&text) {
                return text;
            }
            assert!(Instant::now() < deadline, "waited for {what}; the screen shows:\n{text}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn expect(&self, text: &str) -> String {
        self.wait(text, |screen| screen.contains(text))
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    fn end(mut self) {
        self.press("q");
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                assert!(status.success(), "{status:?}");
                return;
            }
            assert!(Instant::now() < deadline, "q does not quit");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[test]
fn a_whole_game_with_an_illegal_move_undo_and_resize() {
    let mut terminal = Terminal::play(&["tictactoe", "--second", "human"]);
    terminal.expect("First to move (you).");
    // The cursor begins in the middle.
    terminal.press("\r");
    terminal.expect("Second to move (you).");
    terminal.expect("moves: b2");
    terminal.press("b2\r");
    terminal.expect("error: move `b2`");
    terminal.press("a1\r");
    terminal.expect("moves: b2 a1");
    terminal.press("u");
    terminal.wait("the move to be taken back", |text| {
        !text.contains("moves: b2 a1") && text.contains("moves: b2")
    });
    terminal.press("r");
    terminal.expect("moves: b2 a1");
    terminal.press("u");
    terminal.wait("the move to be taken back", |text| !text.contains("moves: b2 a1"));
    // Left and up from the middle is a3.
    terminal.press("\x1b[D\x1b[A\r");
    terminal.expect("moves: b2 a3");

    terminal.master.resize(size(120, 40)).unwrap();
    terminal.screen.lock().unwrap().set_size(cells(40), cells(120));
    terminal.wait("the screen to fill its new size", |text| {
        text.lines().count() == 40 && text.lines().last().is_some_and(|line| line.contains("q quit"))
    });
    terminal.master.resize(size(50, 18)).unwrap();
    terminal.screen.lock().unwrap().set_size(cells(18), cells(50));
    terminal.wait("the screen to shrink", |text| {
        text.lines().count() == 18 && text.contains("moves: b2 a3") && text.contains("tictactoe")
    });

    for (mv, so_far) in
        [("a1", "b2 a3 a1"), ("c3", "b2 a3 a1 c3"), ("b1", "b2 a3 a1 c3 b1"), ("b3", "b2 a3 a1 c3 b1 b3")]
    {
        terminal.press(&format!("{mv}\r"));
        terminal.expect(&format!("moves: {so_far}"));
    }
    terminal.wait("the end", |text| text.contains("The game is over") && text.contains("Second"));
    terminal.press("a2\r");
    terminal.expect("the game is over; press n for a new game");
    terminal.press("n");
    terminal.expect("First to move (you).");
    terminal.end();
}

#[test]
fn the_mouse_drops_a_stone_and_values_are_shown() {
    let mut terminal = Terminal::play(&["connect4:4x4", "--second", "human", "--values"]);
    let text = terminal.wait("the board, its value and those of its moves", |text| {
        text.contains("value: draw")
            && (text.contains('✗') || text.contains('='))
            && text.lines().any(|line| line.trim_start().starts_with("4 "))
    });
    // A click on the board's third column, in the way terminals report it: rows and columns from 1.
    let board_row = text.lines().position(|line| line.trim_start().starts_with("4 ")).unwrap() + 1;
    let column = 3 + 2 * 7 + 4;
    terminal.press(&format!("\x1b[<0;{column};{board_row}M\x1b[<0;{column};{board_row}m"));
    terminal.expect("moves: 3");
    terminal.press("?");
    terminal.expect("undo / redo");
    terminal.press("\x1b");
    terminal.press("h");
    terminal.expect("hint: ");
    terminal.end();
}

#[test]
fn nobody_beats_the_perfect_player() {
    let mut terminal = Terminal::play(&["tictactoe", "--seed", "3"]);
    for _ in 0..5 {
        let text = terminal.wait("my turn or the end", |text| {
            text.contains("First to move (you).") || text.contains("The game is over")
        });
        if text.contains("The game is over") {
            break;
        }
        terminal.press("h");
        let hinted = |text: &str| {
            let hint = text.split("hint: ").nth(1)?.split_whitespace().next()?;
            (hint.len() == 2).then(|| hint.to_string())
        };
        let text = terminal.wait("a hint", |text| hinted(text).is_some());
        let hint = hinted(&text).unwrap();
        terminal.press(&format!("{hint}\r"));
        terminal.wait("the move to be made", |text| !text.contains("hint: "));
    }
    terminal.expect("The game is over: a draw.");
    terminal.end();
}

#[test]
fn an_ending_begins_with_a_puzzle_and_dice_are_told() {
    let terminal = Terminal::play(&["chess:KQK", "--second", "human"]);
    terminal.wait("a task on a board whose columns are named", |text| {
        let asks = |side: &str| text.contains(&format!("{side} to move: "));
        text.contains("to move (you).") && (asks("White") || asks("Black")) && text.contains(" h")
    });
    terminal.end();

    let mut terminal = Terminal::play(&["pig:20", "--second", "human", "--values"]);
    terminal.expect("[ roll ]");
    terminal.expect(" % for First");
    terminal.press("1");
    terminal.expect("the dice show ");
    terminal.end();

    // Points are named, so that a move can be typed.
    let mut terminal = Terminal::play(&["morris:tapatan", "--second", "human"]);
    terminal.wait("names of columns", |text| {
        text.contains('a') && text.lines().any(|line| line.starts_with(" 3"))
    });
    terminal.press("c3\r");
    terminal.expect("moves: c3");
    terminal.end();
}

/// Plays through pipes: what goes in, what comes out, the exit code.
fn piped(words: &[&str], input: &str) -> (String, Option<i32>) {
    let data = tempfile::tempdir().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_outplay"))
        .arg("play")
        .args(words)
        .env("OUTPLAY_DATA", data.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // A player that is refused does not read its input.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.code())
}

#[test]
fn without_a_terminal_it_is_a_prompt() {
    let (text, code) = piped(
        &["tictactoe", "--second", "human"],
        "b2\nb2\nundo\nhint\nvalues\nc3\nc1\nmoves\nredo\nquit\na1\n",
    );
    assert_eq!(code, Some(0));
    for says in [
        "First to move (you).",
        "Second to move (you).",
        "error: move `b2`",
        "hint: ",
        "value: draw",
        "there is no move to redo",
    ] {
        assert!(text.contains(says), "{says:?} in {text}");
    }
    let (text, code) = piped(&["connect4:4x4", "--second", "human", "--json"], "1\n2\n1\n2\n1\n2\n1\n");
    assert_eq!(code, Some(0));
    let end: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(end["outcome"], 1);
    assert_eq!(end["moves"].as_array().unwrap().len(), 7);
    let (text, code) = piped(&["nim:3+4+5", "--first", "perfect", "--second", "random", "--seed", "7"], "");
    assert_eq!(code, Some(0));
    assert!(text.contains("The game is over: First (perfect) wins."), "{text}");
    let (_, code) = piped(&["tictactoe", "--second", "nobody"], "");
    assert_eq!(code, Some(2));
}
