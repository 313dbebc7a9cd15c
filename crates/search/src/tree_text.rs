//! Text rendering of a recorded search tree.
//!
//! ```text
//! ▲ x to find a move: draw
//! ├─ a1 ▼ draw
//! │  ├─ b1 ▲ ≤ loss 4
//! │  └╌ c1 c2 cut off: alpha cut-off: …
//! └─ b1 ▼ …
//! ```

use crate::tree::{Bound, Branch, Fate, Tree, Worth};
use outplay_core::{Game, Notation, Turn};
use std::fmt::Write;

/// Formats a value in a word or two: `win 5`, `draw`, `+0.35`.
pub(crate) fn word(worth: Worth, distance: bool) -> String {
    match worth {
        Worth::Opinion(score) => format!("{:+.2}", f64::from(score) / 100.0),
        // Adding 0.0 avoids a negative zero.
        Worth::Mean(mean) => format!("{:+.4}", mean + 0.0),
        Worth::End(value) => {
            let mut text = value.verdict().word().to_string();
            if value.payoff().abs() > 1 {
                text += &format!(" of {}", value.payoff().abs());
            }
            match value.distance() {
                Some(plies) if distance => format!("{text} {plies}"),
                _ => text,
            }
        }
    }
}

/// Formats a value with its bound: `≥ draw`.
pub(crate) fn bounded((bound, worth): (Bound, Worth), distance: bool) -> String {
    let sign = match bound {
        Bound::Exact => "",
        Bound::AtLeast => "≥ ",
        Bound::AtMost => "≤ ",
    };
    format!("{sign}{}", word(worth, distance))
}

/// Formats a probability as a fraction where it is a simple one: `1/6`.
pub(crate) fn odds(probability: f64) -> String {
    let simple = (1..=64).map(f64::from).find(|parts| {
        let part = probability * parts;
        part >= 0.5 && (part - part.round()).abs() < 1e-9
    });
    match simple {
        Some(parts) => format!("{:.0}/{parts:.0}", probability * parts),
        None => format!("{:.2} %", 100.0 * probability),
    }
}

/// Formats a window: `(-∞, draw)`.
pub(crate) fn window(sides: (Option<Worth>, Option<Worth>), distance: bool) -> String {
    let side = |worth: Option<Worth>, open: &str| worth.map_or(open.to_string(), |w| word(w, distance));
    format!("({}, {})", side(sides.0, "-∞"), side(sides.1, "+∞"))
}

/// Sign of a node: the first player maximises, the second minimises.
pub(crate) fn sign<P, M>(branch: &Branch<P, M>) -> &'static str {
    match (branch.fate, branch.turn) {
        (Fate::Finished, _) => "■",
        (Fate::Horizon, _) => "?",
        (_, Turn::Chance) => "●",
        (_, Turn::Second) => "▼",
        _ => "▲",
    }
}

/// Legend of the signs.
const LEGEND: [(&str, &str); 8] = [
    ("▲", "▲ the first player moves"),
    ("▼", "▼ the second"),
    ("●", "● the dice roll"),
    ("glance", "glance: one reply to the dice roll, searched for a bound"),
    ("■", "■ the game is over"),
    ("?", "? evaluated at the horizon"),
    ("*", "* the best line"),
    ("✂", "✂ left out"),
];

impl<G: Notation> Tree<G> {
    /// Renders the tree as text: the player to move (▲ first, ▼ second, ■ game over, ? horizon), the first
    /// player's value with plies from the root, and the window (alpha, beta) where it is not open.
    pub fn text(&self, game: &G) -> String {
        let mut out = format!("{}\n", self.summary());
        if let Some(root) = self.branches.first() {
            let _ = writeln!(out, "{}", self.label(game, 0, &root.pos));
            self.write_children(game, 0, "", &mut out);
        }
        if let Some(note) = self.note() {
            let _ = writeln!(out, "({note})");
        }
        let legend: Vec<&str> =
            LEGEND.iter().filter(|(sign, _)| out.contains(sign)).map(|(_, meaning)| *meaning).collect();
        let what = if self.dice.is_some() { "the first player's mean payoffs" } else { "the first player's" };
        let _ = writeln!(out, "{}; values are {what}", legend.join(", "));
        out
    }

    /// Formats a branch in one line; `above` is the position its move was made in.
    fn label(&self, game: &G, at: usize, above: &<G as Game>::Position) -> String {
        let branch = &self.branches[at];
        let distance = self.options.distance;
        let mut text = branch.mv.map_or(String::new(), |mv| game.write_move(above, mv) + " ");
        if let Some(probability) = branch.probability {
            text += &format!("({}) ", odds(probability));
        }
        if branch.glance {
            text += "glance ";
        }
        text += sign(branch);
        if let Some(worth) = branch.worth {
            text += &format!(" {}", bounded(worth, distance));
        }
        if branch.window != (None, None) && branch.fate == Fate::Expanded {
            text += &format!("  in {}", window(branch.window, distance));
        }
        if branch.principal {
            text += "  *";
        }
        text
    }

    fn write_children(&self, game: &G, at: usize, indent: &str, out: &mut String) {
        let branch = &self.branches[at];
        let cut = |child: &&usize| matches!(self.branches[**child].fate, Fate::CutOff(_));
        let entered: Vec<usize> = branch.children.iter().filter(|child| !cut(child)).copied().collect();
        let names: Vec<String> = branch
            .children
            .iter()
            .filter(cut)
            .filter_map(|&child| self.branches[child].mv.map(|mv| game.write_move(&branch.pos, mv)))
            .collect();
        let reason = branch.children.iter().find_map(|&child| match self.branches[child].fate {
            Fate::CutOff(cut) => Some(cut.reason()),
            _ => None,
        });
        let mut tails = Vec::new();
        if let Some(reason) = reason {
            let more = match branch.cut_left_out {
                0 => String::new(),
                n => format!(" and {n} more"),
            };
            tails.push(format!("✂ {}{more}: {reason}", names.join(" ")));
        }
        if branch.left_out > 0 {
            let plural = if branch.left_out == 1 { "" } else { "s" };
            tails.push(format!("… {} position{plural}", branch.left_out));
        }
        let lines = entered.len() + tails.len();
        for (i, &child) in entered.iter().enumerate() {
            let last = i + 1 == lines;
            let (hook, below) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            let _ = writeln!(out, "{indent}{hook}{}", self.label(game, child, &branch.pos));
            self.write_children(game, child, &format!("{indent}{below}"), out);
        }
        for (i, tail) in tails.iter().enumerate() {
            let hook = if entered.len() + i + 1 == lines { "└╌ " } else { "├╌ " };
            let _ = writeln!(out, "{indent}{hook}{tail}");
        }
    }
}
