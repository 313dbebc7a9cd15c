//! The terminal as a whole screen: taken at the beginning, given back whatever happens.

use ratatui_core::terminal::Terminal;
use ratatui_crossterm::CrosstermBackend;
use ratatui_crossterm::crossterm::event::{DisableMouseCapture, EnableMouseCapture};
use ratatui_crossterm::crossterm::execute;
use ratatui_crossterm::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use std::io::{self, Stdout, stdout};

pub(crate) type Screen = Terminal<CrosstermBackend<Stdout>>;

/// Runs `play` on the whole screen.
///
/// # Errors
///
/// The terminal cannot be used, or `play` fails.
pub(crate) fn with_screen(play: impl FnOnce(&mut Screen) -> io::Result<()>) -> io::Result<()> {
    // What a panic says would be lost on a screen that is about to vanish.
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
    // A terminal that is gone needs nothing back.
    let _ = execute!(stdout(), DisableMouseCapture, LeaveAlternateScreen);
    let _ = disable_raw_mode();
}
