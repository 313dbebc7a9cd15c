//! The full-screen interface: event loop, handling of keys and mouse, and drawing.

use crate::advice;
use crate::board::{self, BoardLayout, Selection, SpotLabel, neighbour};
use crate::cure::sentence;
use crate::keys;
use crate::overlay::{Overlay, OverlayKey};
use crate::paint::{self, ColourDepth};
use crate::panel::Panel;
use crate::play_session::{Mover, PlaySession, Seat};
use crate::review::review;
use crate::sight::{details, mark, ranked, report};
use crate::terminal::{Screen, with_screen};
use crate::thought::{BackgroundQuery, QueryResult};
use outplay_core::{Gesture, Layout as Kind, Turn};
use outplay_workbench::QueryAnswer;
use ratatui_core::layout::{Constraint, Layout, Rect};
use ratatui_core::style::{Modifier, Style};
use ratatui_core::terminal::Frame;
use ratatui_core::text::{Line, Span};
use ratatui_crossterm::crossterm::event::{
    self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind,
};
use std::collections::HashMap;
use std::io;
use std::time::{Duration, Instant};

/// Polling interval for input and for results of background queries.
const PULSE: Duration = Duration::from_millis(30);
/// Minimum time between moves of two computer players, so that users can follow.
const STEP: Duration = Duration::from_millis(150);

/// Plays until the user quits; returns the review of the game if it was over and reviewed.
///
/// # Errors
///
/// The terminal cannot be used.
pub fn full_screen(
    session: &mut PlaySession,
    show_values: bool,
    colours: ColourDepth,
) -> io::Result<Option<String>> {
    with_screen(|screen| {
        let mut app = App::new(session, show_values, colours);
        app.run(screen)?;
        Ok(app.review)
    })
}

/// State of the full-screen player.
struct App<'a> {
    session: &'a mut PlaySession,
    cursor: usize,
    picked: Vec<usize>,
    typing: Option<String>,
    choices: Vec<Gesture>,
    message: String,
    show_values: bool,
    values: Option<QueryAnswer>,
    /// Whether the values of this position were requested; a failed query is not repeated.
    asked: bool,
    show_details: bool,
    /// Statistics of the last computer move.
    details: Vec<String>,
    /// The turning point of a game that is over, once it is known.
    review: Option<String>,
    overlay: Option<Overlay>,
    choosing: BackgroundQuery,
    valuing: BackgroundQuery,
    hinting: BackgroundQuery,
    explaining: BackgroundQuery,
    reviewing: BackgroundQuery,
    colours: ColourDepth,
    moved: Instant,
    stuck: bool,
    board: BoardLayout,
    buttons: Vec<(Rect, String)>,
    done: bool,
}

impl<'a> App<'a> {
    fn new(session: &'a mut PlaySession, show_values: bool, colours: ColourDepth) -> App<'a> {
        App {
            cursor: board::first_cursor(&session.view().scene),
            message: session.task().unwrap_or_default().to_string(),
            session,
            picked: Vec::new(),
            typing: None,
            choices: Vec::new(),
            show_values,
            values: None,
            asked: false,
            show_details: false,
            details: Vec::new(),
            review: None,
            overlay: None,
            choosing: BackgroundQuery::new(),
            valuing: BackgroundQuery::new(),
            hinting: BackgroundQuery::new(),
            explaining: BackgroundQuery::new(),
            reviewing: BackgroundQuery::new(),
            colours,
            moved: Instant::now(),
            stuck: false,
            board: BoardLayout::default(),
            buttons: Vec::new(),
            done: false,
        }
    }

    fn run(&mut self, screen: &mut Screen) -> io::Result<()> {
        let mut stale = true;
        while !self.done {
            stale |= self.think();
            if stale {
                screen.draw(|frame| self.draw(frame))?;
                stale = false;
            }
            if event::poll(PULSE)? {
                match event::read()? {
                    Event::Key(key) if key.kind != KeyEventKind::Release => self.key(key),
                    Event::Mouse(mouse) if mouse.kind == MouseEventKind::Down(MouseButton::Left) => {
                        self.click(mouse.column, mouse.row);
                    }
                    _ => {}
                }
                // Any event redraws, including a resize.
                stale = true;
            }
        }
        Ok(())
    }

    /// Takes results of background queries and starts new ones; returns whether anything changed.
    fn think(&mut self) -> bool {
        self.take_results() | self.start_queries()
    }

    fn take_results(&mut self) -> bool {
        let mut changed = false;
        if let Some(QueryResult::Choice(choice)) = self.choosing.answer() {
            changed = true;
            match choice.and_then(|choice| self.session.accept(&choice).map(|()| choice)) {
                Ok(choice) => {
                    self.position_changed();
                    self.message = report(self.session, &choice);
                    if choice.player != "dice" {
                        self.details = details(&choice);
                    }
                }
                Err(trouble) => {
                    self.message = sentence(&trouble);
                    self.stuck = true;
                }
            }
        }
        if let Some(QueryResult::Values(values)) = self.valuing.answer() {
            changed = true;
            match values {
                Ok(values) => self.values = Some(values),
                Err(trouble) => self.message = sentence(&trouble),
            }
        }
        if let Some(QueryResult::Words(hint)) = self.hinting.answer() {
            changed = true;
            self.message = hint.unwrap_or_else(|trouble| sentence(&trouble));
        }
        if let Some(QueryResult::Words(reason)) = self.explaining.answer() {
            changed = true;
            self.message.clear();
            let reason = reason.unwrap_or_else(|trouble| sentence(&trouble));
            self.overlay = Some(Overlay::text(" why ", reason.lines().map(String::from).collect()));
        }
        if let Some(QueryResult::Words(review)) = self.reviewing.answer() {
            changed = true;
            self.review = review.ok();
        }
        changed
    }

    fn start_queries(&mut self) -> bool {
        let mut changed = false;
        let player = match self.session.mover() {
            Some(Mover::Player(spec)) => Some(spec.to_string()),
            Some(Mover::Dice) => Some("dice".to_string()),
            Some(Mover::Human) | None => None,
        };
        if let Some(player) = player
            && !self.choosing.busy()
            && !self.stuck
            && self.moved.elapsed() > STEP
        {
            let request = self.session.request(&player);
            self.choosing.choose(self.session.session().clone(), self.session.entry().clone(), request);
            changed = true;
        }
        let over = self.session.mover().is_none();
        if self.show_values && !over && self.values.is_none() && !self.valuing.busy() && !self.asked {
            self.asked = true;
            let session = self.session.session().clone();
            self.valuing.values(session, self.session.entry().clone(), self.session.place());
            changed = true;
        }
        if over && self.review.is_none() && !self.reviewing.busy() && !self.asked {
            self.asked = true;
            let session = self.session.clone();
            self.reviewing.words(move |monitor| review(&session, monitor));
        }
        changed
    }

    /// Discards the state of the previous position.
    fn position_changed(&mut self) {
        for query in [
            &mut self.choosing,
            &mut self.valuing,
            &mut self.hinting,
            &mut self.explaining,
            &mut self.reviewing,
        ] {
            query.cancel();
        }
        self.values = None;
        self.review = None;
        self.asked = false;
        self.stuck = false;
        self.moved = Instant::now();
        self.message.clear();
        self.clear_input();
    }

    fn clear_input(&mut self) {
        self.picked.clear();
        self.choices.clear();
        self.typing = None;
    }

    fn key(&mut self, key: KeyEvent) {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            self.done |= matches!(key.code, KeyCode::Char('c' | 'd' | 'q'));
            return;
        }
        if let Some(overlay) = &mut self.overlay {
            match overlay.key(key.code) {
                OverlayKey::Stay => return,
                OverlayKey::Close => {}
                OverlayKey::Choose(line) => self.choose_level(line),
            }
            self.overlay = None;
            return;
        }
        let scene = &self.session.view().scene;
        match key.code {
            KeyCode::Left => self.cursor = neighbour(scene, self.cursor, -1.0, 0.0),
            KeyCode::Right => self.cursor = neighbour(scene, self.cursor, 1.0, 0.0),
            KeyCode::Up => self.cursor = neighbour(scene, self.cursor, 0.0, 1.0),
            KeyCode::Down => self.cursor = neighbour(scene, self.cursor, 0.0, -1.0),
            KeyCode::Esc => {
                self.message.clear();
                self.clear_input();
            }
            KeyCode::Backspace => {
                let empty = self.typing.as_mut().is_some_and(|text| text.pop().is_none());
                if empty {
                    self.typing = None;
                }
            }
            KeyCode::Enter => match self.typing.take() {
                Some(text) if !text.is_empty() => self.play(&text),
                _ => self.point(self.cursor),
            },
            KeyCode::Char(letter) => self.letter(letter),
            _ => {}
        }
    }

    fn letter(&mut self, letter: char) {
        if let Some(text) = &mut self.typing {
            if text.chars().count() < 40 {
                text.push(letter);
            }
            return;
        }
        match letter {
            'q' => self.done = true,
            '?' => self.overlay = Some(Overlay::text(" keys ", keys::help())),
            ' ' => self.point(self.cursor),
            ':' | '/' => self.typing = Some(String::new()),
            'u' => self.step(PlaySession::undo, "there is no move to undo"),
            'r' => self.step(PlaySession::redo, "there is no move to redo"),
            'n' => {
                self.session.restart();
                self.position_changed();
                self.details.clear();
            }
            'v' => {
                self.show_values = !self.show_values;
                self.asked &= self.session.mover().is_none();
                self.message.clear();
            }
            'h' if self.session.mover().is_some() => {
                self.message = "searching for a move …".into();
                let session = self.session.clone();
                self.hinting.words(move |monitor| advice::hint(&session, monitor));
            }
            'w' => {
                self.message = "looking for the reasons …".into();
                let session = self.session.clone();
                self.explaining.words(move |monitor| Ok(advice::why(&session, monitor)?.join("\n")));
            }
            'i' => self.show_details = !self.show_details,
            'l' => {
                let opponent = &self.session.seats()[self.session.opponent()];
                let (mut lines, mut now) = (Vec::new(), 0);
                for level in self.session.levels().iter() {
                    if *opponent == Seat::Player(level.player.clone()) {
                        now = lines.len();
                    }
                    lines.push(format!("{:>2} {:<9} {}", level.number, level.name, level.player));
                }
                self.overlay = Some(Overlay::list(" level of the opponent: arrows, then enter ", lines, now));
            }
            's' => self.swap_sides(),
            'p' => {
                let rules = match self.session.rules.as_str() {
                    "" => "These rules have no description.",
                    rules => rules,
                };
                self.overlay = Some(Overlay::text(" rules ", vec![rules.into()]));
            }
            digit @ '1'..='9' => self.digit(digit),
            other => self.typing = Some(other.into()),
        }
    }

    /// Gives the opponent's side to the level in a line of the list.
    fn choose_level(&mut self, line: usize) {
        let player = self.session.levels().iter().nth(line).map(|level| level.player.clone());
        if let Some(player) = player {
            self.session.set_opponent(&player);
            self.seats_changed();
        }
    }

    fn swap_sides(&mut self) {
        if self.session.seats()[0] == self.session.seats()[1] {
            self.message = "both sides have the same player; l chooses a level for one of them".into();
            return;
        }
        self.session.swap_sides();
        self.seats_changed();
    }

    /// Lets the new controllers continue in the same position.
    fn seats_changed(&mut self) {
        self.choosing.cancel();
        self.stuck = false;
        self.clear_input();
        let [(first, one), (second, other)] = self.session.names();
        self.message = format!("{first} is {one}, {second} is {other}");
    }

    /// Handles a digit: a choice, a column, a button, or the first character of a move.
    fn digit(&mut self, digit: char) {
        let number = digit as usize - '1' as usize;
        if let Some(gesture) = self.choices.get(number) {
            let mv = gesture.mv.clone();
            self.play(&mv);
            return;
        }
        let scene = &self.session.view().scene;
        let column = digit.to_string();
        if scene.layout == Kind::Drop && scene.width <= 9.0 {
            self.play(&column);
            return;
        }
        let button = scene.moves.iter().filter(|gesture| gesture.path.is_empty()).nth(number);
        match button.map(|gesture| gesture.mv.clone()) {
            Some(mv) => self.play(&mv),
            None => self.typing = Some(column),
        }
    }

    fn step(&mut self, act: fn(&mut PlaySession) -> bool, otherwise: &str) {
        if act(self.session) {
            self.position_changed();
        } else {
            self.message = otherwise.into();
        }
    }

    fn click(&mut self, column: u16, row: u16) {
        let here = ratatui_core::layout::Position::new(column, row);
        if self.overlay.take().is_some() {
            return;
        }
        let button = self.buttons.iter().find(|(place, _)| place.contains(here)).map(|(_, mv)| mv.clone());
        if let Some(mv) = button {
            self.play(&mv);
        } else if let Some(spot) = self.board.spot_at(column, row) {
            self.cursor = spot;
            self.point(spot);
        }
    }

    /// Selects a spot: a move, or the first part of one.
    fn point(&mut self, spot: usize) {
        let scene = &self.session.view().scene;
        let Some(there) = scene.spots.get(spot) else { return };
        if scene.layout == Kind::Drop {
            let falls = |gesture: &&Gesture| {
                gesture
                    .path
                    .last()
                    .and_then(|&rest| scene.spots.get(rest))
                    .is_some_and(|rest| rest.x == there.x)
            };
            let column = (there.x as usize + 1).to_string();
            let mv = scene.moves.iter().find(falls).map_or(column, |gesture| gesture.mv.clone());
            self.play(&mv);
            return;
        }
        let mut picked = std::mem::take(&mut self.picked);
        picked.push(spot);
        let begins = |picked: &[usize]| scene.moves.iter().any(|gesture| gesture.path.starts_with(picked));
        if !begins(&picked) {
            // A spot outside the picked path starts a new selection.
            picked = vec![spot];
        }
        if !begins(&picked) {
            let name = there.name.clone();
            self.play(&name);
            return;
        }
        let same: Vec<Gesture> =
            scene.moves.iter().filter(|gesture| gesture.path == picked).cloned().collect();
        match same.as_slice() {
            [] => self.picked = picked,
            [gesture] => {
                let mv = gesture.mv.clone();
                self.play(&mv);
            }
            _ => {
                self.message = "choose a move:".into();
                self.picked = picked;
                self.choices = same;
            }
        }
    }

    fn play(&mut self, mv: &str) {
        match self.session.mover() {
            Some(Mover::Human) => match self.session.play(mv) {
                Ok(()) => self.position_changed(),
                Err(trouble) => {
                    self.clear_input();
                    self.message = sentence(&trouble);
                }
            },
            Some(_) => self.message = "it is not your turn; press u to undo".into(),
            None => self.message = "the game is over; press n for a new game or u to undo".into(),
        }
    }

    fn draw(&mut self, frame: &mut Frame<'_>) {
        let area = frame.area();
        let keys = keys::rows(area.width, usize::from((area.height / 6).clamp(1, 3)));
        let [title, body, foot] = Layout::vertical([
            Constraint::Length(1),
            Constraint::Min(1),
            Constraint::Length(keys.len() as u16),
        ])
        .areas(area);
        let faint = Style::new().add_modifier(Modifier::DIM);
        self.draw_title(frame, title);
        paint::text(keys.into_iter().map(|row| Line::styled(row, faint)), foot, frame.buffer_mut());
        let below = self.beside_board().len() as u16;
        let [board, panel] = board::divide(&self.session.view().scene, below, body);
        self.draw_board(frame, board);
        // A column of space separates the panel from a board on its left.
        let indent = u16::from(panel.x > board.x).min(panel.width);
        let panel = Rect { x: panel.x + indent, width: panel.width - indent, ..panel };
        let valued = self.show_values
            && self.session.mover().is_some()
            && (self.values.is_some() || self.valuing.busy());
        Panel {
            session: self.session,
            thinking: self.choosing.busy(),
            typing: self.typing.as_deref(),
            message: &self.message,
            choices: &self.choices,
            review: self.review.as_deref(),
            details: if self.show_details { &self.details } else { &[] },
            values: valued.then_some(self.values.as_ref()),
        }
        .draw(panel, frame.buffer_mut());
        if let Some(overlay) = &mut self.overlay {
            overlay.draw(area, frame.buffer_mut());
        }
        paint::limit_colours(frame.buffer_mut(), self.colours);
    }

    fn draw_title(&self, frame: &mut Frame<'_>, area: Rect) {
        let bold = Style::new().add_modifier(Modifier::BOLD);
        let view = self.session.view();
        let signs = if view.scene.layout == Kind::Chess { ["K", "k"] } else { ["●", "○"] };
        let mut spans = vec![Span::styled(view.game.clone(), bold)];
        for ((side, player), sign) in self.session.names().into_iter().zip(signs) {
            spans.push(Span::raw(format!("   {sign} {side}: {player}")));
        }
        frame.render_widget(Line::from(spans), area);
    }

    /// Lines below the board: facts that the spots do not show, and buttons for moves without spots.
    fn beside_board(&self) -> Vec<(String, Option<String>)> {
        let scene = &self.session.view().scene;
        let facts = scene.facts.iter().map(|(name, text)| (format!("{name}: {text}"), None));
        let values: HashMap<&str, String> = match (self.show_values, &self.values) {
            (true, Some(values)) => {
                values.moves.iter().map(|mv| (mv.mv.as_str(), mark(&mv.answer))).collect()
            }
            _ => HashMap::new(),
        };
        let buttons = scene.moves.iter().filter(|gesture| gesture.path.is_empty());
        // The outcomes of a roll are not for the user to choose.
        let buttons = buttons.filter(|_| self.session.view().to_move != Turn::Chance).enumerate();
        let buttons = buttons.map(|(number, gesture)| {
            let value = values.get(gesture.mv.as_str()).map(|mark| format!("  {mark}")).unwrap_or_default();
            let key = if number < 9 { format!("{} ", number + 1) } else { "  ".into() };
            (format!("{key}[ {} ]{value}", gesture.mv), Some(gesture.mv.clone()))
        });
        facts.chain(buttons).collect()
    }

    fn draw_board(&mut self, frame: &mut Frame<'_>, area: Rect) {
        let lines = self.beside_board();
        let scene = &self.session.view().scene;
        let below = (lines.len() as u16).min(area.height / 2);
        // A scene without spots leaves its space to text and buttons.
        let (above, below) = match scene.layout {
            Kind::Text => (Constraint::Length(1), Constraint::Min(1)),
            _ => (Constraint::Min(1), Constraint::Length(below)),
        };
        let [board, rest] = Layout::vertical([above, below]).areas(area);
        self.board = BoardLayout::new(scene, board, self.cursor);
        let selection = Selection { cursor: self.cursor, picked: &self.picked };
        self.board.draw(scene, &self.labels(), &selection, board, frame.buffer_mut());
        self.buttons = (rest.top()..rest.bottom())
            .zip(&lines)
            .filter_map(|(row, (_, mv))| Some((Rect::new(rest.x, row, rest.width, 1), mv.clone()?)))
            .collect();
        paint::text(lines.into_iter().map(|(line, _)| Line::from(line)), rest, frame.buffer_mut());
    }

    /// Labels spots with move values: at the last spot of each path whose beginning is picked.
    fn labels(&self) -> HashMap<usize, SpotLabel> {
        let mut labels: HashMap<usize, SpotLabel> = HashMap::new();
        let (true, Some(values)) = (self.show_values, &self.values) else { return labels };
        let scene = &self.session.view().scene;
        // Best moves first, so that a spot shows the best value of its moves.
        for mv in ranked(values) {
            let Some(gesture) = scene.moves.iter().find(|gesture| gesture.mv == mv.mv) else { continue };
            let next = gesture.path.get(self.picked.len());
            if let (true, Some(&spot)) = (gesture.path.starts_with(&self.picked), next) {
                let label = SpotLabel {
                    text: mark(&mv.answer),
                    verdict: mv.answer.verdict(),
                    best: values.best.contains(&mv.mv),
                };
                labels.entry(spot).or_insert(label);
            }
        }
        labels
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_catalog::Catalog;
    use outplay_workbench::{PositionRef, Session};
    use ratatui_core::backend::TestBackend;
    use ratatui_core::terminal::Terminal;

    /// A game with a human on both sides.
    fn game(spec: &str) -> PlaySession {
        let game = Catalog::standard().open(spec).unwrap();
        let humans = [Seat::Human, Seat::Human];
        PlaySession::new(Session::default(), game, PositionRef::Start, humans, 1).unwrap()
    }

    /// The rows of the screen.
    fn rows(app: &mut App<'_>, wide: u16, tall: u16) -> Vec<String> {
        let mut screen = Terminal::new(TestBackend::new(wide, tall)).unwrap();
        screen.draw(|frame| app.draw(frame)).unwrap();
        let buffer = screen.backend().buffer();
        let row = |y| (0..wide).map(|x| buffer[(x, y)].symbol()).collect::<String>();
        (0..tall).map(|y| row(y).trim_end().to_string()).collect()
    }

    #[test]
    fn every_game_fits_small_and_large_terminals() {
        let specs = [
            "tictactoe",
            "mnk:15x15,k=5",
            "mnk:9x9,k=5",
            "connect4",
            "connect:9x7,k=5",
            "nim:3+4+5",
            "morris:six",
            "morris:nine",
            "morris:tapatan",
            "pig:20",
            "piglet:10",
            "einstein:5x5",
            "hypergammon",
        ];
        for spec in specs {
            let mut session = game(spec);
            let mut app = App::new(&mut session, false, ColourDepth::True);
            for (wide, tall) in [(80, 24), (60, 20), (200, 60)] {
                let rows = rows(&mut app, wide, tall);
                let text = rows.join("\n");
                let spots = &app.session.view().scene.spots;
                let visible = |spot: &usize| {
                    (0..tall).any(|y| (0..wide).any(|x| app.board.spot_at(x, y) == Some(*spot)))
                };
                assert!((0..spots.len()).all(|spot| visible(&spot)), "{spec} on {wide}x{tall}:\n{text}");
                for key in ["enter move", "? help", "q quit", "l level", "p rules", ": type"] {
                    assert!(text.contains(key), "{key}, {spec} on {wide}x{tall}:\n{text}");
                }
                assert!(text.contains("First: you") && rows[0].contains(app.session.view().game.as_str()));
            }
        }
    }

    #[test]
    fn help_has_every_key_on_a_small_screen() {
        let mut session = game("tictactoe");
        let mut app = App::new(&mut session, false, ColourDepth::None);
        app.letter('?');
        let text = rows(&mut app, 80, 24).join("\n");
        for words in ["take back", "suggest a move", "level of the opponent", "rules of play", "✓3 wins in 3"]
        {
            assert!(text.contains(words), "{words}:\n{text}");
        }
        app.key(KeyEvent::from(KeyCode::Esc));
        assert!(app.overlay.is_none());
        app.letter('p');
        assert!(rows(&mut app, 60, 20).join("\n").contains(" rules "));
    }
}
