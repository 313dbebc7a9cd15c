//! Dialog boxes over the board: scrolling texts, and lists to choose from.

use crate::paint;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Modifier, Style};
use ratatui_core::symbols::border;
use ratatui_core::text::Line;
use ratatui_crossterm::crossterm::event::KeyCode;

/// Widest box, in columns: longer lines are hard to read.
const WIDEST: u16 = 76;

/// A box over the board.
pub(crate) struct Overlay {
    title: &'static str,
    lines: Vec<String>,
    /// The first visible line.
    scroll: usize,
    /// The selected line, if lines can be chosen.
    selected: Option<usize>,
    /// Lines that fit the box, as it was last drawn, and all of them.
    fitting: (usize, usize),
}

/// The effect of a key on a box.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OverlayKey {
    /// It stays.
    Stay,
    /// It closes.
    Close,
    /// It closes, and this line was chosen.
    Choose(usize),
}

impl Overlay {
    /// A text to read.
    pub(crate) fn text(title: &'static str, lines: Vec<String>) -> Overlay {
        Overlay { title, lines, scroll: 0, selected: None, fitting: (1, 1) }
    }

    /// A list to choose from.
    pub(crate) fn list(title: &'static str, lines: Vec<String>, selected: usize) -> Overlay {
        Overlay { selected: Some(selected), ..Overlay::text(title, lines) }
    }

    /// Handles a key. A text is closed by every key that does not scroll it.
    pub(crate) fn key(&mut self, code: KeyCode) -> OverlayKey {
        let step: isize = match code {
            KeyCode::Up => -1,
            KeyCode::Down => 1,
            KeyCode::PageUp => -10,
            KeyCode::PageDown => 10,
            _ => 0,
        };
        let last = self.lines.len().saturating_sub(1);
        match (self.selected, code) {
            (Some(selected), _) if step != 0 => {
                self.selected = Some(selected.saturating_add_signed(step).min(last));
                OverlayKey::Stay
            }
            (Some(selected), KeyCode::Enter | KeyCode::Char(' ')) => OverlayKey::Choose(selected),
            (Some(_), KeyCode::Char(digit @ '1'..='9')) => {
                OverlayKey::Choose((digit as usize - '1' as usize).min(last))
            }
            (None, _) if step != 0 && self.fitting.0 < self.fitting.1 => {
                self.scroll = self.scroll.saturating_add_signed(step).min(self.fitting.1 - self.fitting.0);
                OverlayKey::Stay
            }
            _ => OverlayKey::Close,
        }
    }

    /// Draws the box in the middle of the screen.
    pub(crate) fn draw(&mut self, screen: Rect, buffer: &mut Buffer) {
        let wide = WIDEST.min(screen.width);
        let mut lines = Vec::new();
        for (at, line) in self.lines.iter().enumerate() {
            let style = match self.selected == Some(at) {
                true => Style::new().add_modifier(Modifier::REVERSED),
                false => Style::new(),
            };
            if self.selected == Some(at) {
                self.scroll = self.scroll.min(lines.len());
                if self.fitting.0 > 1 && lines.len() >= self.scroll + self.fitting.0 {
                    self.scroll = lines.len() + 1 - self.fitting.0;
                }
            }
            lines.extend(paint::folded(&Line::styled(line.as_str(), style), wide.saturating_sub(4)));
        }
        let tall = (lines.len() as u16 + 2).min(screen.height);
        self.fitting = (usize::from(tall.saturating_sub(2)), lines.len());
        self.scroll = self.scroll.min(self.fitting.1.saturating_sub(self.fitting.0));
        let left = screen.x + (screen.width - wide) / 2;
        let place = Rect::new(left, screen.y + (screen.height - tall) / 2, wide, tall);
        paint::clear(place, buffer);
        paint::frame(place, border::PLAIN, self.title, Style::new(), buffer);
        let inside = Rect::new(place.x + 2, place.y + 1, wide.saturating_sub(4), tall.saturating_sub(2));
        let more = self.scroll + self.fitting.0 < self.fitting.1;
        paint::text(lines.into_iter().skip(self.scroll), inside, buffer);
        if more && wide > 12 {
            buffer.set_string(place.x + 2, place.bottom() - 1, " ↓ more ", Style::new());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_scroll_and_short_ones_close() {
        let screen = Rect::new(0, 0, 30, 6);
        let mut buffer = Buffer::empty(screen);
        let mut overlay = Overlay::text(" rules ", (0..9).map(|n| format!("line {n}")).collect());
        overlay.draw(screen, &mut buffer);
        assert_eq!(overlay.key(KeyCode::PageDown), OverlayKey::Stay);
        overlay.draw(screen, &mut buffer);
        let row: String = (0..30).map(|x| buffer[(x, 4)].symbol()).collect();
        assert!(row.contains("line 8"), "{row}");
        assert_eq!(overlay.key(KeyCode::Esc), OverlayKey::Close);
        let mut short = Overlay::text(" why ", vec!["a".into()]);
        short.draw(screen, &mut buffer);
        assert_eq!(short.key(KeyCode::Down), OverlayKey::Close);
    }

    #[test]
    fn a_level_is_chosen_by_arrows_or_its_number() {
        let levels = (1..=9).map(|number| format!("{number} player{number}")).collect();
        let screen = Rect::new(0, 0, 40, 6);
        let mut buffer = Buffer::empty(screen);
        let mut overlay = Overlay::list(" level ", levels, 2);
        overlay.draw(screen, &mut buffer);
        assert_eq!(overlay.key(KeyCode::Enter), OverlayKey::Choose(2));
        assert_eq!(overlay.key(KeyCode::Char('9')), OverlayKey::Choose(8));
        (0..20).for_each(|_| assert_eq!(overlay.key(KeyCode::Down), OverlayKey::Stay));
        overlay.draw(screen, &mut buffer);
        let row: String = (0..40).map(|x| buffer[(x, 4)].symbol()).collect();
        assert!(row.contains("player9"), "{row}");
        assert_eq!(overlay.key(KeyCode::Enter), OverlayKey::Choose(8));
    }
}
