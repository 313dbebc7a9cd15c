//! Drawing primitives of the full-screen interface: frames, line wrapping and colours.

use crate::board;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Style};
use ratatui_core::symbols::border::Set;
use ratatui_core::text::{Line, Span};

/// Number of colours that a terminal can show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColourDepth {
    /// None: brackets, symbols and brightness carry the meaning.
    None,
    /// The 16 colours of the terminal's theme.
    Sixteen,
    /// 24-bit colours.
    True,
}

impl ColourDepth {
    /// Reads the environment: `NO_COLOR` (<https://no-color.org>), `TERM=dumb`, and `COLORTERM`, with which terminals
    /// announce 24-bit colours.
    pub fn of_environment(variable: impl Fn(&str) -> Option<String>) -> ColourDepth {
        let is = |name: &str, test: fn(&str) -> bool| variable(name).is_some_and(|value| test(&value));
        if is("NO_COLOR", |value| !value.is_empty()) || is("TERM", |value| value == "dumb") {
            return ColourDepth::None;
        }
        match is("COLORTERM", |value| matches!(value, "truecolor" | "24bit")) {
            true => ColourDepth::True,
            false => ColourDepth::Sixteen,
        }
    }
}

/// Replaces colours that the terminal cannot show.
pub(crate) fn limit_colours(buffer: &mut Buffer, depth: ColourDepth) {
    let limited = |colour: Color| match (depth, colour) {
        (ColourDepth::True, colour) => colour,
        (ColourDepth::None, _) => Color::Reset,
        (ColourDepth::Sixteen, board::WIN) => Color::Green,
        (ColourDepth::Sixteen, board::DRAW) => Color::Yellow,
        (ColourDepth::Sixteen, board::LOSS) => Color::Red,
        (ColourDepth::Sixteen, board::FIRST) => Color::LightCyan,
        (ColourDepth::Sixteen, board::SECOND) => Color::LightMagenta,
        (ColourDepth::Sixteen, Color::Rgb(..)) => Color::Reset,
        (ColourDepth::Sixteen, Color::Indexed(16..)) => Color::DarkGray,
        (ColourDepth::Sixteen, colour) => colour,
    };
    for cell in &mut buffer.content {
        (cell.fg, cell.bg) = (limited(cell.fg), limited(cell.bg));
    }
}

/// Draws a frame around an area, with a title in it.
pub(crate) fn frame(area: Rect, lines: Set<'_>, title: &str, style: Style, buffer: &mut Buffer) {
    let (Some(right), Some(bottom)) = (area.right().checked_sub(1), area.bottom().checked_sub(1)) else {
        return;
    };
    if area.is_empty() {
        return;
    }
    for x in area.left()..area.right() {
        buffer.set_string(x, area.y, lines.horizontal_top, style);
        buffer.set_string(x, bottom, lines.horizontal_bottom, style);
    }
    for y in area.top()..area.bottom() {
        buffer.set_string(area.x, y, lines.vertical_left, style);
        buffer.set_string(right, y, lines.vertical_right, style);
    }
    buffer.set_string(area.x, area.y, lines.top_left, style);
    buffer.set_string(right, area.y, lines.top_right, style);
    buffer.set_string(area.x, bottom, lines.bottom_left, style);
    buffer.set_string(right, bottom, lines.bottom_right, style);
    buffer.set_stringn(area.x + 1, area.y, title, usize::from(area.width).saturating_sub(2), style);
}

/// Clears an area.
pub(crate) fn clear(area: Rect, buffer: &mut Buffer) {
    area.intersection(buffer.area).positions().for_each(|place| buffer[place].reset());
}

/// Draws lines from the top of an area, clipped to it.
pub(crate) fn text<'a>(lines: impl IntoIterator<Item = Line<'a>>, area: Rect, buffer: &mut Buffer) {
    for (y, line) in (area.top()..area.bottom()).zip(lines) {
        buffer.set_line(area.x, y, &line, area.width);
    }
}

/// Wraps a line at `width` columns, between words where possible.
pub(crate) fn folded<'a>(line: &Line<'a>, width: u16) -> Vec<Line<'a>> {
    let width = usize::from(width.max(1));
    let text: String = line.spans.iter().map(|span| span.content.as_ref()).collect();
    // Only lines of one style are wrapped, so all spans have the style of the first.
    let style = line.spans.first().map_or(line.style, |span| line.style.patch(span.style));
    let mut lines = Vec::new();
    let mut now = String::new();
    for word in text.split_inclusive(' ') {
        if !now.is_empty() && wide(&now) + wide(word.trim_end()) > width {
            lines.push(std::mem::take(&mut now));
        }
        for letter in word.chars() {
            if wide(&now) + wide(letter.encode_utf8(&mut [0; 4])) > width && letter != ' ' {
                lines.push(std::mem::take(&mut now));
            }
            now.push(letter);
        }
    }
    lines.push(now);
    lines.into_iter().map(|line| Line::styled(line, style)).collect()
}

/// Width of a text in columns.
fn wide(text: &str) -> usize {
    Span::raw(text).width()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui_core::symbols::border;

    fn rows(buffer: &Buffer) -> Vec<String> {
        let row = |y| (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
        (0..buffer.area.height).map(row).collect()
    }

    #[test]
    fn colours_follow_the_environment() {
        let check = |set: &[(&str, &str)], depth| {
            let variable =
                |name: &str| set.iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_string());
            assert_eq!(ColourDepth::of_environment(variable), depth, "{set:?}");
            let mut buffer = Buffer::empty(Rect::new(0, 0, 1, 1));
            buffer[(0, 0)].fg = board::LOSS;
            limit_colours(&mut buffer, depth);
            buffer[(0, 0)].fg
        };
        assert_eq!(check(&[], ColourDepth::Sixteen), Color::Red);
        assert_eq!(check(&[("COLORTERM", "truecolor"), ("NO_COLOR", "")], ColourDepth::True), board::LOSS);
        assert_eq!(check(&[("COLORTERM", "24bit"), ("NO_COLOR", "1")], ColourDepth::None), Color::Reset);
        assert_eq!(check(&[("TERM", "dumb")], ColourDepth::None), Color::Reset);
    }

    #[test]
    fn frame_has_its_title_and_is_clipped() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 3));
        frame(buffer.area, border::PLAIN, " keys and more ", Style::new(), &mut buffer);
        assert_eq!(rows(&buffer), ["┌ keys ┐", "│      │", "└──────┘"]);
        for (wide, tall) in [(0, 0), (1, 1), (0, 2), (2, 1)] {
            frame(Rect::new(7, 2, wide.min(1), tall.min(1)), border::ROUNDED, "x", Style::new(), &mut buffer);
        }
    }

    #[test]
    fn lines_are_folded_between_words_and_long_words_within() {
        let folded = |text: &str, width| -> Vec<String> {
            super::folded(&Line::from(text), width)
                .iter()
                .map(|line| line.to_string().trim_end().to_string())
                .collect()
        };
        assert_eq!(folded("moves: a1 b2 c3", 10), ["moves: a1", "b2 c3"]);
        assert_eq!(folded("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(folded("a abcdefghij b", 4), ["a", "abcd", "efgh", "ij b"]);
        assert_eq!(folded("", 4), [""]);
        assert_eq!(folded("ab", 0), ["a", "b"]);
        for width in 1..30 {
            let text = "a wïde 世界 line, of words that are cut — somewhere; 1234567890";
            for line in super::folded(&Line::from(text), width) {
                assert!(wide(line.to_string().trim_end()) <= usize::from(width).max(2), "{width}: {line}");
            }
            let all: String =
                super::folded(&Line::from(text), width).iter().map(|line| line.to_string()).collect();
            assert_eq!(all, text, "nothing is lost");
        }
    }

    #[test]
    fn text_ends_where_the_area_does() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 4, 3));
        text(["abcdef", "gh", "ij"].map(Line::from), Rect::new(1, 0, 3, 2), &mut buffer);
        assert_eq!(rows(&buffer), [" abc", " gh ", "    "]);
        clear(Rect::new(2, 0, 9, 9), &mut buffer);
        assert_eq!(rows(&buffer), [" a  ", " g  ", "    "]);
    }
}
