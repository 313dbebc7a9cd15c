//! A recorded search as a picture: one self-contained SVG file.
//!
//! ```text
//!  x: one slot of SLOT pixels per leaf, parents in the middle of their children
//!  y: one row per ply
//!  ▲ the first player maximises   ▼ the second minimises   ■ game over   ● horizon
//! ```
//!
//! Colours are the first player's: green wins, orange draws, vermilion loses, grey is only an opinion. The
//! principal variation is thick; what was cut off is faint and dashed.

use crate::tree::{Branch, Cut, Fate, Tree, Worth};
use crate::tree_text::{bounded, odds, window};
use outplay_core::figures::escaped;
use outplay_core::{Notation, Picture, Tone, Turn, Verdict};
use std::fmt::Write;

const WIN: &str = "#009E73";
const DRAW: &str = "#E69F00";
const LOSS: &str = "#D55E00";
const OPINION: &str = "#7A8794";
const INK: &str = "#1F2933";
const FAINT: &str = "#9AA5B1";
const PAPER: &str = "#FBFBF8";

const MARGIN: f64 = 28.0;
const TOP: f64 = 124.0;
const LETTER: f64 = 9.0;
/// A position's board is drawn if it is no larger than this.
const BOARD_LINES: usize = 6;
const BOARD_LETTERS: usize = 12;
/// Above this many positions boards would only be noise.
const MOST_BOARDS: usize = 120;

/// Where things go.
struct Layout {
    x: Vec<f64>,
    slot: f64,
    row: f64,
    board: Option<(usize, usize)>,
}

/// What is drawn below a branch: single positions, or several cut-off ones as one.
enum Below {
    Branch(usize),
    Stub { text: String, title: String, cut: bool },
}

impl<G: Notation> Tree<G> {
    /// The tree as an SVG document.
    pub fn svg(&self, game: &G) -> String {
        let layout = self.layout(game);
        let plies = self.branches.iter().map(|branch| branch.ply + 1).max().unwrap_or(1);
        let leaves: f64 = if self.branches.is_empty() { 1.0 } else { self.slots(game, 0) };
        let width = (leaves * layout.slot + 2.0 * MARGIN).max(850.0);
        let height = TOP + f64::from(plies) * layout.row - if self.note().is_some() { 0.0 } else { 24.0 };
        let mut out = String::new();
        let _ = write!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             width=\"{width:.0}\" height=\"{height:.0}\" font-family=\"system-ui, -apple-system, 'Segoe UI', \
             Roboto, sans-serif\" font-size=\"12\" fill=\"{INK}\" role=\"img\">\n\
             <title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"{PAPER}\"/>\n",
            escaped(&format!("{}: {}", game.spec(), self.summary()))
        );
        self.write_head(game, &mut out);
        if !self.branches.is_empty() {
            // Edges first, so that positions lie on top of them.
            let shift = (width - leaves * layout.slot) / 2.0;
            let _ = writeln!(out, "<g transform=\"translate({shift:.1} {TOP})\">");
            self.write_edges(game, 0, &layout, &mut out);
            for at in 0..self.branches.len() {
                if !matches!(self.branches[at].fate, Fate::CutOff(_)) {
                    self.write_branch(game, at, &layout, &mut out);
                }
            }
            out += "</g>\n";
        }
        if let Some(note) = self.note() {
            let _ = writeln!(
                out,
                "<text x=\"{MARGIN}\" y=\"{:.0}\" fill=\"{FAINT}\">{}</text>",
                height - 18.0,
                escaped(&note)
            );
        }
        out + "</svg>\n"
    }

    /// Title, summary and legend.
    fn write_head(&self, game: &G, out: &mut String) {
        let _ = writeln!(
            out,
            "<text x=\"{MARGIN}\" y=\"30\" font-size=\"17\" font-weight=\"600\">{}</text>\n\
             <text x=\"{MARGIN}\" y=\"50\" fill=\"#52606D\">{}</text>",
            escaped(&game.spec()),
            escaped(&self.summary())
        );
        let mut x = MARGIN;
        let mut item = |mark: String, text: &str, advance: f64| {
            let _ = writeln!(
                out,
                "<g transform=\"translate({x:.1} 70)\">{mark}<text x=\"13\" y=\"4\" font-size=\"11\" \
                 fill=\"#52606D\">{text}</text></g>"
            );
            x += advance;
        };
        let disc = |colour: &str| format!("<circle cx=\"5\" r=\"5\" fill=\"{colour}\"/>");
        item(disc(WIN), "first wins", 82.0);
        item(disc(DRAW), "draw", 52.0);
        item(disc(LOSS), "first loses", 82.0);
        item(disc(OPINION), "opinion", 68.0);
        item(triangle(Turn::First, 6.0, OPINION, 5.0), "first to move, maximises", 168.0);
        item(triangle(Turn::Second, 6.0, OPINION, 5.0), "second to move, minimises", 186.0);
        let dashes = format!("<path d=\"M-6 0h14\" stroke=\"{FAINT}\" stroke-dasharray=\"3 3\"/>");
        item(dashes, "cut off", 60.0);
        if self.dice.is_some() {
            let ring =
                format!("<circle cx=\"5\" r=\"4\" fill=\"none\" stroke=\"{OPINION}\" stroke-width=\"2\"/>");
            item(ring, "the dice roll", 90.0);
        }
        let _ = writeln!(
            out,
            "<text x=\"{MARGIN}\" y=\"92\" font-size=\"11\" fill=\"#52606D\">Values are the first player's{}; ≥ and ≤ mark \
             bounds; α and β tell the kind of cut-off; the thick line is best play.</text>",
            if self.dice.is_some() { " mean payoffs" } else { ", with plies counted from the top" }
        );
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
        let row = 92.0 + board.map_or(0.0, |(lines, _)| lines as f64 * LETTER * 1.1 + 4.0);
        let mut layout = Layout { x: vec![0.0; self.branches.len()], slot, row, board };
        if !self.branches.is_empty() {
            self.place(game, 0, 0.0, &mut layout);
        }
        layout
    }

    /// Puts a branch and all below it into the slots from `left` on.
    fn place(&self, game: &G, at: usize, left: f64, layout: &mut Layout) {
        layout.x[at] = (left + self.slots(game, at) / 2.0) * layout.slot;
        let mut left = left;
        for below in self.below(game, at) {
            match below {
                Below::Branch(child) => {
                    self.place(game, child, left, layout);
                    left += self.slots(game, child);
                }
                Below::Stub { .. } => left += 1.0,
            }
        }
    }

    /// How many slots a branch and all below it take.
    fn slots(&self, game: &G, at: usize) -> f64 {
        let below = self.below(game, at);
        let sum = below.iter().map(|below| match below {
            Below::Branch(child) => self.slots(game, *child),
            Below::Stub { .. } => 1.0,
        });
        sum.sum::<f64>().max(1.0)
    }

    /// What hangs below a branch, from left to right.
    fn below(&self, game: &G, at: usize) -> Vec<Below> {
        let branch = &self.branches[at];
        let is_cut = |child: usize| matches!(self.branches[child].fate, Fate::CutOff(_));
        let mut below: Vec<Below> = branch
            .children
            .iter()
            .filter(|&&child| !is_cut(child))
            .map(|&child| Below::Branch(child))
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
            let title = format!("{} not looked at: {}", names.join(" "), cut.reason());
            below.push(Below::Stub { text: format!("{} {text}", cut_sign(cut)), title, cut: true });
        }
        if branch.left_out > 0 {
            let title = format!("{} positions below are not shown", branch.left_out);
            below.push(Below::Stub { text: format!("… {}", branch.left_out), title, cut: false });
        }
        below
    }

    fn write_edges(&self, game: &G, at: usize, layout: &Layout, out: &mut String) {
        let branch = &self.branches[at];
        let (x, y) = (layout.x[at], f64::from(branch.ply) * layout.row);
        let foot = y + 12.0;
        let drop = layout.row - 30.0;
        let mut left = (x / layout.slot) - self.slots(game, at) / 2.0;
        for below in self.below(game, at) {
            match below {
                Below::Branch(child) => {
                    let (to, thick) = (layout.x[child], self.branches[child].principal);
                    let (stroke, wide) = if thick { (INK, 2.6) } else { ("#B8C2CC", 1.2) };
                    // The board of the parent hangs below it; edges start under that.
                    let from =
                        foot + layout.board.map_or(14.0, |(lines, _)| lines as f64 * LETTER * 1.1 + 18.0);
                    let end = y + layout.row - 29.0;
                    let middle = (from + end) / 2.0;
                    let _ = writeln!(
                        out,
                        "<path d=\"M{x:.1} {from:.1}C{x:.1} {middle:.1} {to:.1} {middle:.1} {to:.1} {end:.1}\" \
                         fill=\"none\" stroke=\"{stroke}\" stroke-width=\"{wide}\"/>"
                    );
                    if let Some(mv) = self.branches[child].mv {
                        let _ = writeln!(
                            out,
                            "<text x=\"{to:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"11\" stroke=\"{PAPER}\" \
                             stroke-width=\"4\" paint-order=\"stroke\"{}>{}</text>",
                            end + 11.0,
                            if thick { " font-weight=\"700\"" } else { "" },
                            escaped(&self.edge(game, &branch.pos, child, mv))
                        );
                    }
                    self.write_edges(game, child, layout, out);
                    left += self.slots(game, child);
                }
                Below::Stub { text, title, cut } => {
                    let to = (left + 0.5) * layout.slot;
                    let from =
                        foot + layout.board.map_or(14.0, |(lines, _)| lines as f64 * LETTER * 1.1 + 18.0);
                    let end = (y + drop).max(from + 8.0);
                    let middle = (from + end) / 2.0;
                    let dash = if cut { " stroke-dasharray=\"4 4\"" } else { " stroke-dasharray=\"1 4\"" };
                    let _ = writeln!(
                        out,
                        "<g opacity=\"0.75\"><title>{}</title><path d=\"M{x:.1} {from:.1}C{x:.1} {middle:.1} {to:.1} \
                         {middle:.1} {to:.1} {end:.1}\" fill=\"none\" stroke=\"{FAINT}\"{dash}/>\
                         <text x=\"{to:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"10\" fill=\"{OPINION}\" \
                         stroke=\"{PAPER}\" stroke-width=\"3\" paint-order=\"stroke\">{}</text></g>",
                        escaped(&title),
                        end + 12.0,
                        escaped(&text)
                    );
                    left += 1.0;
                }
            }
        }
    }

    /// What stands at an edge: the move, how likely it is, and whether it is only a glance.
    fn edge(&self, game: &G, above: &G::Position, child: usize, mv: G::Move) -> String {
        let Branch { probability, glance, .. } = self.branches[child];
        let mut text = game.write_move(above, mv);
        if let Some(probability) = probability {
            text += &format!(" {}", odds(probability));
        }
        text + if glance { " glance" } else { "" }
    }

    fn write_branch(&self, game: &G, at: usize, layout: &Layout, out: &mut String) {
        let branch = &self.branches[at];
        let distance = self.options.distance;
        let colour = branch.worth.map_or(OPINION, |(_, worth)| colour(worth));
        let shape = match branch.fate {
            Fate::Finished => {
                format!("<rect x=\"-9\" y=\"-9\" width=\"18\" height=\"18\" rx=\"3\" fill=\"{colour}\"/>")
            }
            Fate::Horizon => format!("<circle r=\"8\" fill=\"{colour}\"/>"),
            _ if branch.turn == Turn::Chance => {
                format!("<circle r=\"9\" fill=\"{PAPER}\" stroke=\"{colour}\" stroke-width=\"3\"/>")
            }
            _ => triangle(branch.turn, 12.0, colour, 0.0),
        };
        let worth = branch.worth.map_or(String::new(), |worth| bounded(worth, distance));
        let title = format!(
            "{}\nworth {worth}, window {}",
            game.write_position(&branch.pos),
            window(branch.window, distance)
        );
        let _ = writeln!(
            out,
            "<g transform=\"translate({:.1} {:.1})\"><title>{}</title>{shape}\
             <text y=\"23\" text-anchor=\"middle\" font-size=\"11\" font-weight=\"600\" fill=\"{colour}\" stroke=\"{PAPER}\" \
             stroke-width=\"3\" paint-order=\"stroke\">{}</text>",
            layout.x[at],
            f64::from(branch.ply) * layout.row,
            escaped(&title),
            escaped(&worth)
        );
        if let Some((_, letters)) = layout.board {
            write_board(&game.draw(&branch.pos, &[]), letters, out);
        }
        out.push_str("</g>\n");
    }
}

/// A board below its position, in small letters.
fn write_board(picture: &Picture, letters: usize, out: &mut String) {
    let left = -(letters as f64) * LETTER * 0.6 / 2.0;
    let _ = write!(
        out,
        "<text font-family=\"ui-monospace, Menlo, Consolas, monospace\" font-size=\"{LETTER}\" xml:space=\"preserve\">"
    );
    for (i, line) in picture.lines.iter().enumerate() {
        let y = 34.0 + i as f64 * LETTER * 1.1;
        let _ = write!(out, "<tspan x=\"{left:.1}\" y=\"{y:.1}\">");
        for span in line {
            let style = match span.tone {
                Tone::Faint => format!(" fill=\"{FAINT}\""),
                Tone::First => " fill=\"#0072B2\" font-weight=\"700\"".to_string(),
                Tone::Second => " fill=\"#CC3377\" font-weight=\"700\"".to_string(),
                _ => String::new(),
            };
            let _ = write!(out, "<tspan{style}>{}</tspan>", escaped(&span.text));
        }
        out.push_str("</tspan>");
    }
    out.push_str("</text>");
}

/// Upwards for the first player, downwards for the second.
fn triangle(turn: Turn, size: f64, colour: &str, x: f64) -> String {
    let tip = if turn == Turn::Second { size } else { -size };
    format!(
        "<path d=\"M{:.1} {:.1}h{:.1}L{x:.1} {:.1}Z\" fill=\"{colour}\" stroke=\"{colour}\" stroke-width=\"2\" \
         stroke-linejoin=\"round\"/>",
        x - size,
        -tip * 0.7,
        2.0 * size,
        tip * 0.8
    )
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
