//! `outplay play` at a terminal: keys go in through a pseudo-terminal, and a terminal emulator reads the screen.

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
        Terminal::play_with(words, &[])
    }

    fn play_with(words: &[&str], variables: &[(&str, &str)]) -> Terminal {
        let data = tempfile::tempdir().unwrap();
        let pair = native_pty_system().openpty(size(80, 24)).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_outplay"));
        command.args(["play"]);
        command.args(words);
        command.env("OUTPLAY_DATA", data.path());
        command.env("TERM", "xterm-256color");
        command.env_remove("COLORTERM");
        command.env_remove("NO_COLOR");
        variables.iter().for_each(|(name, value)| command.env(name, value));
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

    /// Closes the box that shows `text`. Escape and the next key would be one key if they came together.
    fn close(&mut self, text: &str) {
        self.press("\x1b");
        self.wait("the box to close", |screen| !screen.contains(text));
    }

    fn resize(&self, cols: u16, rows: u16) {
        self.master.resize(size(cols, rows)).unwrap();
        self.screen.lock().unwrap().set_size(cells(rows), cells(cols));
    }

    /// Quits; returns what stays on the ordinary screen.
    fn end(mut self) -> String {
        self.press("q");
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                assert!(status.success(), "{status:?}");
                // The last output may still be on its way to the emulator.
                let left = self.wait("the ordinary screen", |text| !text.contains("? help"));
                std::thread::sleep(Duration::from_millis(100));
                return if self.text().is_empty() { left } else { self.text() };
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

    terminal.resize(120, 40);
    terminal.wait("the screen to fill its new size", |text| {
        text.lines().count() == 40 && text.lines().nth_back(1).is_some_and(|line| line.contains("q quit"))
    });
    terminal.resize(50, 18);
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
    terminal.expect("the game is over; press n for");
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
    // The middle of the third cell of seven columns, after the four of the margin.
    let column = 4 + 2 * 7 + 4;
    terminal.press(&format!("\x1b[<0;{column};{board_row}M\x1b[<0;{column};{board_row}m"));
    terminal.expect("moves: 3");
    terminal.press("?");
    terminal.expect("take back moves");
    terminal.close("take back moves");
    terminal.press("h");
    terminal.expect("hint: ");
    terminal.end();
}

#[test]
fn nobody_beats_the_perfect_player() {
    let mut terminal = Terminal::play(&["tictactoe", "--second", "perfect", "--seed", "3"]);
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
fn an_ending_begins_with_a_puzzle_and_dice_are_shown() {
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

/// Whether the whole board is shown: each of its rows and the last of its columns, and the keys at the bottom.
fn shows_gomoku(text: &str) -> bool {
    let row = |number: usize| text.lines().any(|line| line.starts_with(&format!("{number:>2} ")));
    let names = |line: &str| {
        line.split_whitespace().take(15).eq("abcdefghijklmno".split("").filter(|c| !c.is_empty()))
    };
    (1..=15).all(row) && text.lines().any(names) && text.contains("? help") && text.contains("q quit")
}

#[test]
fn gomoku_fits_small_and_large_terminals() {
    let mut terminal = Terminal::play(&["mnk:15x15,k=5", "--second", "human"]);
    let text = terminal.wait("all 15 rows", shows_gomoku);
    for keys in [
        "u undo", "r redo", "h hint", "v values", "w why", "l level", "s sides", "n new", "i info", "p rules",
    ] {
        assert!(text.contains(keys), "{keys} in {text}");
    }
    for (cols, rows) in [(60, 20), (200, 60), (80, 24)] {
        terminal.resize(cols, rows);
        terminal.wait("all 15 rows", |text| text.lines().count() == usize::from(rows) && shows_gomoku(text));
    }
    terminal.press("\r");
    terminal.expect("moves: h8");
    terminal.end();
}

#[test]
fn the_opponent_has_a_level_and_sides_can_be_exchanged() {
    let mut terminal = Terminal::play(&["tictactoe", "--seed", "1"]);
    // Nine levels: the middle one is the default.
    let text = terminal.wait("the opponent", |text| text.contains("Second: level 5, "));
    assert!(text.contains("First: you"), "{text}");
    terminal.press("l");
    terminal.expect("1 Random");
    terminal.press("1");
    terminal.expect("Second: level 1, Random");
    terminal.press("s");
    terminal.wait("the opponent's move", |text| {
        text.contains("First: level 1, Random") && text.contains("First (level 1, Random) plays ")
    });
    terminal.press("p");
    terminal.expect("three in a row");
    terminal.close("three in a row");
    terminal.press("w");
    terminal.expect("Best play: ");
    terminal.close("Best play: ");
    terminal.end();

    let terminal = Terminal::play(&["connect4:5x4", "--level", "careless", "--side", "second"]);
    terminal.expect("First: level 2, Careless");
    terminal.end();
}

#[test]
fn a_move_is_one_line_and_statistics_are_shown_on_request() {
    let mut terminal = Terminal::play(&["connect4:5x4", "--level", "strong", "--seed", "1"]);
    terminal.expect("First to move (you).");
    terminal.press("3");
    let text = terminal.wait("a move and its opinion", |text| text.contains("plays") && text.contains('≈'));
    assert!(!text.contains("evaluations") && !text.contains("cut-offs"), "{text}");
    terminal.press("i");
    terminal.wait("statistics", |text| text.contains("depth 6") && text.contains("beta cut-offs"));
    terminal.press("i");
    terminal.wait("statistics to be hidden", |text| !text.contains("cut-offs"));
    terminal.end();
}

#[test]
fn the_cursor_begins_on_a_free_cell_and_skips_obstacles() {
    let mut terminal = Terminal::play(&["mnk:5x5,k=4,obstacles=c3+d2", "--second", "human"]);
    terminal.expect("First to move (you).");
    terminal.press("\r");
    let text = terminal.wait("a move", |text| text.contains("moves: ") || text.contains("error"));
    assert!(!text.contains("error"), "{text}");
    terminal.end();
}

#[test]
fn the_summary_stays_on_the_screen() {
    let mut terminal = Terminal::play(&["tictactoe", "--second", "human"]);
    terminal.expect("First to move (you).");
    terminal.press("b2\rb1\ra1\rc3\ra2\rc2\ra3\r");
    terminal.expect("Second lost the draw at move 2: b1; ");
    let left = terminal.end();
    for part in [
        "x x o",
        "The game is over: First (you) wins.",
        "Moves: 1. b2 b1 3. a1 c3 5. a2 c2 7. a3",
        "Second lost the draw at move 2: b1; ",
        "outplay history tictactoe --moves b2,b1,a1,c3,a2,c2,a3",
    ] {
        assert!(left.replace(' ', "").contains(&part.replace(' ', "")), "{part} in {left}");
    }

    // A game that is not over, with values that are out of reach.
    let mut terminal = Terminal::play(&["mnk:15x15,k=5", "--second", "human"]);
    terminal.expect("First to move (you).");
    terminal.press(":h8\r");
    terminal.expect("moves: h8");
    terminal.press(":h9\r");
    terminal.expect("moves: h8 h9");
    let left = terminal.end();
    assert!(left.contains("The game is not finished.") && left.contains("unknown"), "{left}");
}

#[test]
fn chess_moves_are_in_algebraic_notation() {
    let position = "8/8/8/3k4/8/8/7Q/K7 w - - 0 1";
    let mut terminal =
        Terminal::play(&["chess:KQK", "--position", position, "--second", "human", "--values"]);
    terminal.expect("White to move (you).");
    // A coordinate move, and the best move from the list of values.
    terminal.press(":h2h5\r");
    let text = terminal.wait("the move", |text| text.contains("moves: Qh5+") && text.contains("Kd4 "));
    assert!(!text.contains("h2h5") && !text.contains("d5d4"), "{text}");
    terminal.press("h");
    terminal.wait("a hint", |text| text.contains("hint: K"));
    terminal.press("w");
    let text = terminal.expect("Best play: K");
    assert!(!text.contains("d5d4") && !text.contains("d5e4"), "{text}");
    terminal.close("Best play: ");
    let left = terminal.end();
    assert!(left.contains("Moves: 1. Qh5+"), "{left}");
}

#[test]
fn colours_suit_the_terminal() {
    let check = |variables: &[(&str, &str)], allowed: fn(vt100::Color) -> bool| {
        let mut terminal = Terminal::play_with(&["tictactoe", "--second", "human", "--values"], variables);
        terminal.expect("First to move (you).");
        terminal.press("b2\r");
        terminal.wait("values", |text| text.contains("moves: b2") && text.contains("value: draw"));
        {
            let parser = terminal.screen.lock().unwrap();
            for (row, column) in (0..24).flat_map(|row| (0..80).map(move |column| (row, column))) {
                let colour = parser.screen().cell(row, column).unwrap().fgcolor();
                assert!(allowed(colour), "{colour:?} with {variables:?}");
            }
        }
        terminal.end();
    };
    check(&[], |colour| !matches!(colour, vt100::Color::Rgb(..) | vt100::Color::Idx(16..)));
    check(&[("COLORTERM", "truecolor")], |colour| !matches!(colour, vt100::Color::Idx(_)));
    check(&[("COLORTERM", "truecolor"), ("NO_COLOR", "1")], |colour| colour == vt100::Color::Default);
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
    assert!(text.contains("The game is over: First (level 9, Perfect) wins."), "{text}");
    let (_, code) = piped(&["tictactoe", "--second", "nobody"], "");
    assert_eq!(code, Some(2));
}

/// The moves of a game between two random players.
fn rolled(options: &[&str]) -> Value {
    let words = ["pig:50", "--first", "random", "--second", "random", "--json"];
    let (text, code) = piped(&[&words, options].concat(), "");
    assert_eq!(code, Some(0));
    serde_json::from_str::<Value>(&text).unwrap()["moves"].clone()
}

#[test]
fn dice_are_random_unless_seeded() {
    assert_ne!(rolled(&[]), rolled(&[]));
    assert_eq!(rolled(&["--seed", "7"]), rolled(&["--seed", "7"]));
}

#[test]
fn the_prompt_has_levels_sides_and_one_line_a_move() {
    let (text, code) = piped(
        &["connect4:5x4", "--seed", "1"],
        "3\ninfo\nlevel strong\nlevel 99\nrules\nwhy\nlevels\nsides\nquit\n",
    );
    assert_eq!(code, Some(0));
    let after: Vec<&str> = text.lines().skip_while(|line| !line.contains(") plays ")).collect();
    assert!(after[0].starts_with("Second (level 5, ") && after[0].contains("(≈ "), "{text}");
    // The board follows at once: statistics are printed by `info`.
    assert!(after[1].contains('.'), "{text}");
    for says in ["positions", ", Strong)", "no such level", "four in a row", "1 Random"] {
        assert!(text.contains(says), "{says:?} in {text}");
    }
}
