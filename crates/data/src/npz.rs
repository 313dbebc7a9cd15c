//! Columns for NumPy: an npz is a zip archive, not compressed, of one npy file per column.
//!
//! ```text
//!  push ──▶ a spool per column (a file without a name)  ──▶ finish: header, spool, header, spool, … directory
//! ```
//!
//! How many rows there are stands in the header of each column, before its numbers, so columns wait in spools until
//! the last row has come. Memory does not grow with the rows. Both formats are public: the npy format is version 1.0 of
//! NumPy's own description, the archive is that of PKWARE's APPNOTE with zip64 fields, so that columns may exceed 4 GB.

use crate::DataError;
use crc32fast::Hasher;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// What one entry of a column is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A byte without sign.
    Uint8,
    /// A byte with sign.
    Int8,
    /// Two bytes with sign.
    Int16,
    /// Four bytes with sign.
    Int32,
    /// Eight bytes with sign.
    Int64,
    /// Four bytes of floating point.
    Float32,
    /// Eight bytes of floating point.
    Float64,
    /// Text of at most so many characters, which Python reads as `str`; four bytes each.
    Text(usize),
    /// ASCII text of at most so many characters, which Python reads as `bytes`.
    Ascii(usize),
}

impl Kind {
    /// Bytes of an entry.
    pub fn bytes(self) -> usize {
        match self {
            Kind::Uint8 | Kind::Int8 => 1,
            Kind::Int16 => 2,
            Kind::Int32 | Kind::Float32 => 4,
            Kind::Int64 | Kind::Float64 => 8,
            Kind::Text(chars) => 4 * chars,
            Kind::Ascii(chars) => chars,
        }
    }

    fn word(self) -> String {
        match self {
            Kind::Uint8 => "|u1".into(),
            Kind::Int8 => "|i1".into(),
            Kind::Int16 => "<i2".into(),
            Kind::Int32 => "<i4".into(),
            Kind::Int64 => "<i8".into(),
            Kind::Float32 => "<f4".into(),
            Kind::Float64 => "<f8".into(),
            Kind::Text(chars) => format!("<U{chars}"),
            Kind::Ascii(chars) => format!("|S{chars}"),
        }
    }
}

/// A column: a name and what stands in each row, one entry or a block of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// The name under which Python finds it.
    pub name: String,
    /// What one entry is.
    pub kind: Kind,
    /// The shape of what stands in one row: empty for a single entry, `[6, 7]` for a board.
    pub shape: Vec<usize>,
}

impl Column {
    /// A column of single entries.
    pub fn new(name: &str, kind: Kind) -> Column {
        Column { name: name.into(), kind, shape: Vec::new() }
    }

    /// The same with a block of entries in each row.
    #[must_use]
    pub fn shaped(self, shape: &[usize]) -> Column {
        Column { shape: shape.to_vec(), ..self }
    }

    /// Bytes of a row.
    pub fn row_bytes(&self) -> usize {
        self.kind.bytes() * self.shape.iter().product::<usize>()
    }
}

/// A column that waits.
struct Spool {
    column: Column,
    file: BufWriter<File>,
    crc: Hasher,
    bytes: u64,
}

impl Spool {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.crc.update(bytes);
        self.bytes += bytes.len() as u64;
        self.file.write_all(bytes)
    }
}

/// A file of columns under way.
pub struct Npz {
    path: PathBuf,
    /// The file to be, under another name until it is whole.
    out: NamedTempFile,
    spools: Vec<Spool>,
}

/// Bytes that spools keep in memory each.
const BUFFER: usize = 1 << 18;

impl Npz {
    /// Begins a file with these columns. Nothing stands under its name before [`Npz::finish`].
    ///
    /// # Errors
    ///
    /// A folder that cannot be written to.
    pub fn create(path: &Path, columns: Vec<Column>) -> Result<Npz, DataError> {
        let folder = folder(path);
        let out = NamedTempFile::new_in(folder).map_err(|error| DataError::file(path, error))?;
        let spool = |column: Column| {
            let file = tempfile::tempfile_in(folder)?;
            let file = BufWriter::with_capacity(BUFFER, file);
            Ok(Spool { column, file, crc: Hasher::new(), bytes: 0 })
        };
        let spools: io::Result<Vec<Spool>> = columns.into_iter().map(spool).collect();
        Ok(Npz { path: path.into(), out, spools: spools.map_err(|error| DataError::file(path, error))? })
    }

    /// Adds the bytes of one row or of many to a column, little-endian, as its kind says.
    ///
    /// # Errors
    ///
    /// Bytes that are no whole rows, or a disk that is full.
    pub fn push(&mut self, column: usize, bytes: &[u8]) -> Result<(), DataError> {
        let spool = &mut self.spools[column];
        let row = spool.column.row_bytes();
        if row > 0 && !bytes.len().is_multiple_of(row) {
            let name = &spool.column.name;
            return Err(DataError::Row(format!("`{name}` takes {row} bytes a row, not {}", bytes.len())));
        }
        spool.put(bytes).map_err(|error| DataError::file(&self.path, error))
    }

    /// Adds a text to a column of texts.
    ///
    /// # Errors
    ///
    /// A text that is too long for the column or has other letters than it takes, or a disk that is full.
    pub fn push_text(&mut self, column: usize, text: &str) -> Result<(), DataError> {
        let kind = self.spools[column].column.kind;
        let mut bytes = Vec::with_capacity(kind.bytes());
        let fits = match kind {
            Kind::Text(chars) => {
                text.chars().for_each(|c| bytes.extend(u32::from(c).to_le_bytes()));
                bytes.len() <= 4 * chars
            }
            Kind::Ascii(chars) => {
                bytes.extend(text.as_bytes());
                text.is_ascii() && text.len() <= chars
            }
            _ => false,
        };
        if !fits {
            let name = &self.spools[column].column.name;
            return Err(DataError::Row(format!("`{text}` has no room in the column `{name}`")));
        }
        bytes.resize(kind.bytes(), 0);
        self.push(column, &bytes)
    }

    /// Writes the archive and gives it its name.
    ///
    /// # Errors
    ///
    /// Columns of different lengths, or a disk that is full.
    pub fn finish(self, rows: u64) -> Result<(), DataError> {
        for spool in &self.spools {
            let wanted = rows * spool.column.row_bytes() as u64;
            if spool.bytes != wanted {
                let name = &spool.column.name;
                return Err(DataError::Row(format!(
                    "`{name}` has {} bytes where {rows} rows take {wanted}",
                    spool.bytes
                )));
            }
        }
        let path = self.path;
        archive(self.out, self.spools, rows, &path).map_err(|error| DataError::file(&path, error))
    }
}

/// The folder of a file.
pub(crate) fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The header of a column's npy file: a magic word, a version, its own length and a Python dictionary, padded so that
/// numbers begin at a multiple of 64.
fn header(column: &Column, rows: u64) -> Vec<u8> {
    let blocks: String = column.shape.iter().map(|size| format!(" {size},")).collect();
    let kind = column.kind.word();
    let mut words = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({rows},{blocks}), }}");
    const BEFORE: usize = 10;
    let whole = (BEFORE + words.len() + 1).next_multiple_of(64);
    words.push_str(&" ".repeat(whole - BEFORE - words.len() - 1));
    words.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((words.len() as u16).to_le_bytes());
    bytes.extend(words.as_bytes());
    bytes
}

/// A date that zip archives can hold, always the same: equal rows give equal files.
const DATE: u16 = 0b0000_0000_0010_0001;

/// What stands in the directory about a column.
struct Filed {
    name: String,
    crc: u32,
    size: u64,
    at: u64,
}

/// Sizes beyond 32 bits stand in an extra field.
fn zip64(sizes: &[u64]) -> Vec<u8> {
    let mut extra = 1u16.to_le_bytes().to_vec();
    extra.extend((8 * sizes.len() as u16).to_le_bytes());
    sizes.iter().for_each(|size| extra.extend(size.to_le_bytes()));
    extra
}

/// The fields that a column's own header and its line in the directory share, up to the length of the extra field.
fn shared(filed: &Filed, extra: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Version 4.5 is the first with zip64; no flags; stored as it is.
    for field in [45, 0, 0, 0, DATE] {
        bytes.extend(u16::to_le_bytes(field));
    }
    bytes.extend(filed.crc.to_le_bytes());
    bytes.extend([0xff; 8]);
    bytes.extend((filed.name.len() as u16).to_le_bytes());
    bytes.extend((extra as u16).to_le_bytes());
    bytes
}

fn archive(out: NamedTempFile, spools: Vec<Spool>, rows: u64, path: &Path) -> io::Result<()> {
    let mut at = 0;
    let mut filed = Vec::new();
    let mut file = BufWriter::with_capacity(BUFFER, out);
    for mut spool in spools {
        let head = header(&spool.column, rows);
        let mut crc = Hasher::new();
        crc.update(&head);
        crc.combine(&spool.crc);
        let size = head.len() as u64 + spool.bytes;
        let name = format!("{}.npy", spool.column.name);
        let this = Filed { name, crc: crc.finalize(), size, at };
        let extra = zip64(&[size, size]);
        let mut local = b"PK\x03\x04".to_vec();
        local.extend(shared(&this, extra.len()));
        local.extend(this.name.as_bytes());
        local.extend(extra);
        local.extend(head);
        file.write_all(&local)?;
        spool.file.flush()?;
        let mut inner = spool.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        inner.seek(SeekFrom::Start(0))?;
        io::copy(&mut inner.take(spool.bytes), &mut file)?;
        at += local.len() as u64 + spool.bytes;
        filed.push(this);
    }
    let mut directory = Vec::new();
    for this in &filed {
        let extra = zip64(&[this.size, this.size, this.at]);
        directory.extend(b"PK\x01\x02");
        directory.extend(45u16.to_le_bytes());
        directory.extend(shared(this, extra.len()));
        // No comment, first disk, no attributes; where it stands is in the extra field.
        directory.extend([0; 10]);
        directory.extend([0xff; 4]);
        directory.extend(this.name.as_bytes());
        directory.extend(extra);
    }
    let (count, length) = (filed.len() as u64, directory.len() as u64);
    // The end of the directory, with sizes of 64 bits …
    directory.extend(b"PK\x06\x06");
    directory.extend(44u64.to_le_bytes());
    directory.extend([45, 0, 45, 0]);
    directory.extend([0; 8]);
    for field in [count, count, length, at] {
        directory.extend(field.to_le_bytes());
    }
    // … where that stands, and the old end that says to look there.
    directory.extend(b"PK\x06\x07");
    directory.extend([0; 4]);
    directory.extend((at + length).to_le_bytes());
    directory.extend(1u32.to_le_bytes());
    directory.extend(b"PK\x05\x06");
    directory.extend([0; 4]);
    directory.extend([0xff; 12]);
    directory.extend([0; 2]);
    file.write_all(&directory)?;
    let out = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    out.as_file().sync_all()?;
    out.persist(path).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The columns of an archive, read by what the formats say and not by what the writer does.
    fn read(bytes: &[u8]) -> Vec<(String, String, Vec<u8>)> {
        let u16_at = |at: usize| u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap()) as usize;
        let u64_at = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
        let (mut at, mut found) = (0, Vec::new());
        while &bytes[at..at + 4] == b"PK\x03\x04" {
            let (name, extra) = (u16_at(at + 26), u16_at(at + 28));
            let crc = u32::from_le_bytes(bytes[at + 14..at + 18].try_into().unwrap());
            let words = String::from_utf8(bytes[at + 30..at + 30 + name].to_vec()).unwrap();
            assert_eq!(u16_at(at + 30 + name), 1, "the extra field is that of zip64");
            let size = u64_at(at + 30 + name + 4);
            let data = &bytes[at + 30 + name + extra..][..size];
            assert_eq!(crc32fast::hash(data), crc);
            assert_eq!(&data[..8], b"\x93NUMPY\x01\x00");
            let head = u16::from_le_bytes(data[8..10].try_into().unwrap()) as usize;
            assert_eq!((10 + head) % 64, 0);
            let dictionary = String::from_utf8(data[10..10 + head].to_vec()).unwrap();
            found.push((words, dictionary.trim().to_string(), data[10 + head..].to_vec()));
            at += 30 + name + extra + size;
        }
        assert_eq!(&bytes[at..at + 4], b"PK\x01\x02");
        found
    }

    #[test]
    fn columns_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.npz");
        let columns = vec![
            Column::new("value", Kind::Int8),
            Column::new("planes", Kind::Uint8).shaped(&[2, 2]),
            Column::new("position", Kind::Text(4)),
        ];
        let mut npz = Npz::create(&path, columns).unwrap();
        npz.push(0, &[1, 255]).unwrap();
        npz.push(1, &[1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
        npz.push_text(2, "x…").unwrap();
        npz.push_text(2, "four").unwrap();
        assert!(npz.push_text(2, "fives").is_err() && npz.push(1, &[1]).is_err());
        npz.finish(2).unwrap();
        let found = read(&std::fs::read(&path).unwrap());
        assert_eq!(found.len(), 3);
        assert_eq!(found[0].0, "value.npy");
        assert_eq!(found[0].1, "{'descr': '|i1', 'fortran_order': False, 'shape': (2,), }");
        assert_eq!(found[0].2, [1, 255]);
        assert_eq!(found[1].1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2, 2,), }");
        assert_eq!(found[1].2, [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(&found[2].2[..8], [b'x', 0, 0, 0, 0x26, 0x20, 0, 0]);
        assert_eq!(found[2].2.len(), 32);
    }

    #[test]
    fn a_file_that_is_not_whole_has_no_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.npz");
        let mut npz = Npz::create(&path, vec![Column::new("value", Kind::Int8)]).unwrap();
        npz.push(0, &[1]).unwrap();
        assert!(npz.finish(2).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
