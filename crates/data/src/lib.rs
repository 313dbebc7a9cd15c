//! Positions with their values as rows, and the files that hold them: JSON lines, CSV and NumPy's npz.
//!
//! ```text
//!  Row      a position line, whose turn, its ply, its value, its distance, which of its moves are best
//!  Rows     a file of rows, in the form that its name ends with
//!  Npz      columns of numbers for NumPy, streamed in blocks: memory does not grow with the rows
//! ```
//!
//! Who knows the values is nobody's business here: rows come from labels, tables or anything else.
//!
//! ```
//! use outplay_core::{Turn, Value};
//! use outplay_data::{Form, Row, Rows};
//!
//! let folder = tempfile::tempdir()?;
//! let file = folder.path().join("rows.csv");
//! let row = Row::new("ooo4/xxx4 x".into(), Turn::First, Some(6)).valued(Value::win(1));
//! let mut rows = Rows::create(&file, Form::of(&file)?)?;
//! rows.push(&row)?;
//! rows.finish()?;
//! let text = std::fs::read_to_string(&file)?;
//! assert_eq!(text, "position,to_move,ply,value,distance,best,mask\nooo4/xxx4 x,first,6,1,1,,\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod npz;
mod row;
mod rows;

pub use error::DataError;
pub use npz::{Block, Column, Kind, Npz};
pub use row::{Best, Row};
pub use rows::{Form, Rows};
