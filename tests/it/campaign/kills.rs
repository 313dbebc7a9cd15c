//! SIGKILL at random moments, several in a row: afterwards the same command makes the same files.

use super::report::Row;
use super::subjects::{Prepared, kill};
use rand::RngExt;
use rand::rngs::SmallRng;

/// Kills in a row before a run is left to end.
const IN_A_ROW: usize = 4;

pub(crate) fn kills(prepared: &Prepared, tries: usize, rng: &mut SmallRng) -> Row {
    let mut row = Row::new(prepared.subject.kind, "SIGKILL at random moments, then the same command");
    let mut attempts = 0;
    // Commands that end within milliseconds often end before they are killed.
    while (row.tries() as usize) < tries && attempts < 4 * tries {
        let data = tempfile::tempdir().unwrap();
        let old = rng.random();
        prepared.fresh(data.path(), old);
        let mut moments = Vec::new();
        for _ in 0..rng.random_range(1..=IN_A_ROW) {
            attempts += 1;
            let after = prepared.took.mul_f64(rng.random_range(0.0..1.1));
            moments.push(after);
            let ran = kill(prepared, data.path(), after);
            row.tried(usize::from(ran.killed()));
            let how = || format!("`{}` killed after {moments:?}", prepared.subject.make);
            prepared.outputs_are_whole(data.path(), old, &mut row, &how);
        }
        let how = || format!("`{}` killed after {moments:?}", prepared.subject.make);
        if prepared.repeat(data.path(), &mut row, true, &how) {
            prepared.ask(data.path(), &mut row, &how);
        }
    }
    row
}
