//! Columns for NumPy: an npz is a zip archive, not compressed, of one npy file per column.
//!
//! ```text
//!  Block ──▶ append: the first column at its place in the file,   ──▶ finish: its header, then header and
//!                    the others in spools (files without a name)             spool of each other, directory
//! ```
//!
//! How many rows there are stands in the header of each column, before its numbers, so all columns but the first wait
//! in spools until the last row has come. Memory does not grow with the rows. Both formats are public: the npy format is version 1.0 of
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

/// Rows in memory, column by column, on their way to a file; whoever makes them needs no file and no turn.
#[derive(Clone, Debug)]
pub struct Block {
    columns: Vec<Column>,
    bytes: Vec<Vec<u8>>,
}

impl Block {
    /// No rows yet of these columns.
    pub fn new(columns: &[Column]) -> Block {
        Block { columns: columns.to_vec(), bytes: vec![Vec::new(); columns.len()] }
    }

    /// Adds the bytes of one row or of many to a column, little-endian, as its kind says.
    pub fn push(&mut self, column: usize, bytes: &[u8]) {
        self.bytes[column].extend_from_slice(bytes);
    }

    /// The end of a column, for whoever writes there itself.
    pub fn column(&mut self, column: usize) -> &mut Vec<u8> {
        &mut self.bytes[column]
    }

    /// Adds a text to a column of texts.
    ///
    /// # Errors
    ///
    /// A text that is too long for the column or has other letters than it takes.
    pub fn push_text(&mut self, column: usize, text: &str) -> Result<(), DataError> {
        let Column { kind, name, .. } = &self.columns[column];
        let bytes = &mut self.bytes[column];
        let end = bytes.len() + kind.bytes();
        match kind {
            Kind::Text(_) => text.chars().for_each(|c| bytes.extend(u32::from(c).to_le_bytes())),
            Kind::Ascii(_) if text.is_ascii() => bytes.extend(text.as_bytes()),
            _ => bytes.resize(end + 1, 0),
        }
        if bytes.len() > end {
            return Err(DataError::Row(format!("`{text}` has no room in the column `{name}`")));
        }
        bytes.resize(end, 0);
        Ok(())
    }

    /// How many rows there are.
    ///
    /// # Errors
    ///
    /// Columns of different lengths.
    fn rows(&self) -> Result<u64, DataError> {
        let mut rows = None;
        for (column, bytes) in self.columns.iter().zip(&self.bytes) {
            let (row, name) = (column.row_bytes(), &column.name);
            // A column of nothing goes with any number of rows.
            if row == 0 {
                continue;
            }
            let (bytes, wanted) = (bytes.len(), *rows.get_or_insert(bytes.len() / row));
            if bytes != wanted * row {
                let why = format!("`{name}` has {bytes} bytes where {wanted} rows take {}", wanted * row);
                return Err(DataError::Row(why));
            }
        }
        Ok(rows.unwrap_or(0) as u64)
    }
}

/// A column on disk.
struct Spool<W: Write> {
    column: Column,
    file: BufWriter<W>,
    crc: Hasher,
    bytes: u64,
}

impl<W: Write> Spool<W> {
    fn new(column: Column, file: W) -> Spool<W> {
        Spool { column, file: BufWriter::with_capacity(BUFFER, file), crc: Hasher::new(), bytes: 0 }
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.crc.update(bytes);
        self.bytes += bytes.len() as u64;
        self.file.write_all(bytes)
    }

    /// What stands in the archive before the column's numbers, and in its directory about them.
    fn head(&self, rows: u64, at: u64) -> (Vec<u8>, Filed) {
        let head = header(&self.column, rows);
        let mut crc = Hasher::new();
        crc.update(&head);
        crc.combine(&self.crc);
        let size = head.len() as u64 + self.bytes;
        let filed = Filed { name: format!("{}.npy", self.column.name), crc: crc.finalize(), size, at };
        let extra = zip64(&[size, size]);
        let mut local = b"PK\x03\x04".to_vec();
        local.extend(shared(&filed, extra.len()));
        local.extend(filed.name.as_bytes());
        local.extend(extra);
        local.extend(head);
        (local, filed)
    }
}

/// A file of columns under way.
pub struct Npz {
    path: PathBuf,
    rows: u64,
    /// The first column, in the file to be, which has another name until it is whole.
    first: Spool<NamedTempFile>,
    /// The others, in files without a name.
    others: Vec<Spool<File>>,
}

/// Bytes that spools keep in memory each.
const BUFFER: usize = 1 << 18;

impl Npz {
    /// Begins a file with these columns, of which there is at least one; put the widest first. Nothing stands under its
    /// name before [`Npz::finish`].
    ///
    /// # Errors
    ///
    /// A folder that cannot be written to.
    pub fn create(path: &Path, columns: Vec<Column>) -> Result<Npz, DataError> {
        let wrong = |error| DataError::file(path, error);
        let folder = folder(path);
        let mut columns = columns.into_iter();
        let first = columns.next().ok_or_else(|| DataError::Row("a file has at least one column".into()))?;
        let mut first = Spool::new(first, NamedTempFile::new_in(folder).map_err(wrong)?);
        // Its header is known last; its place is kept.
        let place = vec![0; first.head(0, 0).0.len()];
        first.file.write_all(&place).map_err(wrong)?;
        let spool = |column: Column| Ok(Spool::new(column, tempfile::tempfile_in(folder)?));
        let others: io::Result<Vec<Spool<File>>> = columns.map(spool).collect();
        Ok(Npz { path: path.into(), rows: 0, first, others: others.map_err(wrong)? })
    }

    /// Adds rows, which have the file's columns.
    ///
    /// # Errors
    ///
    /// Columns of different lengths, or a disk that is full.
    pub fn append(&mut self, block: &Block) -> Result<(), DataError> {
        self.rows += block.rows()?;
        let mut bytes = block.bytes.iter();
        let put = || -> io::Result<()> {
            bytes.next().map_or(Ok(()), |bytes| self.first.put(bytes))?;
            self.others.iter_mut().zip(bytes).try_for_each(|(spool, bytes)| spool.put(bytes))
        };
        put().map_err(|error| DataError::file(&self.path, error))
    }

    /// Writes the archive and gives it its name.
    ///
    /// # Errors
    ///
    /// A disk that is full.
    pub fn finish(self) -> Result<(), DataError> {
        let path = self.path;
        archive(self.first, self.others, self.rows, &path).map_err(|error| DataError::file(&path, error))
    }
}

/// The folder of a file.
pub(crate) fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The header of a column's npy file: a magic word, a version, its own length and a Python dictionary, padded so that
/// numbers begin at a multiple of 64. It is equally long for any number of rows.
fn header(column: &Column, rows: u64) -> Vec<u8> {
    let blocks: String = column.shape.iter().map(|size| format!(" {size},")).collect();
    let kind = column.kind.word();
    let describe =
        |rows: u64| format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({rows},{blocks}), }}");
    let mut words = describe(rows);
    const BEFORE: usize = 10;
    let whole = (BEFORE + describe(u64::MAX).len() + 1).next_multiple_of(64);
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

fn archive(first: Spool<NamedTempFile>, others: Vec<Spool<File>>, rows: u64, path: &Path) -> io::Result<()> {
    let (local, this) = first.head(rows, 0);
    let mut at = local.len() as u64 + first.bytes;
    let mut filed = vec![this];
    let mut file = first.file;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&local)?;
    file.seek(SeekFrom::Start(at))?;
    for mut spool in others {
        let (local, this) = spool.head(rows, at);
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
        let mut npz = Npz::create(&path, columns.clone()).unwrap();
        for (value, planes, text) in [(1, [1, 2, 3, 4], "x…"), (255, [5, 6, 7, 8], "four")] {
            let mut block = Block::new(&columns);
            block.push(0, &[value]);
            block.push(1, &planes);
            block.push_text(2, text).unwrap();
            npz.append(&block).unwrap();
        }
        assert!(Block::new(&columns).push_text(2, "fives").is_err());
        assert!(Block::new(&columns).push_text(0, "1").is_err());
        npz.finish().unwrap();
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
        let columns = vec![Column::new("value", Kind::Int8), Column::new("ply", Kind::Int16)];
        let mut npz = Npz::create(&path, columns.clone()).unwrap();
        let mut block = Block::new(&columns);
        block.push(0, &[1]);
        assert!(npz.append(&block).is_err(), "a row has all columns");
        block.push(1, &[1, 0]);
        npz.append(&block).unwrap();
        drop(npz);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
