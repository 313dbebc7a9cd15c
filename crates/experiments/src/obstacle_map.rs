//! `obstacle-map`: the values of small boards with one and two obstacles, for every placement, and the smallest sets of
//! obstacles that change the winner.

use crate::plot::{Colour, Map, Plot};
use crate::{Bench, Findings, Grid};
use outplay_core::{Verdict, cell_name, column_name};
use outplay_runtime::Deadline;
use outplay_workbench::{PositionRef, Trouble};

/// Quick boards, and those for `--full`.
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
        let spec = format!("mnk:{width}x{height},k={k}{}", if gravity { ",gravity" } else { "" });
        let board = ExperimentBoard { bench, spec, shape: Shape { width, height, gravity } };
        let values = board.values()?;
        let unknown = values.singles.iter().chain(&values.twos).filter(|verdict| verdict.is_none()).count();
        findings.claim(
            unknown == 0 && values.bare.is_some(),
            format!("{unknown} placements on {} were not valued in time.", board.spec),
        );
        let change = board.change(&values)?;
        findings.remark(change.sentence);
        grid.row(vec![
            board.spec.clone(),
            word(values.bare).into(),
            split(&values.singles),
            split(&values.twos),
            change.fewest,
            change.examples,
            change.then,
        ]);
        findings.plots.extend(board.maps(&values));
    }
    findings.tables.push(grid);
    Ok(findings)
}

/// A board without obstacles.
struct ExperimentBoard<'a> {
    bench: &'a Bench<'a>,
    spec: String,
    shape: Shape,
}

/// The value of a board without obstacles, with one, and with two.
struct ObstacleValues {
    bare: Option<Verdict>,
    singles: Vec<Option<Verdict>>,
    pairs: Vec<Vec<Option<Verdict>>>,
    /// Unordered pairs.
    twos: Vec<Option<Verdict>>,
}

/// The smallest sets of obstacles that change the winner, in words.
struct Change {
    fewest: String,
    examples: String,
    then: String,
    sentence: String,
}

impl ExperimentBoard<'_> {
    /// The value with some obstacles.
    fn value(&self, obstacles: &[usize]) -> Result<Option<Verdict>, Trouble> {
        self.bench.check_cancelled()?;
        self.bench.watch.advance(1);
        let spec = match obstacles.is_empty() {
            true => self.spec.clone(),
            false => format!("{},obstacles={}", self.spec, self.shape.names(obstacles)),
        };
        let entry = self.bench.catalog.open(&spec)?;
        let answer = outplay_workbench::query_best(
            &self.bench.session.impartial(),
            &entry,
            &PositionRef::Start,
            &Deadline::new(None, self.bench.watch).silent(),
        )?;
        Ok(answer.answer.verdict())
    }

    /// The values without obstacles, with every single one and with every pair.
    fn values(&self) -> Result<ObstacleValues, Trouble> {
        let cells = self.shape.cells();
        self.bench.watch.stage(&self.spec, (1 + cells + cells * (cells - 1) / 2) as u64);
        let bare = self.value(&[])?;
        let singles = (0..cells).map(|cell| self.value(&[cell])).collect::<Result<Vec<_>, _>>()?;
        let (mut pairs, mut twos) = (vec![vec![None; cells]; cells], Vec::new());
        for (a, b) in (0..cells).flat_map(|b| (0..b).map(move |a| (a, b))) {
            let value = self.value(&[a, b])?;
            (pairs[a][b], pairs[b][a]) = (value, value);
            twos.push(value);
        }
        Ok(ObstacleValues { bare, singles, pairs, twos })
    }

    /// Searches for smallest sets that change the winner.
    fn change(&self, values: &ObstacleValues) -> Result<Change, Trouble> {
        let ExperimentBoard { shape, spec, .. } = self;
        let most = match shape.cells() {
            cells @ ..=9 => cells,
            10..=16 => 5,
            _ => 4,
        };
        self.bench.watch.stage(&format!("{spec}, larger sets"), 0);
        let known = |set: &[usize]| match *set {
            [cell] => values.singles[cell],
            [a, b] => values.pairs[a][b],
            _ => None,
        };
        let smallest = shape.smallest(most, |set| {
            let found = match known(set) {
                Some(verdict) => Some(verdict),
                None => self.value(set)?,
            };
            Ok(found.filter(|found| Some(*found) != values.bare))
        })?;
        let Some((set, verdict)) = smallest.first() else {
            return Ok(Change {
                fewest: format!("more than {most}"),
                examples: "-".into(),
                then: "-".into(),
                sentence: format!("{spec}: no set of up to {most} obstacles changes who wins."),
            });
        };
        let shown: Vec<String> = smallest.iter().take(4).map(|(set, _)| shape.names(set)).collect();
        let more = smallest.len().saturating_sub(shown.len());
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let (examples, then) = (shown.join(", ") + &more, word(Some(*verdict)).to_string());
        let obstacles = match set.len() {
            1 => "one obstacle".to_string(),
            many => format!("a set of {many} obstacles"),
        };
        let before = word(values.bare);
        let sentence =
            format!("{spec}: {obstacles} is enough to change \"{before}\" to \"{then}\", at {examples}.");
        Ok(Change { fewest: set.len().to_string(), examples, then, sentence })
    }

    /// Maps of the values with one obstacle and with two, by cell.
    fn maps(&self, values: &ObstacleValues) -> [Plot; 2] {
        let Shape { width, height, .. } = self.shape;
        let cells = self.shape.cells();
        let names: Vec<String> = (0..cells).map(|cell| self.shape.names(&[cell])).collect();
        let one = |row: usize| {
            (0..width).map(|column| word(values.singles[column * height + row]).into()).collect()
        };
        let two = |a: usize| {
            let found = |b: usize| if a == b { String::new() } else { word(values.pairs[a][b]).into() };
            (0..cells).map(found).collect()
        };
        [
            map(
                format!("{}: one obstacle, by its cell", self.spec),
                (0..width).map(column_name).collect(),
                (0..height).rev().map(|row| (row + 1).to_string()).collect(),
                (0..height).rev().map(one).collect(),
            ),
            map(
                format!("{}: two obstacles, by their cells", self.spec),
                names.clone(),
                names,
                (0..cells).map(two).collect(),
            ),
        ]
    }
}

/// Counts won, drawn and lost placements.
fn split(of: &[Option<Verdict>]) -> String {
    let count = |verdict| of.iter().filter(|found| **found == Some(verdict)).count();
    format!("{}/{}/{}", count(Verdict::Win), count(Verdict::Draw), count(Verdict::Loss))
}

/// The dimensions of a board, which determine its symmetries.
struct Shape {
    width: usize,
    height: usize,
    gravity: bool,
}

impl Shape {
    fn cells(&self) -> usize {
        self.width * self.height
    }

    /// Names of cells as in specs of games.
    fn names(&self, set: &[usize]) -> String {
        let name = |&cell: &usize| cell_name(cell / self.height, cell % self.height);
        set.iter().map(name).collect::<Vec<_>>().join("+")
    }

    /// The images of a set of cells under the symmetries of the board.
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

    /// All smallest sets of at most `most` cells that change something, each with the new value, one per symmetry
    /// class.
    fn smallest(
        &self,
        most: usize,
        mut changed: impl FnMut(&[usize]) -> Result<Option<Verdict>, Trouble>,
    ) -> Result<Vec<(Vec<usize>, Verdict)>, Trouble> {
        let cells = self.cells();
        for size in 1..=most.min(cells) {
            let mut found = Vec::new();
            let mut set: Vec<usize> = (0..size).collect();
            loop {
                // The first image in order represents its class.
                if self.images(&set).into_iter().min().as_deref() == Some(&set[..])
                    && let Some(verdict) = changed(&set)?
                {
                    found.push((set.clone(), verdict));
                }
                // The next combination in lexicographic order.
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
    fn each_symmetry_class_is_tried_once_in_order() {
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
