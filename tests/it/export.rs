//! Every exported label equals the answer of `query`; a data set is a function of its seed.

use outplay::catalog::Catalog;
use outplay::runtime::NoMonitor;
use outplay::workbench::export::{Request, export};
use outplay::workbench::{GameHandle, PositionRef, Session, SolveRequest, Trouble, query, solve};
use outplay_dataset::{Form, Row};
use std::path::Path;

/// A game whose table is in a folder, and how many positions it has.
fn solved(spec: &str, data: &Path) -> (GameHandle, Session, u64) {
    let entry = Catalog::standard().open(spec).expect("a game");
    let mut session = Session::default();
    session.data = Some(data.into());
    let mut request = SolveRequest::default();
    request.store = true;
    let answer = solve(&session, &entry, &request, &NoMonitor).expect("a solution");
    let legal = answer.positions.expect("counts of all positions").legal;
    (entry, session, legal)
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
        let report = export(&options, &entry, &Request::new(out.clone()), &NoMonitor).expect("a report");
        assert_eq!(report.rows, legal, "{spec}");
        let rows = rows(&out);
        assert_eq!(rows.len() as u64, report.rows, "{spec}");
        for row in rows.iter().step_by(23) {
            let answer = query(&options, &entry, &PositionRef::Position(row.position.clone()), &NoMonitor)
                .expect("an answer");
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
    let written = |name: &str, seed: u64, options: &Session| {
        let mut request = Request::new(folder.path().join(name));
        request.positions = Some(300);
        request.balanced = true;
        request.test = 0.25;
        request.seed = seed;
        let report = export(options, &entry, &request, &NoMonitor).expect("a report");
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
    let mut session = Session::default();
    session.data = Some(folder.path().into());
    let out = folder.path().join("rows.npz");
    let refused = export(&session, &entry, &Request::new(out.clone()), &NoMonitor);
    assert!(matches!(refused, Err(Trouble::Table(_))), "{refused:?}");
    assert!(!out.exists());
}

/// The names of the files in a folder.
fn listing(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn remains_of_a_killed_export_are_replaced_and_failures_leave_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let entry = Catalog::standard().open("tictactoe").expect("a game");
    let session = Session::default();
    for ending in ["csv", "jsonl", "npz"] {
        let here = folder.path().join(ending);
        std::fs::create_dir(&here).expect("a folder");
        let name = format!("rows.{ending}");
        for left in [
            format!(".{name}.partial"),
            format!(".rows-test.{ending}.partial"),
            format!(".{name}.md.partial"),
        ] {
            std::fs::write(here.join(left), "what a killed export left").expect("a file");
        }
        let mut request = Request::new(here.join(&name));
        request.positions = Some(40);
        request.test = 0.3;
        export(&session, &entry, &request, &NoMonitor).expect("a report");
        let whole = [name.clone(), format!("{name}.md"), format!("rows-test.{ending}")];
        let sorted = |mut names: Vec<String>| {
            names.sort();
            names
        };
        assert_eq!(listing(&here), sorted(whole.to_vec()));
        let before = std::fs::read(here.join(&name)).expect("rows");
        // Plies that no game has: refused once the files are begun.
        request.plies = Some((5, 2));
        export(&session, &entry, &request, &NoMonitor).expect_err("plies the wrong way round");
        assert_eq!(listing(&here), sorted(whole.to_vec()));
        assert_eq!(std::fs::read(here.join(&name)).expect("rows"), before);
    }
}

#[cfg(unix)]
#[test]
fn exports_to_devices_and_directories_are_refused_in_a_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let entry = Catalog::standard().open("tictactoe").expect("a game");
    let taken = folder.path().join("rows.csv");
    std::fs::create_dir(&taken).expect("a folder");
    for out in [Path::new("/dev/null"), &taken] {
        for form in [Form::Csv, Form::Lines, Form::Npz] {
            let mut request = Request::new(out.into());
            request.positions = Some(10);
            request.form = Some(form);
            let error = export(&Session::default(), &entry, &request, &NoMonitor).expect_err("no file");
            assert!(error.to_string().contains("it is not a regular file"), "{error}");
        }
    }
    assert_eq!(listing(folder.path()), ["rows.csv"]);
}
