//! SVG rendering of a recorded search tree.
//!
//! ```text
//!  x: one slot of SLOT pixels per leaf, parents centred above their children
//!  y: one row per ply
//!  ▲ the first player maximises   ▼ the second minimises   ■ game over   ● horizon
//! ```
//!
//! The document is self-contained. Colours show the first player's result: green win, orange draw, vermilion
//! loss, grey heuristic score. The principal variation is thick; pruned moves are faint and dashed.

use crate::tree::{Branch, Cut, Fate, Tree, Worth};
use crate::tree_text::{bounded, odds, window};
use outplay_core::svg::{Element, circle, document, element, group, path, rect, text};
use outplay_core::{Notation, Picture, Tone, Turn, Verdict};

const WIN: &str = "#009E73";
const DRAW: &str = "#E69F00";
const LOSS: &str = "#D55E00";
const OPINION: &str = "#7A8794";
const INK: &str = "#1F2933";
const QUIET: &str = "#52606D";
const FAINT: &str = "#9AA5B1";
const PAPER: &str = "#FBFBF8";

const MARGIN: f64 = 28.0;
const TOP: f64 = 124.0;
const LETTER: f64 = 9.0;
/// The height of a line of a board.
const LINE: f64 = LETTER * 1.1;
/// Largest board that is drawn.
const BOARD_LINES: usize = 6;
const BOARD_LETTERS: usize = 12;
/// Number of positions above which boards are omitted.
const MOST_BOARDS: usize = 120;

/// Coordinates of the drawing.
struct Layout {
    x: Vec<f64>,
    slot: f64,
    row: f64,
    board: Option<(usize, usize)>,
}

/// A child in the drawing: a position, or a stub for several pruned or omitted ones.
enum ChildNode {
    Branch(usize),
    Stub { text: String, title: String, cut: bool },
}

impl<G: Notation> Tree<G> {
    /// Renders the tree as an SVG document.
    pub fn svg(&self, game: &G) -> String {
        let layout = self.layout(game);
        let plies = self.branches.iter().map(|branch| branch.ply + 1).max().unwrap_or(1);
        let leaves: f64 = if self.branches.is_empty() { 1.0 } else { self.slots(game, 0) };
        let width = (leaves * layout.slot + 2.0 * MARGIN).max(850.0);
        let height = TOP + f64::from(plies) * layout.row - if self.note().is_some() { 0.0 } else { 24.0 };
        let mut out = document(width, height)
            .length("width", width.round())
            .length("height", height.round())
            .attr("font-family", "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif")
            .attr("font-size", 12)
            .fill(INK)
            .attr("role", "img")
            .title(format!("{}: {}", game.spec(), self.summary()))
            .with(rect(0, 0, width, height).fill(PAPER));
        self.draw_head(game, &mut out);
        if !self.branches.is_empty() {
            // Edges first, so that positions are drawn on top of them.
            let mut tree = group_at((width - leaves * layout.slot) / 2.0, TOP);
            self.draw_edges(game, 0, &layout, &mut tree);
            let looked_at = |at: &usize| !matches!(self.branches[*at].fate, Fate::CutOff(_));
            tree.extend((0..self.branches.len()).filter(looked_at).map(|at| self.branch(game, at, &layout)));
            out.push(tree);
        }
        out.extend(self.note().map(|note| text(MARGIN, height - 18.0, note).fill(FAINT)));
        format!("{out}\n")
    }

    /// Draws title, summary and legend.
    fn draw_head(&self, game: &G, out: &mut Element) {
        out.push(text(MARGIN, 30, game.spec()).attr("font-size", 17).attr("font-weight", 600));
        out.push(text(MARGIN, 50, self.summary()).fill(QUIET));
        let mut x = MARGIN;
        let mut item = |mark: Element, words: &str, advance: f64| {
            let words = text(13, 4, words).attr("font-size", 11).fill(QUIET);
            out.push(group_at(x, 70.0).with(mark).with(words));
            x += advance;
        };
        let disc = |colour: &str| circle(5, 0, 5).fill(colour);
        item(disc(WIN), "first wins", 82.0);
        item(disc(DRAW), "draw", 52.0);
        item(disc(LOSS), "first loses", 82.0);
        item(disc(OPINION), "opinion", 68.0);
        item(triangle(Turn::First, 6.0, OPINION, 5.0), "first to move, maximises", 168.0);
        item(triangle(Turn::Second, 6.0, OPINION, 5.0), "second to move, minimises", 186.0);
        item(path("M-6 0h14").stroke(FAINT).attr("stroke-dasharray", "3 3"), "cut off", 60.0);
        let mut values = ", with plies counted from the top";
        if self.dice.is_some() {
            let ring = circle(5, 0, 4).fill("none").stroke(OPINION).attr("stroke-width", 2);
            item(ring, "the dice roll", 90.0);
            values = " mean payoffs";
        }
        let words = format!(
            "Values are the first player's{values}; ≥ and ≤ mark bounds; α and β mark the kind of cut-off; the thick line \
             is best play."
        );
        out.push(text(MARGIN, 92, words).attr("font-size", 11).fill(QUIET));
    }

    fn layout(&self, game: &G) -> Layout {
        let mut board = None;
        if self.branches.len() <= MOST_BOARDS {
            let (mut lines, mut letters) = (0, 0);
            for branch in &self.branches {
                let picture = game.draw(&branch.pos, &[]);
                lines = lines.max(picture.lines.len());
                letters =
                    letters.max(picture.plain().lines().map(|line| line.chars().count()).max().unwrap_or(0));
            }
            if lines <= BOARD_LINES && letters <= BOARD_LETTERS {
                board = Some((lines, letters));
            }
        }
        let slot = board.map_or(62.0, |(_, letters)| (letters as f64 * LETTER * 0.62 + 16.0).max(66.0));
        let row = 92.0 + board.map_or(0.0, |(lines, _)| lines as f64 * LINE + 4.0);
        let mut layout = Layout { x: vec![0.0; self.branches.len()], slot, row, board };
        if !self.branches.is_empty() {
            self.place(game, 0, 0.0, &mut layout);
        }
        layout
    }

    /// Assigns a subtree to the slots from `left` on.
    fn place(&self, game: &G, at: usize, left: f64, layout: &mut Layout) {
        layout.x[at] = (left + self.slots(game, at) / 2.0) * layout.slot;
        let mut left = left;
        for below in self.below(game, at) {
            match below {
                ChildNode::Branch(child) => {
                    self.place(game, child, left, layout);
                    left += self.slots(game, child);
                }
                ChildNode::Stub { .. } => left += 1.0,
            }
        }
    }

    /// Number of slots of a subtree.
    fn slots(&self, game: &G, at: usize) -> f64 {
        let below = self.below(game, at);
        let sum = below.iter().map(|below| match below {
            ChildNode::Branch(child) => self.slots(game, *child),
            ChildNode::Stub { .. } => 1.0,
        });
        sum.sum::<f64>().max(1.0)
    }

    /// Lists the children of a branch, from left to right.
    fn below(&self, game: &G, at: usize) -> Vec<ChildNode> {
        let branch = &self.branches[at];
        let is_cut = |child: usize| matches!(self.branches[child].fate, Fate::CutOff(_));
        let mut below: Vec<ChildNode> = branch
            .children
            .iter()
            .filter(|&&child| !is_cut(child))
            .map(|&child| ChildNode::Branch(child))
            .collect();
        let names: Vec<String> = branch
            .children
            .iter()
            .filter(|&&child| is_cut(child))
            .filter_map(|&child| self.branches[child].mv.map(|mv| game.write_move(&branch.pos, mv)))
            .collect();
        let cut = branch.children.iter().find_map(|&child| match self.branches[child].fate {
            Fate::CutOff(cut) => Some(cut),
            _ => None,
        });
        if let Some(cut) = cut {
            let count = names.len() + branch.cut_left_out;
            let text = if count <= 2 && branch.cut_left_out == 0 {
                names.join(" ")
            } else {
                format!("{count} moves")
            };
            let title = format!("{} not searched: {}", names.join(" "), cut.reason());
            below.push(ChildNode::Stub { text: format!("{} {text}", cut_sign(cut)), title, cut: true });
        }
        if branch.left_out > 0 {
            let title = format!("{} positions below are not shown", branch.left_out);
            below.push(ChildNode::Stub { text: format!("… {}", branch.left_out), title, cut: false });
        }
        below
    }

    /// Draws the edges of a subtree.
    fn draw_edges(&self, game: &G, at: usize, layout: &Layout, out: &mut Element) {
        let branch = &self.branches[at];
        let (x, y) = (layout.x[at], f64::from(branch.ply) * layout.row);
        // Edges start below the parent's board.
        let from = y + 12.0 + layout.board.map_or(14.0, |(lines, _)| lines as f64 * LINE + 18.0);
        let curve = |to: f64, end: f64| {
            let middle = (from + end) / 2.0;
            path(format!("M{x:.1} {from:.1}C{x:.1} {middle:.1} {to:.1} {middle:.1} {to:.1} {end:.1}"))
                .fill("none")
        };
        let mut left = (x / layout.slot) - self.slots(game, at) / 2.0;
        for below in self.below(game, at) {
            match below {
                ChildNode::Branch(child) => {
                    let (to, end) = (layout.x[child], y + layout.row - 29.0);
                    let best = self.branches[child].principal;
                    let (stroke, wide) = if best { (INK, 2.6) } else { ("#B8C2CC", 1.2) };
                    out.push(curve(to, end).stroke(stroke).attr("stroke-width", wide));
                    if let Some(mv) = self.branches[child].mv {
                        let words = text(to, end + 11.0, self.edge(game, &branch.pos, child, mv));
                        let words = outlined(words, 11, 4);
                        out.push(if best { words.attr("font-weight", 700) } else { words });
                    }
                    self.draw_edges(game, child, layout, out);
                    left += self.slots(game, child);
                }
                ChildNode::Stub { text: words, title, cut } => {
                    let (to, end) = ((left + 0.5) * layout.slot, (y + layout.row - 30.0).max(from + 8.0));
                    let dashes = if cut { "4 4" } else { "1 4" };
                    let stub = group().attr("opacity", 0.75).title(title);
                    let edge = curve(to, end).stroke(FAINT).attr("stroke-dasharray", dashes);
                    out.push(
                        stub.with(edge).with(outlined(text(to, end + 12.0, words), 10, 3).fill(OPINION)),
                    );
                    left += 1.0;
                }
            }
        }
    }

    /// Label of an edge: the move, its probability, and whether it is a probe of Star2.
    fn edge(&self, game: &G, above: &G::Position, child: usize, mv: G::Move) -> String {
        let Branch { probability, glance, .. } = self.branches[child];
        let mut text = game.write_move(above, mv);
        if let Some(probability) = probability {
            text += &format!(" {}", odds(probability));
        }
        text + if glance { " glance" } else { "" }
    }

    /// Draws a position with its value and, where there is room, its board.
    fn branch(&self, game: &G, at: usize, layout: &Layout) -> Element {
        let branch = &self.branches[at];
        let distance = self.options.distance;
        let colour = branch.worth.map_or(OPINION, |(_, worth)| colour(worth));
        let shape = match branch.fate {
            Fate::Finished => rect(-9, -9, 18, 18).attr("rx", 3).fill(colour),
            Fate::Horizon => circle(0, 0, 8).fill(colour),
            _ if branch.turn == Turn::Chance => {
                circle(0, 0, 9).fill(PAPER).stroke(colour).attr("stroke-width", 3)
            }
            _ => triangle(branch.turn, 12.0, colour, 0.0),
        };
        let worth = branch.worth.map_or(String::new(), |worth| bounded(worth, distance));
        let position = game.write_position(&branch.pos);
        let title = format!("{position}\nworth {worth}, window {}", window(branch.window, distance));
        let mut drawn = group_at(layout.x[at], f64::from(branch.ply) * layout.row)
            .title(title)
            .with(shape)
            .with(outlined(text(0, 23, worth), 11, 3).attr("font-weight", 600).fill(colour));
        drawn.extend(layout.board.map(|(_, letters)| board(&game.draw(&branch.pos, &[]), letters)));
        drawn
    }
}

/// A group with its own origin.
fn group_at(x: f64, y: f64) -> Element {
    group().attr("transform", format!("translate({x:.1} {y:.1})"))
}

/// Centred text with an outline, which stays readable on top of lines.
fn outlined(words: Element, size: u32, outline: u32) -> Element {
    let words = words.anchor("middle").attr("font-size", size).stroke(PAPER);
    words.attr("stroke-width", outline).attr("paint-order", "stroke")
}

/// Draws a small board below its position.
fn board(picture: &Picture, letters: usize) -> Element {
    let left = -(letters as f64) * LETTER * 0.6 / 2.0;
    let mut board = element("text")
        .attr("font-family", "ui-monospace, Menlo, Consolas, monospace")
        .attr("font-size", LETTER)
        .attr("xml:space", "preserve");
    for (i, spans) in picture.lines.iter().enumerate() {
        let mut line = element("tspan").at(left, 34.0 + i as f64 * LINE);
        line.extend(spans.iter().map(|span| {
            let words = element("tspan").words(&span.text);
            match span.tone {
                Tone::Faint => words.fill(FAINT),
                Tone::First => words.fill("#0072B2").attr("font-weight", 700),
                Tone::Second => words.fill("#CC3377").attr("font-weight", 700),
                _ => words,
            }
        }));
        board.push(line);
    }
    board
}

/// A triangle pointing up for the first player, down for the second.
fn triangle(turn: Turn, size: f64, colour: &str, x: f64) -> Element {
    let tip = if turn == Turn::Second { size } else { -size };
    let (left, base, point) = (x - size, -tip * 0.7, tip * 0.8);
    path(format!("M{left:.1} {base:.1}h{:.1}L{x:.1} {point:.1}Z", 2.0 * size))
        .fill(colour)
        .stroke(colour)
        .attr("stroke-width", 2)
        .attr("stroke-linejoin", "round")
}

fn colour(worth: Worth) -> &'static str {
    match worth {
        Worth::Opinion(_) => OPINION,
        Worth::Mean(mean) if mean > 0.0 => WIN,
        Worth::Mean(mean) if mean < 0.0 => LOSS,
        Worth::Mean(_) => DRAW,
        Worth::End(value) => match value.verdict() {
            Verdict::Win => WIN,
            Verdict::Draw => DRAW,
            Verdict::Loss => LOSS,
        },
    }
}

fn cut_sign(cut: Cut) -> &'static str {
    match cut {
        Cut::Alpha => "α✂",
        Cut::Beta => "β✂",
        Cut::BestPayoff => "✂",
        Cut::Dice => "●✂",
    }
}
