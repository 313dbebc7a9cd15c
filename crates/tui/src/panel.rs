//! The text panel beside the board: whose turn it is, the last message, the moves, and on request values and
//! statistics.

use crate::board::colour;
use crate::paint;
use crate::play_session::{Mover, PlaySession};
use crate::sight::{move_list, ranked, shown, words};
use outplay_core::Gesture;
use outplay_workbench::QueryAnswer;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Modifier, Style};
use ratatui_core::text::Line;

/// Most moves that are listed, in games without dice, and most turns, in games with dice.
const RECENT: (usize, usize) = (24, 4);

/// The contents of the panel.
pub(crate) struct Panel<'a> {
    pub(crate) session: &'a PlaySession,
    pub(crate) thinking: bool,
    pub(crate) typing: Option<&'a str>,
    pub(crate) message: &'a str,
    pub(crate) choices: &'a [Gesture],
    /// The turning point of a game that is over.
    pub(crate) review: Option<&'a str>,
    /// Statistics of the last move, if they are shown.
    pub(crate) details: &'a [String],
    /// Whether values are shown, and the values once they are known.
    pub(crate) values: Option<Option<&'a QueryAnswer>>,
}

impl Panel<'_> {
    /// Draws the panel; what does not fit is replaced by an ellipsis.
    pub(crate) fn draw(&self, area: Rect, buffer: &mut Buffer) {
        let lines = self.lines();
        let mut lines: Vec<Line<'_>> =
            lines.iter().flat_map(|line| paint::folded(line, area.width)).collect();
        if lines.len() > usize::from(area.height) {
            lines.truncate(usize::from(area.height));
            if let Some(last) = lines.last_mut() {
                *last = Line::from("…");
            }
        }
        paint::text(lines, area, buffer);
    }

    fn lines(&self) -> Vec<Line<'static>> {
        let session = self.session;
        let bold = Style::new().add_modifier(Modifier::BOLD);
        let faint = Style::new().add_modifier(Modifier::DIM);
        let mut lines = vec![Line::styled(session.status(), bold)];
        if self.thinking {
            lines.push(Line::from("thinking …"));
        }
        if let Some(text) = self.typing {
            lines.push(Line::from(format!("> {text}▏")));
        }
        if !self.message.is_empty() {
            lines.push(Line::from(self.message.to_string()));
        }
        for (number, gesture) in self.choices.iter().enumerate() {
            let choice = if gesture.choice.is_empty() { &gesture.mv } else { &gesture.choice };
            lines.push(Line::from(format!("{} {choice}", number + 1)));
        }
        let prompt = &session.view().scene.prompt;
        if session.mover() == Some(Mover::Human) && !prompt.is_empty() {
            lines.push(Line::styled(prompt.clone(), faint));
        }
        lines.extend(self.review.map(|review| Line::from(review.to_string())));
        lines.extend(self.moves());
        if !self.details.is_empty() {
            lines.push(Line::default());
            lines.extend(self.details.iter().map(|line| Line::styled(line.clone(), faint)));
        }
        lines.extend(self.values());
        lines
    }

    /// The last moves.
    fn moves(&self) -> Vec<Line<'static>> {
        match move_list(self.session, false).as_slice() {
            [moves] if moves.is_empty() => Vec::new(),
            [moves] => {
                let words: Vec<&str> = moves.split(' ').collect();
                let recent = words.len().saturating_sub(RECENT.0);
                let before = if recent > 0 { "… " } else { "" };
                vec![Line::from(format!("moves: {before}{}", words[recent..].join(" ")))]
            }
            turns => {
                let recent = &turns[turns.len().saturating_sub(RECENT.1)..];
                recent.iter().map(|turn| Line::from(turn.clone())).collect()
            }
        }
    }

    /// The value of the position and of its moves, best first.
    fn values(&self) -> Vec<Line<'static>> {
        let Some(values) = self.values else { return Vec::new() };
        let Some(values) = values else {
            return vec![Line::default(), Line::from("computing values …")];
        };
        let text = format!("value: {}", words(&values.answer));
        let mut lines = vec![Line::default(), Line::styled(text, colour(values.answer.verdict()))];
        for mv in ranked(values).into_iter().filter(|mv| mv.answer.is_known()) {
            let best = if values.best.contains(&mv.mv) { " ★" } else { "" };
            let text = format!("{:<6} {}{best}", shown(mv), words(&mv.answer));
            lines.push(Line::styled(text, colour(mv.answer.verdict())));
        }
        let unknown = values.moves.iter().filter(|mv| !mv.answer.is_known()).count();
        if unknown > 0 {
            lines.push(Line::from(format!("{unknown} of {} moves: unknown", values.moves.len())));
        }
        lines.extend(values.notes.iter().map(|note| Line::from(note.clone())));
        lines
    }
}
