//! Data sets of labelled positions: rows as JSON lines, CSV or NumPy npz.
//!
//! ```text
//!  type     purpose
//!  Row      a labelled position: player to move, ply, value, distance and best moves
//!  Rows     a file of rows; its extension determines the format
//!  Partial  a temporary file, which replaces its target atomically
//!  Npz      columns of numbers for NumPy, streamed in blocks: memory does not grow with the rows
//! ```
//!
//! This crate does not compute values: its callers take them from tables, solvers or label files.
//!
//! ```
//! use outplay_core::{Turn, Value};
//! use outplay_dataset::{Form, Row, Rows};
//!
//! let folder = tempfile::tempdir()?;
//! let file = folder.path().join("rows.csv");
//! let row = Row::new("ooo4/xxx4 x".into(), Turn::First, Some(6)).valued(Value::win(1));
//! let mut rows = Rows::create(&file, Form::of(&file)?)?;
//! rows.push(&row)?;
//! rows.finish()?;
//! let text = std::fs::read_to_string(&file)?;
//! assert_eq!(text, "position,to_move,ply,value,distance,best,mask,legal\nooo4/xxx4 x,first,6,1,1,,,\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod npz;
mod partial;
mod row;
mod rows;

pub use error::DataError;
pub use npz::{Block, Column, ColumnType, Npz};
pub use partial::Partial;
pub use row::{Best, Row};
pub use rows::{Form, Rows};
