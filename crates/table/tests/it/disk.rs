//! Full disks and unwritable directories.
//!
//! The tests mount a small file system; without permission to mount, they print a note and pass.
#![cfg(target_os = "linux")]

use crate::common;

use common::{check, files, identity, write};
use outplay_table::{Table, TableError, Values, Writer};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const SLOTS: [u64; 4] = [1, 5000, 400_000, 300_000];

/// A file system in memory, gone when this is dropped.
struct Mounted(tempfile::TempDir);

fn mount(arguments: &[&str], path: &Path) -> bool {
    let status = Command::new("mount").args(arguments).arg(path).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

impl Mounted {
    fn new(kilobytes: u64) -> Option<Mounted> {
        let dir = tempfile::tempdir().expect("a directory");
        let size = format!("size={kilobytes}k");
        if mount(&["-t", "tmpfs", "-o", &size, "tmpfs"], dir.path()) {
            return Some(Mounted(dir));
        }
        eprintln!("skipped: a tmpfs cannot be mounted here");
        None
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn remount(&self, options: &str) -> bool {
        mount(&["-o", &format!("remount,{options}")], self.path())
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.path()).stderr(Stdio::null()).status();
    }
}

#[test]
fn full_disk_is_one_error_and_the_table_resumes() {
    let reference = tempfile::tempdir().expect("a directory");
    write(reference.path(), &SLOTS).expect("writes");
    let name = identity(&SLOTS).name();
    let expected = files(reference.path(), &name);
    let total = expected.values().map(Vec::len).sum::<usize>() as u64 / 1024;
    let Some(disk) = Mounted::new(8) else { return };
    let mut full = 0;
    // Increasing sizes, until the table fits: each size stops the writer at another point.
    for kilobytes in (8..).step_by(1 + total as usize / 12) {
        assert!(disk.remount(&format!("size={kilobytes}k")), "the disk does not grow");
        match write(disk.path(), &SLOTS) {
            Ok(()) => break,
            Err(error) => {
                assert!(matches!(error, TableError::Full { .. }), "{error:?}");
                assert!(error.to_string().ends_with("the disk is full"), "{error}");
                assert!(error.cure().to_string().contains("solve made:up,k=3 again"), "{}", error.cure());
                full += 1;
            }
        }
        assert!(kilobytes < 100 * total, "the disk is large enough by now");
        // The tiers written so far are readable.
        match Table::open(disk.path(), common::SPEC, Values::Distance) {
            Ok(table) => table.check().expect("is undamaged"),
            Err(error) => assert!(matches!(error, TableError::NoTable { .. }), "{error}"),
        }
    }
    assert!(full > 3, "the disk was full only {full} times");
    assert_eq!(files(disk.path(), &name), expected);
    check(disk.path(), &SLOTS);
}

#[test]
fn a_read_only_disk_is_one_error() {
    let Some(disk) = Mounted::new(10_000) else { return };
    write(disk.path(), &SLOTS).expect("writes");
    assert!(disk.remount("ro"));
    let error = Writer::open(disk.path(), identity(&SLOTS)).map(|_| ()).expect_err("read-only");
    assert!(matches!(error, TableError::NotWritable { .. }), "{error:?}");
    assert!(error.cure().to_string().contains("choose another one"), "{}", error.cure());
    let other = Writer::open(&disk.path().join("new"), identity(&SLOTS)).map(|_| ());
    assert!(matches!(other, Err(TableError::NotWritable { .. })), "{other:?}");
    // Reading needs no write permission.
    check(disk.path(), &SLOTS);
}

#[test]
fn a_directory_without_permission_is_one_error() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().expect("a directory");
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o555)).expect("changes");
    if fs::write(dir.path().join("probe"), "").is_ok() {
        eprintln!("skipped: this user may write everywhere");
        return;
    }
    let error = Writer::open(dir.path(), identity(&SLOTS)).map(|_| ()).expect_err("not allowed");
    assert!(matches!(error, TableError::NotWritable { .. }), "{error:?}");
}

#[test]
fn a_file_in_the_place_of_the_directory_is_one_error() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("file");
    fs::write(&file, "").expect("writes");
    let error = Writer::open(&file, identity(&SLOTS)).map(|_| ()).expect_err("no directory");
    assert!(matches!(error, TableError::Io { .. }), "{error:?}");
}
