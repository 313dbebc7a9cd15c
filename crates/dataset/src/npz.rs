//! Streaming writer of NumPy npz files: an uncompressed zip archive with one npy file per column.
//!
//! ```text
//!  append   the values of the first column go to their place in the file,
//!           those of the others to unnamed temporary files (spools)
//!  finish   header of the first column; header and spool of each other column; directory of the archive
//! ```
//!
//! The header of each column, which precedes its data, contains the number of rows, so all columns but the first wait
//! in spools until the last row has arrived. Memory does not grow with the rows. The npy format is NumPy's version
//! 1.0; the archive follows PKWARE's APPNOTE with zip64 fields, so that columns may exceed 4 GB.

use crate::partial::spool;
use crate::{DataError, Partial};
use crc32fast::Hasher;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Data type of a column of an npz file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnType {
    /// Unsigned byte.
    Uint8,
    /// Signed byte.
    Int8,
    /// Signed 16-bit integer.
    Int16,
    /// Signed 32-bit integer.
    Int32,
    /// Signed 64-bit integer.
    Int64,
    /// Single-precision float.
    Float32,
    /// Double-precision float.
    Float64,
    /// Fixed-width text of at most this number of characters, which Python reads as `str`; four bytes each.
    Text(usize),
    /// Fixed-width ASCII text of at most this number of characters, which Python reads as `bytes`.
    Ascii(usize),
    /// Text of any length, which Python reads as `str`; the column becomes as wide as its longest entry. Not allowed
    /// for the first column of a file, nor for blocks.
    Words,
}

impl ColumnType {
    /// Size of an entry in bytes.
    pub fn bytes(self) -> usize {
        match self {
            ColumnType::Uint8 | ColumnType::Int8 => 1,
            ColumnType::Int16 => 2,
            ColumnType::Int32 | ColumnType::Float32 => 4,
            ColumnType::Int64 | ColumnType::Float64 => 8,
            ColumnType::Text(chars) => 4 * chars,
            ColumnType::Ascii(chars) => chars,
            ColumnType::Words => 0,
        }
    }

    fn word(self) -> String {
        match self {
            ColumnType::Uint8 => "|u1".into(),
            ColumnType::Int8 => "|i1".into(),
            ColumnType::Int16 => "<i2".into(),
            ColumnType::Int32 => "<i4".into(),
            ColumnType::Int64 => "<i8".into(),
            ColumnType::Float32 => "<f4".into(),
            ColumnType::Float64 => "<f8".into(),
            ColumnType::Text(chars) => format!("<U{chars}"),
            ColumnType::Ascii(chars) => format!("|S{chars}"),
            ColumnType::Words => "<U0".into(),
        }
    }
}

/// A column of an npz file: its name, and for each row one number or an array of numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// The name of the array in Python.
    pub name: String,
    /// The data type of an entry.
    pub kind: ColumnType,
    /// The shape of one row: empty for a single entry, `[6, 7]` for a board.
    pub shape: Vec<usize>,
}

impl Column {
    /// A column of single entries.
    pub fn new(name: &str, kind: ColumnType) -> Column {
        Column { name: name.into(), kind, shape: Vec::new() }
    }

    /// The same with an array of entries in each row.
    #[must_use]
    pub fn shaped(self, shape: &[usize]) -> Column {
        Column { shape: shape.to_vec(), ..self }
    }

    /// Size of a row in bytes.
    pub fn row_bytes(&self) -> usize {
        self.kind.bytes() * self.shape.iter().product::<usize>()
    }
}

/// Rows in memory, column by column. Threads can build blocks independently of the file and of each other.
#[derive(Clone, Debug)]
pub struct Block {
    columns: Vec<Column>,
    bytes: Vec<Vec<u8>>,
    /// Number of entries of each variable-length text column.
    words: Vec<u64>,
}

impl Block {
    /// Creates an empty block with these columns.
    pub fn new(columns: &[Column]) -> Block {
        Block {
            columns: columns.to_vec(),
            bytes: vec![Vec::new(); columns.len()],
            words: vec![0; columns.len()],
        }
    }

    /// Appends the bytes of one or more rows to a column, little-endian, in its data type.
    pub fn push(&mut self, column: usize, bytes: &[u8]) {
        self.bytes[column].extend_from_slice(bytes);
    }

    /// The buffer of a column, for callers that append to it directly.
    pub fn column(&mut self, column: usize) -> &mut Vec<u8> {
        &mut self.bytes[column]
    }

    /// Appends a text to a text column.
    ///
    /// # Errors
    ///
    /// A text that is too long for the column, or not ASCII in an ASCII column.
    pub fn push_text(&mut self, column: usize, text: &str) -> Result<(), DataError> {
        let Column { kind, name, .. } = &self.columns[column];
        let bytes = &mut self.bytes[column];
        if *kind == ColumnType::Words {
            push_entry(bytes, text);
            self.words[column] += 1;
            return Ok(());
        }
        let end = bytes.len() + kind.bytes();
        match kind {
            ColumnType::Text(_) => text.chars().for_each(|c| bytes.extend(u32::from(c).to_le_bytes())),
            ColumnType::Ascii(_) if text.is_ascii() => bytes.extend(text.as_bytes()),
            _ => bytes.resize(end + 1, 0),
        }
        if bytes.len() > end {
            return Err(DataError::Row(format!("`{text}` is too long for the column `{name}`")));
        }
        bytes.resize(end, 0);
        Ok(())
    }

    /// Number of rows.
    ///
    /// # Errors
    ///
    /// Columns of different lengths.
    fn rows(&self) -> Result<u64, DataError> {
        let mut rows = None;
        for ((column, bytes), &words) in self.columns.iter().zip(&self.bytes).zip(&self.words) {
            let (row, name) = (column.row_bytes(), &column.name);
            if column.kind == ColumnType::Words {
                let wanted = *rows.get_or_insert(words as usize) as u64;
                if words != wanted {
                    let why = format!("`{name}` has {words} entries, but there are {wanted} rows");
                    return Err(DataError::Row(why));
                }
                continue;
            }
            // A column of width zero is consistent with any number of rows.
            if row == 0 {
                continue;
            }
            let (bytes, wanted) = (bytes.len(), *rows.get_or_insert(bytes.len() / row));
            if bytes != wanted * row {
                let why = format!("`{name}` has {bytes} bytes, but {wanted} rows take {}", wanted * row);
                return Err(DataError::Row(why));
            }
        }
        Ok(rows.unwrap_or(0) as u64)
    }
}

/// Appends a variable-length entry: its length in bytes, then its bytes.
fn push_entry(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.as_bytes());
}

/// Reads a variable-length entry back.
fn read_entry(from: &mut impl Read, text: &mut String) -> io::Result<()> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    text.clear();
    let length = u64::from(u32::from_le_bytes(length));
    if from.take(length).read_to_string(text)? as u64 != length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(())
}

/// A column on disk.
struct ColumnSpool<W: Write> {
    column: Column,
    file: BufWriter<W>,
    crc: Hasher,
    bytes: u64,
    /// Characters of the longest variable-length entry.
    widest: usize,
}

impl<W: Write> ColumnSpool<W> {
    fn new(column: Column, file: W) -> ColumnSpool<W> {
        ColumnSpool {
            column,
            file: BufWriter::with_capacity(BUFFER, file),
            crc: Hasher::new(),
            bytes: 0,
            widest: 0,
        }
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.column.kind == ColumnType::Words {
            let (mut rest, mut text) = (bytes, String::new());
            while !rest.is_empty() {
                read_entry(&mut rest, &mut text)?;
                self.widest = self.widest.max(text.chars().count());
            }
        }
        self.crc.update(bytes);
        self.bytes += bytes.len() as u64;
        self.file.write_all(bytes)
    }

    /// The bytes before the column's data in the archive, and its directory entry.
    fn head(&self, rows: u64, at: u64) -> (Vec<u8>, DirectoryEntry) {
        let head = header(&self.column, rows);
        let mut crc = Hasher::new();
        crc.update(&head);
        crc.combine(&self.crc);
        let size = head.len() as u64 + self.bytes;
        let filed =
            DirectoryEntry { name: format!("{}.npy", self.column.name), crc: crc.finalize(), size, at };
        let extra = zip64(&[size, size]);
        let mut local = b"PK\x03\x04".to_vec();
        local.extend(shared(&filed, extra.len()));
        local.extend(filed.name.as_bytes());
        local.extend(extra);
        local.extend(head);
        (local, filed)
    }
}

/// Writer of an npz file.
pub struct Npz {
    path: PathBuf,
    rows: u64,
    /// The first column, in the temporary file that becomes the archive.
    first: ColumnSpool<Partial>,
    /// The other columns, in unnamed temporary files.
    others: Vec<ColumnSpool<File>>,
}

/// Buffer size of a spool in bytes.
const BUFFER: usize = 1 << 18;

impl Npz {
    /// Creates a file with these columns, at least one; put the widest first. The target is not touched before
    /// [`Npz::finish`].
    ///
    /// # Errors
    ///
    /// A directory without write access.
    pub fn create(path: &Path, columns: Vec<Column>) -> Result<Npz, DataError> {
        let wrong = |error| DataError::file(path, error);
        let mut columns = columns.into_iter();
        let first =
            columns.next().ok_or_else(|| DataError::Row("a file needs at least one column".into()))?;
        if first.kind == ColumnType::Words {
            return Err(DataError::Row(format!(
                "the first column, `{}`, must have a fixed width",
                first.name
            )));
        }
        let mut first = ColumnSpool::new(first, Partial::create(path)?);
        // Its header depends on the number of rows, so the space is reserved.
        let place = vec![0; first.head(0, 0).0.len()];
        first.file.write_all(&place).map_err(wrong)?;
        let spool = |column: Column| Ok(ColumnSpool::new(column, spool(path)?));
        let others: io::Result<Vec<ColumnSpool<File>>> = columns.map(spool).collect();
        Ok(Npz { path: path.into(), rows: 0, first, others: others.map_err(wrong)? })
    }

    /// Appends rows, which have the file's columns.
    ///
    /// # Errors
    ///
    /// Columns of different lengths, or a full disk.
    pub fn append(&mut self, block: &Block) -> Result<(), DataError> {
        self.rows += block.rows()?;
        let mut bytes = block.bytes.iter();
        let put = || -> io::Result<()> {
            bytes.next().map_or(Ok(()), |bytes| self.first.put(bytes))?;
            self.others.iter_mut().zip(bytes).try_for_each(|(spool, bytes)| spool.put(bytes))
        };
        put().map_err(|error| DataError::file(&self.path, error))
    }

    /// Writes the archive and renames it to its final name.
    ///
    /// # Errors
    ///
    /// A full disk.
    pub fn finish(self) -> Result<(), DataError> {
        let path = self.path;
        archive(self.first, self.others, self.rows, &path).map_err(|error| DataError::file(&path, error))
    }
}

/// The header of a column's npy file: magic number, version, header length and a Python dictionary, padded so that
/// the data are aligned to 64 bytes. Its length does not depend on the number of rows.
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

/// A fixed zip timestamp: equal rows give equal files.
const DATE: u16 = 0b0000_0000_0010_0001;

/// The directory entry of a column.
struct DirectoryEntry {
    name: String,
    crc: u32,
    size: u64,
    at: u64,
}

/// The zip64 extra field, for sizes beyond 32 bits.
fn zip64(sizes: &[u64]) -> Vec<u8> {
    let mut extra = 1u16.to_le_bytes().to_vec();
    extra.extend((8 * sizes.len() as u16).to_le_bytes());
    sizes.iter().for_each(|size| extra.extend(size.to_le_bytes()));
    extra
}

/// The fields that the local header and the directory entry share, up to the length of the extra field.
fn shared(filed: &DirectoryEntry, extra: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Version 4.5 is the first with zip64; no flags; method "stored".
    for field in [45, 0, 0, 0, DATE] {
        bytes.extend(u16::to_le_bytes(field));
    }
    bytes.extend(filed.crc.to_le_bytes());
    bytes.extend([0xff; 8]);
    bytes.extend((filed.name.len() as u16).to_le_bytes());
    bytes.extend((extra as u16).to_le_bytes());
    bytes
}

/// Converts a variable-length text column to fixed width.
fn widened(words: ColumnSpool<File>, rows: u64, path: &Path) -> io::Result<ColumnSpool<File>> {
    let ColumnSpool { column, file, widest, .. } = words;
    let mut from = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    from.seek(SeekFrom::Start(0))?;
    let mut from = io::BufReader::with_capacity(BUFFER, from);
    let kind = ColumnType::Text(widest.max(1));
    let mut wide = ColumnSpool::new(Column { kind, ..column }, spool(path)?);
    let (mut text, mut entry) = (String::new(), Vec::new());
    for _ in 0..rows {
        read_entry(&mut from, &mut text)?;
        entry.clear();
        text.chars().for_each(|c| entry.extend(u32::from(c).to_le_bytes()));
        entry.resize(kind.bytes(), 0);
        wide.put(&entry)?;
    }
    Ok(wide)
}

fn archive(
    first: ColumnSpool<Partial>,
    others: Vec<ColumnSpool<File>>,
    rows: u64,
    path: &Path,
) -> io::Result<()> {
    let (local, this) = first.head(rows, 0);
    let mut at = local.len() as u64 + first.bytes;
    let mut filed = vec![this];
    let mut file = first.file;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&local)?;
    file.seek(SeekFrom::Start(at))?;
    for spool in others {
        let mut spool =
            if spool.column.kind == ColumnType::Words { widened(spool, rows, path)? } else { spool };
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
        // No comment, first disk, no attributes; the offset is in the extra field.
        directory.extend([0; 10]);
        directory.extend([0xff; 4]);
        directory.extend(this.name.as_bytes());
        directory.extend(extra);
    }
    let (count, length) = (filed.len() as u64, directory.len() as u64);
    // The zip64 end of central directory …
    directory.extend(b"PK\x06\x06");
    directory.extend(44u64.to_le_bytes());
    directory.extend([45, 0, 45, 0]);
    directory.extend([0; 8]);
    for field in [count, count, length, at] {
        directory.extend(field.to_le_bytes());
    }
    // … its locator, and the classic end record that refers to it.
    directory.extend(b"PK\x06\x07");
    directory.extend([0; 4]);
    directory.extend((at + length).to_le_bytes());
    directory.extend(1u32.to_le_bytes());
    directory.extend(b"PK\x05\x06");
    directory.extend([0; 4]);
    directory.extend([0xff; 12]);
    directory.extend([0; 2]);
    file.write_all(&directory)?;
    file.into_inner().map_err(io::IntoInnerError::into_error)?.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads the columns of an archive according to the formats, independently of the writer.
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
    fn columns_round_trip() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.npz");
        let columns = vec![
            Column::new("value", ColumnType::Int8),
            Column::new("planes", ColumnType::Uint8).shaped(&[2, 2]),
            Column::new("position", ColumnType::Text(4)),
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
    fn text_column_is_as_wide_as_its_longest_entry() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.npz");
        let columns = vec![
            Column::new("ply", ColumnType::Int8),
            Column::new("legal", ColumnType::Words),
            Column::new("value", ColumnType::Int8),
        ];
        let mut npz = Npz::create(&path, columns.clone()).unwrap();
        for texts in [&["a1", ""][..], &["b…b b"]] {
            let mut block = Block::new(&columns);
            for text in texts {
                block.push(0, &[1]);
                block.push_text(1, text).unwrap();
                block.push(2, &[2]);
            }
            npz.append(&block).unwrap();
            block.push_text(1, "one too many").unwrap();
            assert!(npz.append(&block).is_err());
        }
        npz.finish().unwrap();
        let found = read(&std::fs::read(&path).unwrap());
        assert_eq!(found[1].1, "{'descr': '<U5', 'fortran_order': False, 'shape': (3,), }");
        let letters: Vec<u32> =
            found[1].2.chunks(4).map(|letter| u32::from_le_bytes(letter.try_into().unwrap())).collect();
        let words: Vec<String> = letters
            .chunks(5)
            .map(|row| row.iter().filter_map(|&c| char::from_u32(c).filter(|&c| c != '\0')).collect())
            .collect();
        assert_eq!(words, ["a1", "", "b…b b"]);
        assert_eq!(found[2].2, [2, 2, 2]);
        assert!(Npz::create(&path, vec![Column::new("legal", ColumnType::Words)]).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn unfinished_file_has_no_final_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.npz");
        let columns = vec![Column::new("value", ColumnType::Int8), Column::new("ply", ColumnType::Int16)];
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
