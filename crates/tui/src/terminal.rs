//! Terminal setup: alternate screen, raw mode and mouse capture, restored on every exit path.

use ratatui_core::terminal::Terminal;
use ratatui_crossterm::CrosstermBackend;
use ratatui_crossterm::crossterm::event::{DisableMouseCapture, EnableMouseCapture};
use ratatui_crossterm::crossterm::execute;
use ratatui_crossterm::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use std::io::{self, Stdout, stdout};

pub(crate) type Screen = Terminal<CrosstermBackend<Stdout>>;

/// Runs `play` on the alternate screen.
///
/// # Errors
///
/// The terminal cannot be used, or `play` fails.
pub(crate) fn with_screen<T>(play: impl FnOnce(&mut Screen) -> io::Result<T>) -> io::Result<T> {
    // A panic message printed on the alternate screen would be lost, so the hook restores the terminal first.
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        give_back();
        before(panic);
    }));
    let result = take().and_then(|mut screen| play(&mut screen));
    give_back();
    result
}

fn take() -> io::Result<Screen> {
    enable_raw_mode()?;
    execute!(stdout(), EnterAlternateScreen, EnableMouseCapture)?;
    Terminal::new(CrosstermBackend::new(stdout()))
}

fn give_back() {
    // A closed terminal needs no restoring.
    let _ = execute!(stdout(), DisableMouseCapture, LeaveAlternateScreen);
    let _ = disable_raw_mode();
}
