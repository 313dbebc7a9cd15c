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
    let setting = "every placement of one obstacle and of two, exact values from the empty board; --full adds 4x4,k=3 and 5x4";
    let mut findings =
        Findings::new("obstacle-map", "a question of our own, on the boards of Mishra 2014", setting);
    let mut grid = Grid::new(
        "placements by value",
        &["board", "without", "one: win/draw/loss", "two: win/draw/loss", "fewest that change it", "such as"],
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
        let one = singles.iter().position(|verdict| *verdict != bare);
        let two = (0..cells).flat_map(below).find(|&(a, b)| pairs[a][b] != bare);
        let (fewest, example) = match (one, two) {
            (Some(cell), _) => ("1".to_string(), name(cell)),
            (None, Some((a, b))) => ("2".to_string(), format!("{} {}", name(a), name(b))),
            (None, None) => ("more than 2".to_string(), "-".to_string()),
        };
        let split = |of: &[Option<Verdict>]| {
            let count = |verdict| of.iter().filter(|found| **found == Some(verdict)).count();
            format!("{}/{}/{}", count(Verdict::Win), count(Verdict::Draw), count(Verdict::Loss))
        };
        grid.row(vec![board.clone(), word(bare).into(), split(&singles), split(&twos), fewest, example]);
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
    Plot::Map(Map { title, columns, rows, cells, legend })
}
