//! Text tables with aligned columns.

use crate::terminal::harmless;
use outplay_arena::text::Grid;
use std::io::{self, Write};

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
    let line = |cells: &[String]| {
        let padded = cells.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
            let gap = " ".repeat(width - cell.chars().count());
            if column == 0 { format!("{cell}{gap}") } else { format!("{gap}{cell}") }
        });
        padded.collect::<Vec<String>>().join("  ").trim_end().to_string()
    };
    writeln!(out, "{faint}{}{faint:#}", line(&grid.columns))?;
    for row in &rows {
        writeln!(out, "{}", line(row))?;
    }
    Ok(())
}
