//! `obstacle-map`: what one and two obstacles do to small boards, all placements, and how few change the winner.

use crate::plot::{Colour, Map, Plot};
use crate::{Bench, Findings, Grid};
use outplay_answer::{Place, Trouble};
use outplay_core::{Deadline, Verdict, cell_name, column_name};

/// Boards that take seconds, and those for `--full`.
const QUICK: [(usize, usize, usize, bool); 4] =
    [(3, 3, 3, false), (4, 3, 3, false), (4, 4, 4, false), (4, 4, 4, true)];
const SLOW: [(usize, usize, usize, bool); 3] = [(4, 4, 3, false), (5, 4, 4, false), (5, 4, 4, true)];

const WORDS: [&str; 3] = ["the first player wins", "a draw", "the second player wins"];

pub(crate) fn run(bench: &Bench<'_>) -> Result<Findings, Trouble> {
    let boards: Vec<_> = QUICK.into_iter().chain(SLOW.into_iter().filter(|_| bench.full)).collect();
    let mut findings = Findings::new(
        "every placement of one obstacle and of two, and larger sets where those change nothing (all on 3x3, up to five on 4x4, up to four beyond), symmetric ones once; exact values from the empty board; --full adds 4x4,k=3 and 5x4",
    );
    let mut grid = Grid::new(
        "placements by value",
        &[
            "board",
            "without",
            "one: win/draw/loss",
            "two: win/draw/loss",
            "fewest that change it",
            "smallest sets, symmetric ones once",
            "then",
        ],
    );
    for (width, height, k, gravity) in boards {
        let cells = width * height;
        let name = |cell: usize| cell_name(cell / height, cell % height);
        let board = format!("mnk:{width}x{height},k={k}{}", if gravity { ",gravity" } else { "" });
        bench.watch.stage(&board, (1 + cells + cells * (cells - 1) / 2) as u64);
        let value = |obstacles: &[usize]| -> Result<Option<Verdict>, Trouble> {
            bench.go_on()?;
            bench.watch.advance(1);
            let list: Vec<String> = obstacles.iter().map(|&cell| name(cell)).collect();
            let spec = match list.is_empty() {
                true => board.clone(),
                false => format!("{board},obstacles={}", list.join("+")),
            };
            let entry = bench.catalog.open(&spec)?;
            let answer = entry.query_best(
                &Place::Start,
                &bench.options.impartial(),
                &Deadline::new(None, bench.watch).silent(),
            )?;
            Ok(answer.answer.verdict())
        };
        let bare = value(&[])?;
        let singles = (0..cells).map(|cell| value(&[cell])).collect::<Result<Vec<_>, _>>()?;
        let below = |a: usize| (0..a).map(move |b| (b, a));
        let mut pairs = vec![vec![None; cells]; cells];
        for (a, b) in (0..cells).flat_map(below) {
            pairs[a][b] = value(&[a, b])?;
            pairs[b][a] = pairs[a][b];
        }
        let twos: Vec<Option<Verdict>> = (0..cells).flat_map(below).map(|(a, b)| pairs[a][b]).collect();
        let unknown = singles.iter().chain(&twos).filter(|verdict| verdict.is_none()).count();
        findings.claim(
            unknown == 0 && bare.is_some(),
            format!("{unknown} placements on {board} were not valued in time."),
        );
        let known = |set: &[usize]| match *set {
            [cell] => singles[cell],
            [a, b] => pairs[a][b],
            _ => None,
        };
        let shape = Shape { width, height, gravity };
        let most = match cells {
            ..=9 => cells,
            10..=16 => 5,
            _ => 4,
        };
        bench.watch.stage(&format!("{board}, larger sets"), 0);
        let smallest = shape.smallest(most, |set| {
            let found = match known(set) {
                Some(verdict) => Some(verdict),
                None => value(set)?,
            };
            Ok(found.filter(|found| Some(*found) != bare))
        })?;
        let (fewest, examples, then) = match &smallest[..] {
            [] => (format!("more than {most}"), "-".to_string(), "-".to_string()),
            [(set, verdict), ..] => {
                let names = |set: &[usize]| set.iter().map(|&cell| name(cell)).collect::<Vec<_>>().join("+");
                let shown: Vec<String> = smallest.iter().take(4).map(|(set, _)| names(set)).collect();
                let more = smallest.len().saturating_sub(shown.len());
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                (set.len().to_string(), shown.join(", ") + &more, word(Some(*verdict)).to_string())
            }
        };
        findings.remark(match &smallest[..] {
            [] => format!("{board}: no set of up to {most} obstacles changes who wins."),
            [(set, _), ..] => format!(
                "{board}: {} is enough to change \"{}\" to \"{then}\", at {examples}.",
                match set.len() {
                    1 => "one obstacle".to_string(),
                    many => format!("a set of {many} obstacles"),
                },
                word(bare)
            ),
        });
        let split = |of: &[Option<Verdict>]| {
            let count = |verdict| of.iter().filter(|found| **found == Some(verdict)).count();
            format!("{}/{}/{}", count(Verdict::Win), count(Verdict::Draw), count(Verdict::Loss))
        };
        grid.row(vec![
            board.clone(),
            word(bare).into(),
            split(&singles),
            split(&twos),
            fewest,
            examples,
            then,
        ]);
        let column = |cell: usize| column_name(cell);
        findings.plots.push(map(
            format!("{board}: one obstacle, by its cell"),
            (0..width).map(column).collect(),
            (0..height).rev().map(|row| (row + 1).to_string()).collect(),
            (0..height)
                .rev()
                .map(|row| (0..width).map(|column| word(singles[column * height + row]).into()).collect())
                .collect(),
        ));
        findings.plots.push(map(
            format!("{board}: two obstacles, by their cells"),
            (0..cells).map(name).collect(),
            (0..cells).map(name).collect(),
            (0..cells)
                .map(|a| {
                    let found = |b: usize| if a == b { String::new() } else { word(pairs[a][b]).into() };
                    (0..cells).map(found).collect()
                })
                .collect(),
        ));
    }
    findings.tables.push(grid);
    Ok(findings)
}

/// A board's outline, which says what is symmetric.
struct Shape {
    width: usize,
    height: usize,
    gravity: bool,
}

impl Shape {
    /// The images of a set of cells under everything that leaves the board as it is.
    fn images(&self, set: &[usize]) -> Vec<Vec<usize>> {
        let (w, h) = (self.width, self.height);
        let square = w == h && !self.gravity;
        let mut images = Vec::new();
        for (mirrored, upside_down, turned) in (0..8).map(|way| (way & 1 == 1, way & 2 == 2, way & 4 == 4)) {
            if upside_down && self.gravity || turned && !square {
                continue;
            }
            let image = |&cell: &usize| {
                let (mut column, mut row) = (cell / h, cell % h);
                if mirrored {
                    column = w - 1 - column;
                }
                if upside_down {
                    row = h - 1 - row;
                }
                if turned {
                    (column, row) = (row, column);
                }
                column * h + row
            };
            let mut cells: Vec<usize> = set.iter().map(image).collect();
            cells.sort_unstable();
            images.push(cells);
        }
        images
    }

    /// All smallest sets of at most so many cells that change something, each with what it changes it to, one of
    /// those that are images of each other.
    fn smallest(
        &self,
        most: usize,
        mut changed: impl FnMut(&[usize]) -> Result<Option<Verdict>, Trouble>,
    ) -> Result<Vec<(Vec<usize>, Verdict)>, Trouble> {
        let cells = self.width * self.height;
        for size in 1..=most.min(cells) {
            let mut found = Vec::new();
            let mut set: Vec<usize> = (0..size).collect();
            loop {
                // Of images of each other the first in order stands for all.
                if self.images(&set).into_iter().min().as_deref() == Some(&set[..])
                    && let Some(verdict) = changed(&set)?
                {
                    found.push((set.clone(), verdict));
                }
                // The next set in order: the last cell that can go on does, those after it follow.
                let Some(last) = (0..size).rev().find(|&place| set[place] < cells - size + place) else {
                    break;
                };
                set[last] += 1;
                for place in last + 1..size {
                    set[place] = set[place - 1] + 1;
                }
            }
            if !found.is_empty() {
                return Ok(found);
            }
        }
        Ok(Vec::new())
    }
}

fn word(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::Win) => WORDS[0],
        Some(Verdict::Draw) => WORDS[1],
        Some(Verdict::Loss) => WORDS[2],
        None => "not known",
    }
}

fn map(title: String, columns: Vec<String>, rows: Vec<String>, cells: Vec<Vec<String>>) -> Plot {
    let colours = [Colour::Win, Colour::Draw, Colour::Loss];
    let legend = WORDS.iter().map(|word| (*word).to_string()).zip(colours).collect();
    let (x, y) = ("column or cell".into(), "row or cell".into());
    Plot::Map(Map { title, columns, rows, x, y, cells, notes: Vec::new(), legend })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_tried_once_and_in_order() {
        for (shape, size, different) in [
            // Corner, side and centre; pairs of nine cells up to eight symmetries.
            (Shape { width: 3, height: 3, gravity: false }, 1, 3),
            (Shape { width: 3, height: 3, gravity: false }, 2, 8),
            (Shape { width: 3, height: 3, gravity: true }, 1, 6),
            (Shape { width: 4, height: 3, gravity: false }, 1, 4),
        ] {
            let mut tried = 0;
            let found = shape.smallest(size, |set| {
                tried += usize::from(set.len() == size);
                Ok(None)
            });
            assert_eq!((found.unwrap().len(), tried), (0, different));
        }
        let shape = Shape { width: 3, height: 3, gravity: false };
        let found = shape.smallest(3, |set| Ok((set == [1, 3]).then_some(Verdict::Win))).unwrap();
        assert_eq!(found, [(vec![1, 3], Verdict::Win)]);
    }
}
