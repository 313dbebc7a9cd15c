//! Writer of a file of rows (JSON lines, CSV or npz); the extension of its name determines the format.
//!
//! The target is replaced when [`Rows::finish`] succeeds; until then, rows are written to a temporary file next to it
//! ([`Partial`]).

use crate::{Block, Column, ColumnType, DataError, Npz, Partial, Row};
use outplay_core::Turn;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// File format of a data set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// One JSON object per line.
    Lines,
    /// Comma-separated values with a header line.
    Csv,
    /// NumPy columns.
    Npz,
}

impl Form {
    /// The format of a file name's extension.
    ///
    /// # Errors
    ///
    /// An unknown extension.
    pub fn of(file: &Path) -> Result<Form, DataError> {
        match file.extension().and_then(|ending| ending.to_str()) {
            Some("jsonl") => Ok(Form::Lines),
            Some("csv") => Ok(Form::Csv),
            Some("npz") => Ok(Form::Npz),
            _ => Err(DataError::Form(file.display().to_string())),
        }
    }

    /// Formats rows as lines of text, ready for [`Rows::append`].
    ///
    /// # Errors
    ///
    /// The npz format, which has no lines.
    pub fn lines(self, rows: &[Row]) -> Result<String, DataError> {
        let mut text = String::new();
        for row in rows {
            match self {
                Form::Lines => {
                    // Rows have string keys and finite numbers, which always serialise.
                    let line =
                        serde_json::to_string(row).map_err(|error| DataError::Row(error.to_string()))?;
                    text += &line;
                }
                Form::Csv => text += &comma_line(row),
                Form::Npz => return Err(DataError::ByLine),
            }
            text.push('\n');
        }
        Ok(text)
    }
}

/// The header line of a CSV file.
const COLUMNS: &str = "position,to_move,ply,value,distance,best,mask,legal";

/// Mask entry in an npz for a move that the position does not have.
const NO_MOVE: u8 = 255;

/// Writer of a file of rows.
pub struct Rows {
    path: PathBuf,
    kind: RowSink,
}

enum RowSink {
    Lines(Form, BufWriter<Partial>),
    /// Buffered, because the widths of columns depend on all rows.
    Npz(Vec<Row>),
}

impl Rows {
    /// Creates a file.
    ///
    /// # Errors
    ///
    /// A directory without write access.
    pub fn create(path: &Path, form: Form) -> Result<Rows, DataError> {
        let trouble = |error| DataError::file(path, error);
        let kind = match form {
            Form::Npz => RowSink::Npz(Vec::new()),
            form => {
                let mut file = BufWriter::new(Partial::create(path)?);
                if form == Form::Csv {
                    writeln!(file, "{COLUMNS}").map_err(trouble)?;
                }
                RowSink::Lines(form, file)
            }
        };
        Ok(Rows { path: path.into(), kind })
    }

    /// Appends a row.
    ///
    /// # Errors
    ///
    /// A full disk.
    pub fn push(&mut self, row: &Row) -> Result<(), DataError> {
        match &mut self.kind {
            RowSink::Npz(rows) => {
                rows.push(row.clone());
                Ok(())
            }
            RowSink::Lines(form, _) => {
                let line = form.lines(std::slice::from_ref(row))?;
                self.append(&line)
            }
        }
    }

    /// Appends rows that are already formatted as lines of the file's format.
    ///
    /// # Errors
    ///
    /// An npz file, or a full disk.
    pub fn append(&mut self, lines: &str) -> Result<(), DataError> {
        match &mut self.kind {
            RowSink::Lines(_, file) => {
                file.write_all(lines.as_bytes()).map_err(|error| DataError::file(&self.path, error))
            }
            RowSink::Npz(_) => Err(DataError::ByLine),
        }
    }

    /// Renames the temporary file to its final name.
    ///
    /// # Errors
    ///
    /// A full disk.
    pub fn finish(self) -> Result<(), DataError> {
        let path = &self.path;
        match self.kind {
            RowSink::Lines(_, file) => {
                let file = file.into_inner().map_err(|error| DataError::file(path, error.into_error()))?;
                file.finish().map_err(|error| DataError::file(path, error))
            }
            RowSink::Npz(rows) => write_npz(path, &rows),
        }
    }
}

/// Quotes a CSV field if it contains a comma or a quote.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_string()
    }
}

fn turn(turn: Turn) -> &'static str {
    match turn {
        Turn::First => "first",
        Turn::Second => "second",
        Turn::Chance => "chance",
    }
}

/// Formats a mask as a JSON list: bare digits would be read as a number without leading zeros.
fn listed(mask: &str) -> String {
    let digits: Vec<String> = mask.chars().map(String::from).collect();
    format!("[{}]", digits.join(","))
}

fn comma_line(row: &Row) -> String {
    fn number<T: ToString>(number: Option<T>) -> String {
        number.map(|number| number.to_string()).unwrap_or_default()
    }
    let best = row.best.as_ref();
    let names = |names: &[String]| quoted(&names.join(" "));
    [
        quoted(&row.position),
        turn(row.to_move).into(),
        number(row.ply),
        number(row.value),
        number(row.distance),
        best.map(|best| names(&best.names)).unwrap_or_default(),
        best.map(|best| quoted(&listed(&best.mask))).unwrap_or_default(),
        row.legal.as_deref().map(names).unwrap_or_default(),
    ]
    .join(",")
}

/// Writes rows as columns: text for names, numbers with −1 (or NaN) for unknown values, and masks as wide as the
/// largest number of moves.
fn write_npz(path: &Path, rows: &[Row]) -> Result<(), DataError> {
    let names = |names: Option<&Vec<String>>| names.map(|names| names.join(" ")).unwrap_or_default();
    let widest = |words: fn(&Row) -> usize| rows.iter().map(words).max().unwrap_or(0);
    let chars = widest(|row| row.position.chars().count()).max(1);
    let moves = widest(|row| row.best.as_ref().map_or(0, |best| best.mask.len()));
    let mut columns = vec![
        Column::new("position", ColumnType::Text(chars)),
        Column::new("to_move", ColumnType::Int8),
        Column::new("ply", ColumnType::Int32),
        Column::new("value", ColumnType::Float64),
        Column::new("distance", ColumnType::Int32),
    ];
    let asked = rows.iter().any(|row| row.best.is_some());
    if asked {
        columns.push(Column::new("best", ColumnType::Words));
        columns.push(Column::new("mask", ColumnType::Uint8).shaped(&[moves]));
        columns.push(Column::new("legal", ColumnType::Words));
    }
    let mut block = Block::new(&columns);
    let count = |number: Option<u32>| number.map_or(-1, |number| number.min(i32::MAX as u32) as i32);
    for row in rows {
        block.push_text(0, &row.position)?;
        let side: i8 = match row.to_move {
            Turn::First => 0,
            Turn::Second => 1,
            Turn::Chance => 2,
        };
        block.push(1, &side.to_le_bytes());
        block.push(2, &count(row.ply).to_le_bytes());
        block.push(3, &row.value.unwrap_or(f64::NAN).to_le_bytes());
        block.push(4, &count(row.distance).to_le_bytes());
        if asked {
            block.push_text(5, &names(row.best.as_ref().map(|best| &best.names)))?;
            let mut mask = vec![NO_MOVE; moves];
            let digits = row.best.iter().flat_map(|best| best.mask.bytes());
            mask.iter_mut().zip(digits).for_each(|(place, digit)| *place = u8::from(digit == b'1'));
            block.push(6, &mask);
            block.push_text(7, &names(row.legal.as_ref()))?;
        }
    }
    let mut npz = Npz::create(path, columns)?;
    npz.append(&block)?;
    npz.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Best;
    use outplay_core::Value;

    fn rows() -> Vec<Row> {
        let best = Best { names: vec!["4".into(), "5".into()], mask: "0001100".into() };
        let mut won = Row::new("a,b \"c\"".into(), Turn::Second, Some(3)).valued(Value::win(5));
        won.best = Some(best);
        won.legal = Some(["1", "2", "3", "4", "5", "6", "7"].map(String::from).to_vec());
        vec![
            won,
            Row::new("d".into(), Turn::First, None),
            Row { value: Some(0.25), ..Row::new("e".into(), Turn::Chance, None) },
        ]
    }

    fn written(form: Form) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows");
        let mut file = Rows::create(&path, form).unwrap();
        rows().iter().for_each(|row| file.push(row).unwrap());
        assert!(!path.exists(), "a file has its name once it is whole");
        file.finish().unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        std::fs::read(&path).unwrap()
    }

    #[test]
    fn lines_round_trip() {
        let text = String::from_utf8(written(Form::Lines)).unwrap();
        let back: Vec<Row> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(back, rows());
        assert!(
            text.starts_with(r#"{"position":"a,b \"c\"","to_move":"second","ply":3,"value":1,"#),
            "{text}"
        );
    }

    #[test]
    fn commas_and_quotes_are_quoted() {
        let text = String::from_utf8(written(Form::Csv)).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "\"a,b \"\"c\"\"\",second,3,1,5,4 5,\"[0,0,0,1,1,0,0]\",1 2 3 4 5 6 7");
        assert_eq!(lines[2..], ["d,first,,,,,,", "e,chance,,0.25,,,,"]);
    }

    #[test]
    fn extension_determines_the_format() {
        assert_eq!(Form::of(Path::new("a/b.npz")).unwrap(), Form::Npz);
        let error = Form::of(Path::new("b.txt")).unwrap_err().to_string();
        assert!(error.contains(".jsonl, .csv or .npz"), "{error}");
        assert!(!written(Form::Npz).is_empty());
    }
}
