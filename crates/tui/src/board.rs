//! Board layout and rendering: a scene as terminal cells, with hit testing from a cell back to a spot.
//!
//! ```text
//!  3  ·   ·   ✓3      each spot is a box of `wide` × `tall` characters, the largest that fits;
//!  2  ●  [○]  ·       a board larger than the screen scrolls with the cursor
//!  1  ·   ✗2  ·
//!     a   b   c
//! ```

use outplay_core::{Holder, Layout, Scene, Verdict, column_name};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::{Position, Rect};
use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::symbols::border;
use std::collections::HashMap;

/// The Okabe–Ito palette, which colour-blind readers can distinguish.
pub(crate) const WIN: Color = Color::Rgb(0x00, 0x9E, 0x73);
pub(crate) const DRAW: Color = Color::Rgb(0xE6, 0x9F, 0x00);
pub(crate) const LOSS: Color = Color::Rgb(0xD5, 0x5E, 0x00);
pub(crate) const FIRST: Color = Color::Rgb(0x56, 0xB4, 0xE9);
pub(crate) const SECOND: Color = Color::Rgb(0xCC, 0x79, 0xA7);

/// The colour of a value, if it is known.
pub(crate) fn colour(verdict: Option<Verdict>) -> Style {
    match verdict {
        Some(Verdict::Win) => Style::new().fg(WIN),
        Some(Verdict::Draw) => Style::new().fg(DRAW),
        Some(Verdict::Loss) => Style::new().fg(LOSS),
        None => Style::new().add_modifier(Modifier::DIM),
    }
}

/// Value annotation of a spot.
pub(crate) struct SpotLabel {
    pub(crate) text: String,
    pub(crate) verdict: Option<Verdict>,
    pub(crate) best: bool,
}

/// Cursor and picked spots.
#[derive(Default)]
pub(crate) struct Selection<'a> {
    pub(crate) cursor: usize,
    pub(crate) picked: &'a [usize],
}

/// Screen rectangles of the spots.
#[derive(Default)]
pub(crate) struct BoardLayout {
    boxes: Vec<Option<Rect>>,
    /// Whether there is room for a frame around the cells.
    framed: bool,
    /// Whether columns or rows beyond the left, right, upper and lower edge are hidden.
    hidden: [bool; 4],
}

/// Columns for row numbers and the left side of the frame.
const MARGIN: u16 = 4;
/// Sizes of a spot's box in characters, width and height. In the narrowest, brackets share a column with the next spot.
const SIZES: [(u16, u16); 6] = [(7, 3), (5, 2), (5, 1), (4, 1), (3, 1), (2, 1)];
/// Rows of the frame and the column names; without the frame, only the names.
const FRAMED: u16 = 3;
const UNFRAMED: u16 = 1;
/// Smallest panel beside a board, in columns, and below a board, in rows.
const PANEL: (u16, u16) = (25, 5);

/// Columns and rows of a scene.
fn dimensions(scene: &Scene) -> (u16, u16) {
    let cells = |length: f32| length.ceil().clamp(1.0, 1000.0) as u16;
    (cells(scene.width), cells(scene.height))
}

/// Returns the size of a spot's box with which the whole board fits `room`, and whether there is room for a frame.
fn fitting(scene: &Scene, room: (u16, u16)) -> Option<((u16, u16), bool)> {
    let (columns, rows) = dimensions(scene);
    // The names of points without links have two digits and need a space between them.
    let least = if scene.layout == Layout::Points && scene.links.is_empty() { 3 } else { 2 };
    let fits = |(wide, tall): (u16, u16), extra: u16| {
        wide >= least
            && columns.saturating_mul(wide).saturating_add(MARGIN + 1) <= room.0
            && rows.saturating_mul(tall).saturating_add(extra) <= room.1
    };
    let framed = SIZES.into_iter().find(|&size| fits(size, FRAMED)).map(|size| (size, true));
    framed.or_else(|| SIZES.into_iter().find(|&size| fits(size, UNFRAMED)).map(|size| (size, false)))
}

/// Divides the screen between the board, with `below` rows of facts and buttons, and the panel. The board is beside the
/// panel where the whole board fits there, else above it where it fits there.
pub(crate) fn divide(scene: &Scene, below: u16, body: Rect) -> [Rect; 2] {
    let columns = dimensions(scene).0;
    let beside = |wide: u16| {
        let wide = wide.min(body.width);
        [Rect { width: wide, ..body }, Rect { x: body.x + wide, width: body.width - wide, ..body }]
    };
    let above = |tall: u16| {
        let tall = tall.min(body.height);
        [Rect { height: tall, ..body }, Rect { y: body.y + tall, height: body.height - tall, ..body }]
    };
    let room = (body.width.saturating_sub(PANEL.0), body.height.saturating_sub(below));
    if scene.layout == Layout::Text {
        return beside(room.0.max(body.width / 2).min(40));
    }
    if let Some(((wide, _), _)) = fitting(scene, room) {
        return beside(columns * wide + MARGIN + 1);
    }
    let room = (body.width, body.height.saturating_sub(below + PANEL.1));
    match fitting(scene, room) {
        Some(_) => above(body.height - PANEL.1),
        None if body.width >= 2 * PANEL.0 => beside(body.width - PANEL.0),
        None => above(body.height.saturating_sub(PANEL.1).max(body.height / 2)),
    }
}

impl BoardLayout {
    /// Lays out the spots that fit; the spot under the cursor always does.
    pub(crate) fn new(scene: &Scene, area: Rect, cursor: usize) -> BoardLayout {
        let (columns, rows) = dimensions(scene);
        let (size, framed) =
            fitting(scene, (area.width, area.height)).unwrap_or((SIZES[SIZES.len() - 1], false));
        let (wide, tall) = size;
        let top = u16::from(framed);
        let room = (
            area.width.saturating_sub(MARGIN + 1),
            area.height.saturating_sub(if framed { FRAMED } else { UNFRAMED }),
        );
        let shown = ((room.0 / wide).clamp(1, columns), (room.1 / tall).clamp(1, rows));
        let here = scene.spots.get(cursor).map_or((0.0, 0.0), |spot| (spot.x, spot.y));
        // First visible row or column of a large board: centred on the cursor, clamped to the edges.
        let first = |at: f32, shown: u16, all: u16| {
            (at as i32 - i32::from(shown) / 2).clamp(0, i32::from(all.saturating_sub(shown)))
        };
        let (left, low) = (first(here.0, shown.0, columns), first(here.1, shown.1, rows));
        let place = |x: f32, y: f32| -> Option<Rect> {
            let (x, y) = (x - left as f32, y - low as f32);
            if x < 0.0 || y < 0.0 || x > f32::from(shown.0) - 1.0 || y > f32::from(shown.1) - 1.0 {
                return None;
            }
            let down = (f32::from(shown.1) - 1.0 - y).max(0.0);
            let column = area.x + MARGIN + (x * f32::from(wide)).round() as u16;
            let row = area.y + top + (down * f32::from(tall)).round() as u16;
            let spot = Rect::new(column, row, wide, tall);
            (spot.right() <= area.right() && spot.bottom() <= area.bottom()).then_some(spot)
        };
        let beyond = |first: i32, shown: u16, all: u16| first + i32::from(shown) < i32::from(all);
        BoardLayout {
            boxes: scene.spots.iter().map(|spot| place(spot.x, spot.y)).collect(),
            framed,
            hidden: [left > 0, beyond(left, shown.0, columns), beyond(low, shown.1, rows), low > 0],
        }
    }

    /// Hit test: returns the spot at a screen cell.
    pub(crate) fn spot_at(&self, column: u16, row: u16) -> Option<usize> {
        let here = Position::new(column, row);
        self.boxes.iter().position(|place| place.is_some_and(|place| place.contains(here)))
    }

    /// Draws the board.
    pub(crate) fn draw(
        &self,
        scene: &Scene,
        labels: &HashMap<usize, SpotLabel>,
        selection: &Selection<'_>,
        area: Rect,
        buffer: &mut Buffer,
    ) {
        self.frame(scene, area, buffer);
        for [from, to] in &scene.links {
            if let (Some(Some(from)), Some(Some(to))) = (self.boxes.get(*from), self.boxes.get(*to)) {
                link(middle(*from), middle(*to), buffer);
            }
        }
        for (at, (spot, place)) in scene.spots.iter().zip(&self.boxes).enumerate() {
            let Some(place) = *place else { continue };
            let label = labels.get(&at);
            let (text, mut style) = content(scene, at, label);
            if scene.layout == Layout::Chess && (spot.x as i32 + spot.y as i32) % 2 == 0 {
                style = style.bg(Color::Indexed(238));
            }
            if scene.decisive.contains(&at) {
                style = style.add_modifier(Modifier::REVERSED);
            }
            // Brackets mark the cursor without relying on colour.
            let brackets = if selection.cursor == at {
                Some(("[", "]"))
            } else if selection.picked.contains(&at) {
                Some(("(", ")"))
            } else if label.is_some_and(|label| label.best) {
                Some(("<", ">"))
            } else {
                None
            };
            let inner = usize::from(place.width - 2).max(1);
            let text: String = text.chars().take(inner).collect();
            let row = place.y + place.height / 2;
            if scene.layout == Layout::Points {
                // Points are as wide as their text, so that the links between them stay visible.
                let (x, _) = middle(place);
                let (open, close) = brackets.unwrap_or_default();
                let short = format!("{open}{}{close}", text.trim());
                let width = short.chars().count() as u16;
                buffer.set_string(x.saturating_sub(width / 2), row, short, style);
                continue;
            }
            for line in place.y..place.bottom() {
                let blank = " ".repeat(usize::from(place.width));
                // The bracket of the spot on the left may be in the first column.
                let shared = u16::from(place.width == 2);
                let blank = &blank[usize::from(shared)..];
                buffer.set_string(place.x + shared, line, blank, style.remove_modifier(Modifier::REVERSED));
            }
            buffer.set_string(place.x + 1, row, format!("{text:^inner$}"), style);
            if let Some((open, close)) = brackets {
                buffer.set_string(place.x, row, open, style);
                buffer.set_string(place.x + 1 + inner as u16, row, close, style);
            }
        }
        self.name_axes(scene, area, buffer);
    }

    /// Draws a frame around a board of cells; boards of points have links instead.
    fn frame(&self, scene: &Scene, area: Rect, buffer: &mut Buffer) {
        if !self.framed || matches!(scene.layout, Layout::Points | Layout::Piles | Layout::Text) {
            return;
        }
        let Some(all) = self.boxes.iter().flatten().copied().reduce(|a, b| a.union(b)) else { return };
        let around = Rect::new(all.x - 1, all.y - 1, all.width + 2, all.height + 2).intersection(area);
        let style = Style::new().add_modifier(Modifier::DIM);
        crate::paint::frame(around, border::ROUNDED, "", style, buffer);
    }

    /// Labels the axes: row numbers on the left, column names below.
    fn name_axes(&self, scene: &Scene, area: Rect, buffer: &mut Buffer) {
        let faint = Style::new().add_modifier(Modifier::DIM);
        if matches!(scene.layout, Layout::Piles | Layout::Text) {
            return;
        }
        if scene.layout == Layout::Points && scene.links.is_empty() {
            return self.name_points(scene, area, buffer);
        }
        let below = self.boxes.iter().flatten().map(|place| place.bottom()).max().unwrap_or(area.y);
        let below = below + u16::from(self.framed && scene.layout != Layout::Points);
        for (spot, place) in scene.spots.iter().zip(&self.boxes) {
            let Some(place) = place else { continue };
            let (column, row) = (spot.x as usize, spot.y as usize);
            buffer.set_string(area.x, place.y + place.height / 2, format!("{:>2}", row + 1), faint);
            let name = match scene.layout {
                Layout::Drop => (column + 1).to_string(),
                _ => column_name(column),
            };
            if below < area.bottom() {
                let wide = usize::from(place.width);
                let name = if wide == 2 { format!("{name:>2}") } else { format!("{name:^wide$}") };
                buffer.set_string(place.x, below, name, faint);
            }
        }
        self.point_beyond(area, below, buffer);
    }

    /// Draws an arrow at each edge beyond which the board continues.
    fn point_beyond(&self, area: Rect, below: u16, buffer: &mut Buffer) {
        let Some(all) = self.boxes.iter().flatten().copied().reduce(|a, b| a.union(b)) else { return };
        let ends = [
            (area.x, below, "◀"),
            (all.right(), below, "▶"),
            (area.x + MARGIN - 2, all.y, "▲"),
            (area.x + MARGIN - 2, all.bottom() - 1, "▼"),
        ];
        for (hidden, (x, y, arrow)) in self.hidden.into_iter().zip(ends) {
            if hidden && area.contains(Position::new(x, y)) {
                buffer.set_string(x, y, arrow, Style::new().add_modifier(Modifier::BOLD));
            }
        }
    }

    /// Labels points without links one by one, above or below.
    fn name_points(&self, scene: &Scene, area: Rect, buffer: &mut Buffer) {
        let faint = Style::new().add_modifier(Modifier::DIM);
        for (spot, place) in scene.spots.iter().zip(&self.boxes) {
            let Some(place) = place else { continue };
            // The last word of a name is its number or its kind.
            let name = spot.name.split(' ').next_back().unwrap_or_default();
            let row = if spot.y > 0.0 { place.y.saturating_sub(1) } else { place.bottom() };
            if (area.y..area.bottom()).contains(&row) {
                let wide = usize::from(place.width);
                let name: String = name.chars().take(wide).collect();
                buffer.set_string(place.x, row, format!("{name:^wide$}"), faint);
            }
        }
    }
}

fn middle(place: Rect) -> (u16, u16) {
    (place.x + place.width / 2, place.y + place.height / 2)
}

/// Returns the text and style of a spot.
fn content(scene: &Scene, at: usize, label: Option<&SpotLabel>) -> (String, Style) {
    let spot = &scene.spots[at];
    let men = |plain: &str| if spot.label.is_empty() { plain.to_string() } else { spot.label.clone() };
    let bold = Style::new().add_modifier(Modifier::BOLD);
    match (spot.holder, label) {
        // A piece that can move or be captured stays visible beside the value's symbol.
        (Some(Holder::First | Holder::Second), Some(label)) => {
            let man = match spot.holder {
                Some(Holder::Second) if scene.layout == Layout::Chess => men("○").to_lowercase(),
                Some(Holder::Second) => men("○"),
                _ => men("●"),
            };
            let symbol: String = label.text.chars().take(1).collect();
            (man + &symbol, colour(label.verdict).add_modifier(Modifier::BOLD))
        }
        (_, Some(label)) => (label.text.clone(), colour(label.verdict).add_modifier(Modifier::BOLD)),
        (Some(Holder::First), _) => (men("●"), bold.fg(FIRST)),
        (Some(Holder::Second), _) => {
            let text = if scene.layout == Layout::Chess { men("○").to_lowercase() } else { men("○") };
            (text, bold.fg(SECOND))
        }
        (Some(Holder::Nobody), _) if scene.layout == Layout::Piles => (men("|"), Style::new()),
        (Some(Holder::Nobody), _) => (men("▒▒▒"), Style::new().add_modifier(Modifier::DIM)),
        (None, None) => (men("·"), Style::new().add_modifier(Modifier::DIM)),
    }
}

/// A line between two points of the screen.
fn link((x0, y0): (u16, u16), (x1, y1): (u16, u16), buffer: &mut Buffer) {
    let (dx, dy) = (i32::from(x1) - i32::from(x0), i32::from(y1) - i32::from(y0));
    let steps = dx.abs().max(dy.abs());
    let symbol = match (dx, dy) {
        (_, 0) => "─",
        (0, _) => "│",
        _ if (dx > 0) == (dy > 0) => "╲",
        _ => "╱",
    };
    for step in 1..steps {
        let x = i32::from(x0) + dx * step / steps;
        let y = i32::from(y0) + dy * step / steps;
        buffer.set_string(x as u16, y as u16, symbol, Style::new().add_modifier(Modifier::DIM));
    }
}

/// Whether a spot is an obstacle, on which no piece is ever placed. Matches of a pile belong to neither player, too.
fn is_obstacle(scene: &Scene, spot: usize) -> bool {
    scene.layout != Layout::Piles && scene.spots[spot].holder == Some(Holder::Nobody)
}

/// Returns the nearest spot in a direction that is no obstacle, or the same one if there is none.
pub(crate) fn neighbour(scene: &Scene, from: usize, dx: f32, dy: f32) -> usize {
    let Some(here) = scene.spots.get(from) else { return 0 };
    let cost = |to: usize| {
        let spot = &scene.spots[to];
        let (x, y) = (spot.x - here.x, spot.y - here.y);
        let along = x * dx + y * dy;
        let aside = (x * dy - y * dx).abs();
        // Deviation from the direction counts three times as much as distance.
        (along > 0.01).then_some(along + 3.0 * aside)
    };
    let free = (0..scene.spots.len()).filter(|&to| !is_obstacle(scene, to));
    let known = free.filter_map(|to| cost(to).map(|cost| (cost, to)));
    known.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(from, |(_, to)| to)
}

/// Returns the spot nearest to the middle, where most games begin, among those where a move begins.
pub(crate) fn first_cursor(scene: &Scene) -> usize {
    let middle = (scene.width / 2.0 - 0.5, scene.height / 2.0 - 0.5);
    let far = |&at: &usize| (scene.spots[at].x - middle.0).abs() + (scene.spots[at].y - middle.1).abs();
    let nearest = |spots: &mut dyn Iterator<Item = usize>| spots.min_by(|a, b| far(a).total_cmp(&far(b)));
    let begins = nearest(&mut scene.moves.iter().filter_map(|gesture| gesture.path.first().copied()));
    let free = || nearest(&mut (0..scene.spots.len()).filter(|&at| !is_obstacle(scene, at)));
    begins.or_else(free).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_core::Spot;

    fn grid(width: usize, height: usize) -> Scene {
        let spot = |at: usize| Spot {
            name: String::new(),
            x: (at / height) as f32,
            y: (at % height) as f32,
            holder: None,
            label: String::new(),
        };
        Scene {
            layout: Layout::Grid,
            width: width as f32,
            height: height as f32,
            spots: (0..width * height).map(spot).collect(),
            ..Scene::default()
        }
    }

    #[test]
    fn every_spot_of_a_small_board_can_be_hit() {
        let scene = grid(7, 6);
        let board = BoardLayout::new(&scene, Rect::new(0, 0, 80, 24), 0);
        for (at, place) in board.boxes.iter().enumerate() {
            let place = place.unwrap_or_else(|| panic!("spot {at} has no place"));
            assert_eq!(board.spot_at(place.x, place.y), Some(at));
            assert_eq!(board.spot_at(place.right() - 1, place.bottom() - 1), Some(at));
        }
    }

    #[test]
    fn large_boards_scroll_to_the_cursor() {
        let scene = grid(100, 100);
        for cursor in [0, 99, 5050, 9900, 9999] {
            for (wide, tall) in [(80, 24), (20, 5), (8, 2)] {
                let board = BoardLayout::new(&scene, Rect::new(0, 0, wide, tall), cursor);
                assert!(board.boxes[cursor].is_some(), "{cursor} on {wide}x{tall}");
            }
        }
    }

    /// Every game's whole board fits beside or above a panel of at least five rows or 25 columns.
    #[test]
    fn boards_fit_ordinary_terminals() {
        let check = |width, height, screen: (u16, u16), most: u16| {
            let scene = grid(width, height);
            // The title and two or three rows of keys.
            let body = Rect::new(0, 1, screen.0, screen.1 - 4);
            let [board, panel] = divide(&scene, 0, body);
            let layout = BoardLayout::new(&scene, board, 0);
            assert!(layout.boxes.iter().all(Option::is_some), "{width}x{height} on {screen:?}");
            assert_eq!(layout.hidden, [false; 4]);
            assert!(panel.width >= PANEL.0 || panel.height >= PANEL.1, "{panel:?}");
            assert!(board.intersection(panel).is_empty() && board.union(panel) == body);
            let widest = layout.boxes.iter().flatten().map(|place| place.width).max();
            assert_eq!(widest, Some(most), "{width}x{height} on {screen:?}");
        };
        check(3, 3, (80, 24), 7);
        check(7, 6, (80, 24), 5);
        check(8, 8, (80, 24), 5);
        check(15, 15, (80, 24), 3);
        check(19, 19, (80, 24), 2);
        check(15, 15, (60, 20), 2);
        check(15, 15, (200, 60), 7);
        check(3, 3, (60, 20), 7);
    }

    #[test]
    fn the_narrowest_board_has_its_cursor_and_arrows() {
        let mut scene = grid(20, 30);
        scene.spots[0].holder = Some(Holder::First);
        let area = Rect::new(0, 0, 34, 6);
        let mut buffer = Buffer::empty(area);
        let selection = Selection { cursor: 0, picked: &[] };
        BoardLayout::new(&scene, area, 0).draw(&scene, &HashMap::new(), &selection, area, &mut buffer);
        let row = |y| (0..34).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_string();
        assert_eq!(row(0), format!(" 5▲ {}", " ·".repeat(14)));
        assert_eq!(row(4), format!(" 1  [●]·{}", " ·".repeat(12)));
        assert_eq!(row(5), "     a b c d e f g h i j k l m n▶");
    }

    #[test]
    fn the_cursor_avoids_obstacles() {
        let mut scene = grid(3, 3);
        scene.spots[4].holder = Some(Holder::Nobody);
        assert_ne!(first_cursor(&scene), 4);
        assert_eq!(neighbour(&scene, 1, 1.0, 0.0), 7);
        assert_eq!(neighbour(&scene, 3, 0.0, 1.0), 5);
        // Where only some spots begin a move, the cursor starts on one of these.
        scene.moves = vec![outplay_core::Gesture { path: vec![8], ..Default::default() }];
        assert_eq!(first_cursor(&scene), 8);
        scene.layout = Layout::Piles;
        assert_eq!(neighbour(&scene, 1, 1.0, 0.0), 4);
    }

    #[test]
    fn arrows_prefer_the_straight_direction() {
        let scene = grid(3, 3);
        assert_eq!(neighbour(&scene, 4, 1.0, 0.0), 7);
        assert_eq!(neighbour(&scene, 4, 0.0, 1.0), 5);
        assert_eq!(neighbour(&scene, 8, 1.0, 0.0), 8);
        assert_eq!(neighbour(&Scene::default(), 0, 1.0, 0.0), 0);
    }
}
