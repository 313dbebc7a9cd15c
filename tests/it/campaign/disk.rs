//! Disks that fail and go on failing, and disks that are full: a sentence, and afterwards the same files as ever.
//!
//! `tests/faults/shim.rs` makes calls fail from a given one on; a small tmpfs in a mount namespace is a disk that is full.

use super::report::Row;
use super::subjects::Prepared;
use super::trial::{Ran, program, run};
use crate::faults::shim;
use rand::RngExt;
use rand::rngs::SmallRng;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Every call about the subject's files fails from a random one on.
pub(crate) fn failing(prepared: &Prepared, full: bool, tries: usize, rng: &mut SmallRng) -> Option<Row> {
    let (done, errno) = match full {
        true => ("ENOSPC for every call that writes, from a random one on", "28"),
        false => ("EIO for every call about files, from a random one on", "5"),
    };
    let mut row = Row::new(prepared.subject.kind, done);
    let library = shim()?;
    // As many calls as there are; found out by asking for too many.
    let mut most = 400;
    for _ in 0..3 * tries + 6 {
        if row.tries() as usize == tries {
            break;
        }
        let folder = tempfile::tempdir().unwrap();
        let (data, said) = (folder.path().join("fault-data"), folder.path().join("said"));
        let old = rng.random();
        fs::create_dir(&data).unwrap();
        prepared.fresh(&data, old);
        let at = rng.random_range(1..=most);
        let mut command = program(&data, &prepared.subject.make);
        command.env("LD_PRELOAD", library).env("FAULT_FILES", "fault-data").env("FAULT_SAY", &said);
        command.env("FAULT_FROM", at.to_string()).env("FAULT_ERRNO", errno);
        let ran = run(command);
        if !said.exists() {
            most = (at - 1).max(2);
            continue;
        }
        row.tried(1);
        let how = || format!("`{}` with error {errno} from call {at} on", prepared.subject.make);
        afterwards(prepared, &ran, &data, old, &mut row, &how);
    }
    (row.tries() > 0).then_some(row)
}

fn afterwards(
    prepared: &Prepared,
    ran: &Ran,
    data: &Path,
    old: bool,
    row: &mut Row,
    how: &dyn Fn() -> String,
) {
    ran.judge(row, how);
    prepared.outputs_are_whole(data, old, row, how);
    if prepared.repeat(data, row, true, how) {
        prepared.ask(data, row, how);
    }
}

/// Whether a file system can be mounted here.
fn mounts() -> bool {
    let mut unshare = Command::new("unshare");
    unshare.args(["-m", "sh", "-c", "mount -t tmpfs -o size=64k tmpfs /mnt"]);
    unshare.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// The command on a disk of a few kilobytes, copied to a larger one afterwards.
pub(crate) fn full(prepared: &Prepared, tries: usize, rng: &mut SmallRng) -> Option<Row> {
    if !mounts() {
        return None;
    }
    let mut row = Row::new(prepared.subject.kind, "a full disk (tmpfs), then a larger one");
    let all: usize = prepared.whole.values().map(Vec::len).sum::<usize>() / 1000;
    for _ in 0..tries {
        let folder = tempfile::tempdir().unwrap();
        let [base, disk, data] = ["base", "disk", "data"].map(|name| folder.path().join(name));
        [&base, &disk, &data].iter().for_each(|folder| fs::create_dir(folder).unwrap());
        let old = rng.random();
        prepared.fresh(&base, old);
        // Files take pages of 4 kB each.
        let kilobytes = rng.random_range(4..=(2 * all).clamp(16, 400) + 4 * prepared.whole.len()) & !3;
        let script = format!(
            "mount -t tmpfs -o size={kilobytes}k tmpfs '{disk}' && cp -a '{base}/.' '{disk}' || exit 99\n\
             cd '{disk}' && OUTPLAY_DATA='{disk}' '{program}' {line} --quiet; code=$?\n\
             cp -a '{disk}/.' '{data}'; exit $code",
            disk = disk.display(),
            base = base.display(),
            data = data.display(),
            program = env!("CARGO_BIN_EXE_outplay"),
            line = prepared.subject.make,
        );
        let mut command = Command::new("unshare");
        command.args(["-m", "sh", "-c", &script]).stdin(Stdio::null());
        let ran = run(command);
        if ran.said().contains("exit status: 99") || fs::read_dir(&data).unwrap().next().is_none() {
            continue;
        }
        row.tried(1);
        let how = || format!("`{}` on a disk of {kilobytes} kB", prepared.subject.make);
        afterwards(prepared, &ran, &data, old, &mut row, &how);
    }
    (row.tries() > 0).then_some(row)
}
