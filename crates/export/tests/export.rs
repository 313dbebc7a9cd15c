//! Every label of a data set is what a query says, and sets follow from their seeds alone.

use outplay_answer::{Entry, Place, QueryOptions, SolveRequest, Trouble};
use outplay_catalog::Catalog;
use outplay_core::Quiet;
use outplay_data::Row;
use outplay_export::{Request, export};
use std::path::Path;

/// A game whose table is in a folder, and how many positions it has.
fn solved(spec: &str, data: &Path) -> (Entry, QueryOptions, u64) {
    let entry = Catalog::standard().open(spec).expect("a game");
    let mut options = QueryOptions::default();
    options.data = Some(data.into());
    let mut request = SolveRequest::default();
    request.options = options.clone();
    request.store = true;
    let answer = entry.solve(&request, &Quiet).expect("a solution");
    let legal = answer.positions.expect("counts of all positions").legal;
    (entry, options, legal)
}

fn rows(file: &Path) -> Vec<Row> {
    let text = std::fs::read_to_string(file).expect("a file of rows");
    text.lines().map(|line| serde_json::from_str(line).expect("a row")).collect()
}

#[test]
fn labels_are_what_queries_say() {
    let folder = tempfile::tempdir().expect("a folder");
    for spec in ["tictactoe", "connect4:4x3", "mnk:3x2,k=2,misere"] {
        let (entry, options, legal) = solved(spec, folder.path());
        let out = folder.path().join("rows.jsonl");
        let report = export(&entry, &Request::new(out.clone()), &options, &Quiet).expect("a report");
        assert_eq!(report.rows, legal, "{spec}");
        let rows = rows(&out);
        assert_eq!(rows.len() as u64, report.rows, "{spec}");
        for row in rows.iter().step_by(23) {
            let answer =
                entry.query(&Place::Position(row.position.clone()), &options, &Quiet).expect("an answer");
            assert_eq!(row.value, answer.answer.value().map(|value| f64::from(value.payoff())), "{row:?}");
            assert_eq!(row.distance, answer.answer.distance(), "{row:?}");
            assert_eq!(
                row.best.as_ref().map(|best| best.names.clone()),
                Some(answer.best),
                "{}",
                row.position
            );
        }
    }
}

#[test]
fn seeds_decide_and_threads_do_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let (entry, options, _) = solved("connect4:4x4", folder.path());
    let written = |name: &str, seed: u64, options: &QueryOptions| {
        let mut request = Request::new(folder.path().join(name));
        request.positions = Some(300);
        request.balanced = true;
        request.test = 0.25;
        request.seed = seed;
        let report = export(&entry, &request, options, &Quiet).expect("a report");
        assert_eq!(report.values.values().copied().collect::<Vec<_>>(), [100, 100, 100]);
        report.files.into_iter().map(|file| file.checksum).collect::<Vec<_>>()
    };
    let first = written("a.csv", 1, &options);
    assert_eq!(first, written("b.csv", 1, &options.on_threads(1)));
    assert_ne!(first, written("c.csv", 2, &options));
}

#[test]
fn all_positions_need_a_table() {
    let folder = tempfile::tempdir().expect("a folder");
    let entry = Catalog::standard().open("connect4:4x4").expect("a game");
    let mut options = QueryOptions::default();
    options.data = Some(folder.path().into());
    let out = folder.path().join("rows.npz");
    let refused = export(&entry, &Request::new(out.clone()), &options, &Quiet);
    assert!(matches!(refused, Err(Trouble::Table(_))), "{refused:?}");
    assert!(!out.exists());
}
