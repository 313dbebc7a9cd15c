//! SVG drawing of a position, with the known values of its moves.

use outplay_core::svg::{Element, circle, document, line, rect, text};
use outplay_core::{Holder, Layout, Scene, Spot, Verdict};
use outplay_workbench::MoveAnswer;
use std::collections::BTreeMap;

const WIN: &str = "#009E73";
const DRAW: &str = "#B37A00";
const LOSS: &str = "#D55E00";
const FIRST: &str = "#0072B2";
const SECOND: &str = "#E69F00";
const LINE: &str = "#888";
/// Size of a cell in pixels.
const CELL: f32 = 44.0;
/// Height of the caption above the board, in pixels.
const TOP: f32 = 26.0;
/// Buttons per row.
const ROW: usize = 6;

/// Text and colour of a move's value.
type Label = (String, &'static str);

/// Formats the value of a move to its player.
fn label(answer: &MoveAnswer) -> Option<Label> {
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
    let labels: BTreeMap<&str, Label> =
        answers.iter().filter_map(|answer| Some((answer.mv.as_str(), label(answer)?))).collect();
    let buttons: Vec<&str> =
        scene.moves.iter().filter(|mv| mv.path.is_empty()).map(|mv| mv.mv.as_str()).collect();
    let facts = if scene.spots.is_empty() { scene.facts.as_slice() } else { &[] };
    let facts: Vec<String> = facts.iter().map(|(name, fact)| format!("{name}: {fact}")).collect();
    let rows = buttons.len().div_ceil(ROW) as f32;
    let longest = facts.iter().map(|fact| fact.chars().count()).max().unwrap_or(0);
    let least = (caption.chars().count().max(longest) as f32 * 7.4 + 16.0).max(160.0);
    let width = (scene.width * CELL).max(least).max(buttons.len().min(ROW) as f32 * 72.0 + 8.0).round();
    let below = TOP + scene.height * CELL;
    let height = (below + facts.len() as f32 * 20.0 + rows * 30.0 + 10.0).round();
    let mut svg = document(width, height)
        .length("width", width)
        .length("height", height)
        .attr("font-family", "sans-serif")
        .attr("font-size", 13)
        .with(text(4, 17, caption).fill("currentColor"));
    draw_spots(&mut svg, scene);
    draw_labels(&mut svg, scene, &labels);
    let mut y = below + 16.0;
    for fact in facts {
        svg.push(text(4, y, fact).fill("currentColor"));
        y += 20.0;
    }
    for (place, word) in buttons.iter().enumerate() {
        let (x, y) = (4.0 + (place % ROW) as f32 * 72.0, y - 10.0 + (place / ROW) as f32 * 30.0);
        let (worth, colour) =
            labels.get(word).map_or(("", "currentColor"), |(worth, colour)| (worth.as_str(), colour));
        svg.push(rect(x, y, 68, 24).attr("rx", 4).fill("none").stroke(colour));
        svg.push(text(x + 34.0, y + 16.0, format!("{word} {worth}")).anchor("middle").fill(colour));
    }
    svg.to_string()
}

/// The centre of a spot.
fn centre(scene: &Scene, spot: &Spot) -> (f32, f32) {
    ((spot.x + 0.5) * CELL, TOP + (scene.height - spot.y - 0.5) * CELL)
}

/// Draws the board and the pieces.
fn draw_spots(svg: &mut Element, scene: &Scene) {
    for link in &scene.links {
        let [from, to] = link.map(|end| centre(scene, &scene.spots[end]));
        svg.push(line(from, to).stroke(LINE));
    }
    for (place, spot) in scene.spots.iter().enumerate() {
        let (x, y) = centre(scene, spot);
        if matches!(scene.layout, Layout::Grid | Layout::Drop | Layout::Chess) {
            let dark = scene.layout == Layout::Chess && (spot.x as i32 + spot.y as i32) % 2 == 0;
            let cell = rect(x - CELL / 2.0, y - CELL / 2.0, CELL, CELL);
            svg.push(cell.fill(if dark { "#8884" } else { "none" }).stroke(LINE));
        }
        let colour = match spot.holder {
            None => {
                if scene.layout == Layout::Points {
                    svg.push(circle(x, y, 4).fill(LINE));
                }
                continue;
            }
            Some(Holder::First) => FIRST,
            Some(Holder::Second) => SECOND,
            Some(Holder::Nobody) => LINE,
        };
        let piece = match spot.label.is_empty() {
            true => circle(x, y, 16),
            false => {
                let words = text(x, y + 8.0, &spot.label).anchor("middle");
                words.attr("font-size", 22).attr("font-weight", "bold")
            }
        };
        let piece = piece.fill(colour);
        let decisive = scene.decisive.contains(&place);
        svg.push(if decisive { piece.stroke("currentColor").attr("stroke-width", 3) } else { piece });
    }
}

/// Draws the values of moves at the spots where they end.
fn draw_labels(svg: &mut Element, scene: &Scene, labels: &BTreeMap<&str, Label>) {
    // A spot shows the best of the moves that end there.
    let mut shown: BTreeMap<usize, &Label> = BTreeMap::new();
    let order = |label: &Label| [LOSS, DRAW, WIN].iter().position(|tone| *tone == label.1);
    for gesture in &scene.moves {
        if let (Some(&spot), Some(label)) = (gesture.path.last(), labels.get(gesture.mv.as_str())) {
            let best = shown.entry(spot).or_insert(label);
            if order(label) > order(best) {
                *best = label;
            }
        }
    }
    for (spot, (worth, colour)) in shown {
        let spot = &scene.spots[spot];
        let (x, y) = centre(scene, spot);
        let y = if spot.holder.is_some() { y + 20.0 } else { y + 5.0 };
        svg.push(text(x, y, worth).anchor("middle").fill(colour));
    }
}
