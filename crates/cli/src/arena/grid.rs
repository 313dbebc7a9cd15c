//! Tables of text.

use outplay_experiments::Grid;
use std::io::{self, Write};

/// A table with its columns aligned: words to the left, figures to the right.
pub(super) fn write_grid(out: &mut impl Write, grid: &Grid) -> io::Result<()> {
    let faint = anstyle::Style::new().dimmed();
    let bold = anstyle::Style::new().bold();
    if !grid.title.is_empty() {
        writeln!(out, "{bold}{}{bold:#}", grid.title)?;
    }
    let width = |column: usize| {
        let cells = grid.rows.iter().filter_map(|row| row.get(column));
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
    for row in &grid.rows {
        writeln!(out, "{}", line(row))?;
    }
    Ok(())
}
