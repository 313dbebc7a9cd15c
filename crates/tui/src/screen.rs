//! The full-screen player: event loop, key bindings and drawing.

use crate::board::{BoardLayout, Selection, SpotLabel, colour, neighbour};
use crate::cure::sentence;
use crate::paint;
use crate::play_session::{Mover, PlaySession};
use crate::sight::{effort, mark, ranked, words};
use crate::terminal::{Screen, with_screen};
use crate::thought::{BackgroundQuery, QueryResult};
use outplay_core::{Gesture, Layout as Kind};
use outplay_workbench::QueryAnswer;
use ratatui_core::layout::{Constraint, Layout, Rect};
use ratatui_core::style::{Modifier, Style};
use ratatui_core::symbols::border;
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

const KEYS: &str =
    "q quit · ? help · u undo · r redo · h hint · v values · n new · arrows+enter move · : type";

const HELP: [&str; 14] = [
    "arrows        move the cursor",
    "enter, space  select; to move a piece, select start and target",
    "mouse         click a spot, a column or a button",
    "1-9           choose a column, a button or an option",
    "a-g, :        type a move and press enter (: starts any text)",
    "u / r         undo / redo",
    "h             hint: the best move",
    "v             show or hide the value of every move",
    "n             new game",
    "esc           clear the typed text and the selection",
    "q, Ctrl-C     quit",
    "",
    "✓3 wins in 3 moves   = draws   ✗2 loses in 2 moves",
    "< > best move   [ ] cursor   ( ) selected",
];

/// Plays until the user quits.
///
/// # Errors
///
/// The terminal cannot be used.
pub fn full_screen(session: &mut PlaySession, show_values: bool) -> io::Result<()> {
    with_screen(|screen| App::new(session, show_values).run(screen))
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
    wants_hint: bool,
    /// Whether the values of this position were requested; a failed query is not repeated.
    asked: bool,
    help: bool,
    choosing: BackgroundQuery,
    valuing: BackgroundQuery,
    moved: Instant,
    stuck: bool,
    board: BoardLayout,
    buttons: Vec<(Rect, String)>,
    done: bool,
}

impl<'a> App<'a> {
    fn new(session: &'a mut PlaySession, show_values: bool) -> App<'a> {
        let scene = &session.view().scene;
        // The cursor starts in the middle, where most games begin.
        let middle = (scene.width / 2.0 - 0.5, scene.height / 2.0 - 0.5);
        let far = |spot: &outplay_core::Spot| (spot.x - middle.0).abs() + (spot.y - middle.1).abs();
        let cursor =
            (0..scene.spots.len()).min_by(|&a, &b| far(&scene.spots[a]).total_cmp(&far(&scene.spots[b])));
        let task = session.task().unwrap_or_default().to_string();
        App {
            session,
            cursor: cursor.unwrap_or(0),
            picked: Vec::new(),
            typing: None,
            choices: Vec::new(),
            message: task,
            show_values,
            values: None,
            wants_hint: false,
            asked: false,
            help: false,
            choosing: BackgroundQuery::new(),
            valuing: BackgroundQuery::new(),
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
        let mut changed = false;
        if let Some(QueryResult::Choice(choice)) = self.choosing.answer() {
            changed = true;
            match choice.and_then(|choice| self.session.accept(&choice).map(|()| choice)) {
                Ok(choice) => {
                    let message = match choice.player.as_str() {
                        "dice" => format!("the dice show {}", choice.mv),
                        player => match effort(&choice) {
                            Some(effort) => format!("{player} plays {} ({effort})", choice.mv),
                            None => format!("{player} plays {}", choice.mv),
                        },
                    };
                    self.position_changed();
                    self.message = message;
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
                Ok(values) => {
                    if std::mem::take(&mut self.wants_hint) {
                        self.message = match values.best.first() {
                            Some(best) => format!("hint: {best} ({})", words(&values.answer)),
                            None => "hint: the values of these moves are unknown".into(),
                        };
                    }
                    self.values = Some(values);
                }
                Err(trouble) => {
                    self.wants_hint = false;
                    self.message = sentence(&trouble);
                }
            }
        }
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
        let wanted = (self.show_values || self.wants_hint) && self.session.mover().is_some();
        if wanted && self.values.is_none() && !self.valuing.busy() && !self.asked {
            self.asked = true;
            let session = self.session.session().clone();
            self.valuing.values(session, self.session.entry().clone(), self.session.place());
            changed = true;
        }
        changed
    }

    /// Discards the state of the previous position.
    fn position_changed(&mut self) {
        self.choosing.cancel();
        self.valuing.cancel();
        self.values = None;
        self.wants_hint = false;
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
        if std::mem::take(&mut self.help) {
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
            '?' => self.help = true,
            ' ' => self.point(self.cursor),
            ':' | '/' => self.typing = Some(String::new()),
            'u' => self.step(PlaySession::undo, "there is no move to undo"),
            'r' => self.step(PlaySession::redo, "there is no move to redo"),
            'n' => {
                self.session.restart();
                self.position_changed();
            }
            'v' => {
                self.show_values = !self.show_values;
                self.asked = false;
                self.message.clear();
            }
            'h' if self.session.mover().is_some() => {
                self.wants_hint = true;
                self.message = "searching for the best move …".into();
                // Repeating the query is cheap: known values come from the cache.
                self.values = None;
                self.asked = false;
            }
            digit @ '1'..='9' => self.digit(digit),
            other => self.typing = Some(other.into()),
        }
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
        if std::mem::take(&mut self.help) {
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
        /// Narrowest panel beside the board, in columns.
        const PANEL: u16 = 30;
        let [title, body, foot] =
            Layout::vertical([Constraint::Length(1), Constraint::Min(1), Constraint::Length(1)])
                .areas(frame.area());
        let bold = Style::new().add_modifier(Modifier::BOLD);
        let faint = Style::new().add_modifier(Modifier::DIM);
        let [first, second] = self.session.seats();
        let players = format!("   ● {}  vs  ○ {}", first.name(), second.name());
        let game = self.session.view().game.clone();
        frame.render_widget(Line::from(vec![Span::styled(game, bold), Span::styled(players, faint)]), title);
        frame.render_widget(Line::styled(KEYS, faint), foot);
        // A board that would be clipped beside the panel is placed above it.
        let board = BoardLayout::least_width(&self.session.view().scene);
        let wide = body.width >= PANEL + board.max(PANEL);
        let [board, panel] = match wide {
            true => Layout::horizontal([Constraint::Min(board), Constraint::Max(PANEL + 4)]).areas(body),
            false => Layout::vertical([Constraint::Min(3), Constraint::Max(9)]).areas(body),
        };
        self.draw_board(frame, board);
        self.draw_panel(frame, panel);
        if self.help {
            let area = frame.area();
            let (wide, tall) = (66.min(area.width), (HELP.len() as u16 + 2).min(area.height));
            let place = Rect::new((area.width - wide) / 2, (area.height - tall) / 2, wide, tall);
            let buffer = frame.buffer_mut();
            paint::clear(place, buffer);
            paint::frame(place, border::PLAIN, " keys ", Style::new(), buffer);
            let inside = Rect::new(place.x + 1, place.y + 1, wide.saturating_sub(2), tall.saturating_sub(2));
            paint::text(HELP.map(Line::from), inside, buffer);
        }
    }

    fn draw_board(&mut self, frame: &mut Frame<'_>, area: Rect) {
        let view = self.session.view();
        let facts: Vec<Line<'_>> =
            view.scene.facts.iter().map(|(name, text)| Line::from(format!("{name}: {text}"))).collect();
        let buttons: Vec<&Gesture> =
            view.scene.moves.iter().filter(|gesture| gesture.path.is_empty()).collect();
        let below = (facts.len() + buttons.len()).min(usize::from(area.height / 2)) as u16;
        // A scene without spots leaves its space to text and buttons.
        let above = if view.scene.layout == Kind::Text { Constraint::Length(1) } else { Constraint::Min(1) };
        let [board, rest] = Layout::vertical([above, Constraint::Length(below)]).areas(area);
        self.board = BoardLayout::new(&view.scene, board, self.cursor);
        let selection = Selection { cursor: self.cursor, picked: &self.picked };
        self.board.draw(&view.scene, &self.labels(), &selection, board, frame.buffer_mut());
        let values: HashMap<&str, String> = match (self.show_values, &self.values) {
            (true, Some(values)) => {
                values.moves.iter().map(|mv| (mv.mv.as_str(), mark(&mv.answer))).collect()
            }
            _ => HashMap::new(),
        };
        let mut places = Vec::new();
        let mut lines = facts;
        for (number, gesture) in buttons.iter().enumerate() {
            let row = rest.y + lines.len() as u16;
            if row < rest.bottom() {
                places.push((Rect::new(rest.x, row, rest.width, 1), gesture.mv.clone()));
            }
            let value = values.get(gesture.mv.as_str()).map(|mark| format!("  {mark}")).unwrap_or_default();
            let key = if number < 9 { format!("{} ", number + 1) } else { "  ".into() };
            lines.push(Line::from(format!("{key}[ {} ]{value}", gesture.mv)));
        }
        paint::text(lines, rest, frame.buffer_mut());
        self.buttons = places;
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

    fn draw_panel(&self, frame: &mut Frame<'_>, area: Rect) {
        let bold = Style::new().add_modifier(Modifier::BOLD);
        let mut lines = vec![Line::styled(self.session.status(), bold)];
        if self.choosing.busy() {
            lines.push(Line::from("thinking …"));
        }
        if let Some(text) = &self.typing {
            lines.push(Line::from(format!("> {text}▏")));
        }
        if !self.message.is_empty() {
            lines.push(Line::from(self.message.clone()));
        }
        for (number, gesture) in self.choices.iter().enumerate() {
            let choice = if gesture.choice.is_empty() { &gesture.mv } else { &gesture.choice };
            lines.push(Line::from(format!("{} {choice}", number + 1)));
        }
        let moves = self.session.moves();
        let recent = moves.len().saturating_sub(24);
        let list = moves[recent..].join(" ");
        if !list.is_empty() {
            let before = if recent > 0 { "… " } else { "" };
            lines.push(Line::from(format!("moves: {before}{list}")));
        }
        match (self.show_values, &self.values) {
            (true, Some(values)) => {
                lines.push(Line::default());
                let text = format!("value: {}", words(&values.answer));
                lines.push(Line::styled(text, colour(values.answer.verdict())));
                for mv in ranked(values) {
                    let best = if values.best.contains(&mv.mv) { " ★" } else { "" };
                    let text = format!("{:<6} {} {}{best}", mv.mv, mark(&mv.answer), words(&mv.answer));
                    lines.push(Line::styled(text, colour(mv.answer.verdict())));
                }
                lines.extend(values.notes.iter().map(|note| Line::from(note.as_str())));
            }
            (true, None) if self.valuing.busy() => lines.push(Line::from("computing values …")),
            _ => {}
        }
        let lines = lines.iter().flat_map(|line| paint::folded(line, area.width));
        paint::text(lines, area, frame.buffer_mut());
    }
}
