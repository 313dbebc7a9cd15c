//! A position as a picture: its scene, with what its moves are worth where they are known.

use outplay_answer::MoveAnswer;
use outplay_core::{Holder, Layout, Scene, Verdict};
use std::collections::BTreeMap;
use std::fmt::Write;

const WIN: &str = "#009E73";
const DRAW: &str = "#B37A00";
const LOSS: &str = "#D55E00";
const FIRST: &str = "#0072B2";
const SECOND: &str = "#E69F00";
const LINE: &str = "#888";
/// Pixels of a cell.
const CELL: f32 = 44.0;
/// Buttons in a row.
const ROW: usize = 6;

/// Text that may stand between tags.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// What a move is worth to the player who makes it, in a few characters, and its colour.
fn label(answer: &MoveAnswer) -> Option<(String, &'static str)> {
    if let Some(expected) = answer.answer.expected() {
        return Some((format!("{expected:.2}"), FIRST));
    }
    let plies = answer.answer.distance().map(|plies| plies.to_string()).unwrap_or_default();
    Some(match answer.answer.verdict()? {
        Verdict::Win => (format!("+{plies}"), WIN),
        Verdict::Draw => ("=".into(), DRAW),
        Verdict::Loss => (format!("−{plies}"), LOSS),
    })
}

/// Draws a scene.
pub(crate) fn draw(scene: &Scene, answers: &[MoveAnswer], caption: &str) -> String {
    let words: BTreeMap<&str, (String, &'static str)> =
        answers.iter().filter_map(|answer| Some((answer.mv.as_str(), label(answer)?))).collect();
    let top = 26.0;
    let board = scene.height * CELL;
    let buttons: Vec<&str> =
        scene.moves.iter().filter(|mv| mv.path.is_empty()).map(|mv| mv.mv.as_str()).collect();
    let facts = if scene.spots.is_empty() { scene.facts.as_slice() } else { &[] };
    let rows = buttons.len().div_ceil(ROW) as f32;
    let longest =
        facts.iter().map(|(name, fact)| name.chars().count() + fact.chars().count() + 2).max().unwrap_or(0);
    let least = (caption.chars().count().max(longest) as f32 * 7.4 + 16.0).max(160.0);
    let width = (scene.width * CELL).max(least).max(buttons.len().min(ROW) as f32 * 72.0 + 8.0);
    let height = top + board + facts.len() as f32 * 20.0 + rows * 30.0 + 10.0;
    let mut svg = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" \
         font-family=\"sans-serif\" font-size=\"13\"><text x=\"4\" y=\"17\" fill=\"currentColor\">{}</text>",
        escaped(caption)
    );
    let at = |x: f32, y: f32| ((x + 0.5) * CELL, top + board - (y + 0.5) * CELL);
    for [a, b] in &scene.links {
        let ((ax, ay), (bx, by)) =
            (at(scene.spots[*a].x, scene.spots[*a].y), at(scene.spots[*b].x, scene.spots[*b].y));
        let _ = write!(svg, "<line x1=\"{ax}\" y1=\"{ay}\" x2=\"{bx}\" y2=\"{by}\" stroke=\"{LINE}\"/>");
    }
    for (place, spot) in scene.spots.iter().enumerate() {
        let (x, y) = at(spot.x, spot.y);
        let (left, up) = (x - CELL / 2.0, y - CELL / 2.0);
        let ended = scene.decisive.contains(&place);
        if matches!(scene.layout, Layout::Grid | Layout::Drop | Layout::Chess) {
            let dark = scene.layout == Layout::Chess && (spot.x as i32 + spot.y as i32) % 2 == 0;
            let fill = if dark { "#8884" } else { "none" };
            let _ = write!(
                svg,
                "<rect x=\"{left}\" y=\"{up}\" width=\"{CELL}\" height=\"{CELL}\" fill=\"{fill}\" stroke=\"{LINE}\"/>"
            );
        }
        let colour = match spot.holder {
            None => {
                if scene.layout == Layout::Points {
                    let _ = write!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"4\" fill=\"{LINE}\"/>");
                }
                continue;
            }
            Some(Holder::First) => FIRST,
            Some(Holder::Second) => SECOND,
            Some(Holder::Nobody) => LINE,
        };
        let rim = if ended { "stroke=\"currentColor\" stroke-width=\"3\"" } else { "" };
        if spot.label.is_empty() {
            let _ = write!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"16\" fill=\"{colour}\" {rim}/>");
        } else {
            let _ = write!(
                svg,
                "<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\" font-size=\"22\" font-weight=\"bold\" fill=\"{colour}\" {rim}>{}</text>",
                y + 8.0,
                escaped(&spot.label)
            );
        }
    }
    // A spot shows the best of the moves that end there.
    let mut shown: BTreeMap<usize, &(String, &'static str)> = BTreeMap::new();
    for gesture in &scene.moves {
        if let (Some(&spot), Some(label)) = (gesture.path.last(), words.get(gesture.mv.as_str())) {
            let best = shown.entry(spot).or_insert(label);
            if [LOSS, DRAW, WIN].iter().position(|tone| *tone == label.1)
                > [LOSS, DRAW, WIN].iter().position(|tone| *tone == best.1)
            {
                *best = label;
            }
        }
    }
    for (spot, (text, colour)) in shown {
        let spot = &scene.spots[spot];
        let (x, y) = at(spot.x, spot.y);
        let y = if spot.holder.is_some() { y + 20.0 } else { y + 5.0 };
        let _ =
            write!(svg, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\" fill=\"{colour}\">{text}</text>");
    }
    let mut y = top + board + 16.0;
    for (name, fact) in facts {
        let _ = write!(
            svg,
            "<text x=\"4\" y=\"{y}\" fill=\"currentColor\">{}: {}</text>",
            escaped(name),
            escaped(fact)
        );
        y += 20.0;
    }
    for (place, word) in buttons.iter().enumerate() {
        let (x, y) = (4.0 + (place % ROW) as f32 * 72.0, y - 10.0 + (place / ROW) as f32 * 30.0);
        let (text, colour) =
            words.get(word).map_or(("", "currentColor"), |(text, colour)| (text.as_str(), colour));
        let _ = write!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"68\" height=\"24\" rx=\"4\" fill=\"none\" stroke=\"{colour}\"/>\
             <text x=\"{}\" y=\"{}\" text-anchor=\"middle\" fill=\"{colour}\">{} {text}</text>",
            x + 34.0,
            y + 16.0,
            escaped(word)
        );
    }
    svg += "</svg>";
    svg
}
