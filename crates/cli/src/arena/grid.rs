//! Output of text tables with aligned columns.
//!
//! A table that is wider than the terminal is printed as several blocks, each of which begins with the first column.

use crate::terminal::harmless;
use outplay_arena::text::Grid;
use std::io::{self, Write};

/// Most columns of characters; further columns of a table follow below, with the first one repeated.
const WIDTH: usize = 100;

/// Writes a table: words left-aligned, figures right-aligned. Cells are escaped: they may hold names from files.
pub(super) fn write_grid(out: &mut impl Write, grid: &Grid) -> io::Result<()> {
    let rows: Vec<Vec<String>> = grid
        .rows
        .iter()
        .map(|row| row.iter().map(|cell| harmless(cell).replace('\n', " ")).collect())
        .collect();
    let faint = anstyle::Style::new().dimmed();
    let bold = anstyle::Style::new().bold();
    if !grid.title.is_empty() {
        writeln!(out, "{bold}{}{bold:#}", grid.title)?;
    }
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.chain(grid.columns.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..grid.columns.len()).map(width).collect();
    for (number, block) in blocks(&widths).into_iter().enumerate() {
        let line = |cells: &[String]| {
            let padded = block.iter().filter_map(|&column| {
                let cell = cells.get(column)?;
                let gap = " ".repeat(widths[column] - cell.chars().count());
                Some(if column == 0 { format!("{cell}{gap}") } else { format!("{gap}{cell}") })
            });
            padded.collect::<Vec<String>>().join("  ").trim_end().to_string()
        };
        if number > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{faint}{}{faint:#}", line(&grid.columns))?;
        for row in &rows {
            writeln!(out, "{}", line(row))?;
        }
    }
    Ok(())
}

/// Divides columns into blocks that fit; each begins with the first column.
fn blocks(widths: &[usize]) -> Vec<Vec<usize>> {
    let mut blocks: Vec<Vec<usize>> = Vec::new();
    let mut used = usize::MAX;
    for (column, width) in widths.iter().enumerate() {
        match blocks.last_mut() {
            Some(block) if used + 2 + width <= WIDTH || block.len() == 1 => {
                block.push(column);
                used += 2 + width;
            }
            Some(_) => {
                blocks.push(vec![0, column]);
                used = widths[0] + 2 + width;
            }
            None => {
                blocks.push(vec![column]);
                used = *width;
            }
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_tables_are_folded() {
        assert_eq!(blocks(&[10, 20, 20]), [vec![0, 1, 2]]);
        assert_eq!(blocks(&[40, 30, 30, 20]), [vec![0, 1], vec![0, 2, 3]]);
        assert_eq!(blocks(&[120, 30]), [vec![0, 1]]);
        let mut grid = Grid::new("", &["player", "score"]);
        grid.row(vec!["a".into(), "1".into()]);
        grid.row(vec!["b".repeat(90), "9".repeat(20)]);
        let mut text = Vec::new();
        write_grid(&mut text, &grid).unwrap();
        assert_eq!(String::from_utf8(text).unwrap().lines().count(), 3);
    }
}
