//! Whole tuning runs, on boards small enough to take seconds.

use outplay_arena::ArenaError;
use outplay_arena::stats::Sprt;
use outplay_arena::tune::fit::FitOptions;
use outplay_arena::tune::labels::{LabelFile, Sampling, labels, parse_labels};
use outplay_arena::tune::{TuneReport, TuneRequest, TuningMethod, TuningObjective, page, run};
use outplay_core::{AnyMove, AnyPosition, Game, Native};
use outplay_games::mnk::{Mnk, Rules};
use outplay_players::{ExactOracle, FeatureSet, MoveValue, MoveValues, PlayError, PlayerContext};
use outplay_runtime::{Monitor, NoMonitor};
use outplay_solve::{Memo, memo};
use outplay_workbench::{GameBuilder, Session};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

type Board = Mnk<u64>;

struct MemoOracle(Native<Board>, Memo<Board>);

impl ExactOracle for MemoOracle {
    fn moves(&self, pos: &AnyPosition, _: &dyn Monitor) -> Result<Option<MoveValues>, PlayError> {
        let merit = |(place, &mv): (usize, &u8)| {
            let next = self.0.game.play(self.0.pos(pos), mv);
            Some((AnyMove(place as u32), MoveValue::Value(self.1.value(&next)?.before(false))))
        };
        Ok(self.0.list(pos).iter().enumerate().map(merit).collect())
    }
}

fn native(spec: &str) -> Native<Board> {
    Native::new(Mnk::new(Rules::parse(spec).unwrap()).unwrap()).lines()
}

fn kit(spec: &str) -> PlayerContext {
    PlayerContext::new(native(spec))
}

fn wise(spec: &str) -> PlayerContext {
    let native = native(spec);
    let known = memo(&native.game, &native.game.start().unwrap(), u64::MAX, &NoMonitor).unwrap();
    PlayerContext { truth: Some(Arc::new(MemoOracle(native.clone(), known))), ..PlayerContext::new(native) }
}

fn request(method: TuningMethod) -> TuneRequest {
    let mut request = TuneRequest::default();
    request.by = TuningObjective::Games(method);
    (request.depth, request.population, request.games) = (2, 8, 2);
    (request.generations, request.openings, request.threads) = (3, 2, 2);
    request
}

/// The same request with a change.
fn with(mut request: TuneRequest, change: impl FnOnce(&mut TuneRequest)) -> TuneRequest {
    change(&mut request);
    request
}

#[test]
fn the_same_seed_gives_the_same_run_on_any_number_of_threads() {
    let kit = kit("connect4:5x4");
    for method in [TuningMethod::Ga, TuningMethod::Sound, TuningMethod::Cmaes] {
        let found = |threads, seed| {
            let wanted = with(request(method), |wanted| (wanted.threads, wanted.seed) = (threads, seed));
            run(&kit, &wanted, &NoMonitor).unwrap()
        };
        let (one, three) = (found(1, 1), found(3, 1));
        assert_eq!(one.generations, three.generations, "{method:?}");
        assert_eq!(one.weights, three.weights, "{method:?}");
        assert_eq!(one.generations.len(), 3);
        assert!(one.weights.iter().all(|weight| *weight >= 0.0));
        assert_ne!(found(2, 2).generations, one.generations, "{method:?}");
    }
}

/// Stops when a generation's stage begins.
struct Until(AtomicU32, &'static str);

impl Monitor for Until {
    fn stage(&self, name: &str, _: u64) {
        if name.starts_with(self.1) {
            self.0.store(1, Ordering::Relaxed);
        }
    }
    fn advance(&self, _: u64) {}
    fn stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 1
    }
}

#[test]
fn resumed_run_equals_an_uninterrupted_one() {
    let folder = tempfile::tempdir().unwrap();
    let kit = kit("connect4:5x4");
    for method in [TuningMethod::Ga, TuningMethod::Sound, TuningMethod::Cmaes] {
        let file = folder.path().join(format!("{}.json", method.word()));
        let wanted = with(request(method), |wanted| wanted.checkpoint = Some(file.clone()));
        let stopped = run(&kit, &wanted, &Until(AtomicU32::new(0), "generation 3"));
        assert!(matches!(stopped, Err(ArenaError::Stopped)));
        let again = run(&kit, &wanted, &NoMonitor).unwrap_err().to_string();
        assert!(again.contains("resume it"), "{again}");
        let resumed = with(wanted, |wanted| wanted.resume = true);
        let whole = run(&kit, &resumed, &NoMonitor).unwrap();
        let fresh = run(&kit, &request(method), &NoMonitor).unwrap();
        assert_eq!((whole.generations, whole.weights), (fresh.generations, fresh.weights), "{method:?}");
        let deeper = with(resumed, |resumed| resumed.depth = 3);
        let other = run(&kit, &deeper, &NoMonitor).unwrap_err().to_string();
        assert!(other.contains("other options"), "{other}");
    }
}

fn by_labels(file: Option<std::path::PathBuf>) -> TuneRequest {
    let by = TuningObjective::Labels {
        positions: 400,
        held_out: 200,
        sampling: Sampling { from: 4, to: 14, ..Sampling::default() },
        fit: FitOptions { steps: 200, ..FitOptions::default() },
    };
    with(request(TuningMethod::Ga), |wanted| {
        (wanted.by, wanted.features, wanted.labels) = (by, FeatureSet::Extended, file);
    })
}

#[test]
fn fitted_weights_generalise_to_held_out_positions() {
    let folder = tempfile::tempdir().unwrap();
    let kit = wise("connect4:5x4");
    let file = folder.path().join("labels.txt");
    let wanted = by_labels(Some(file.clone()));
    let report = run(&kit, &wanted, &NoMonitor).unwrap();
    let measured = report.measured.clone().unwrap();
    assert_eq!(measured.held_out.all.moves, 200);
    assert!(
        measured.shares.all > 0.85 && measured.shares.all >= measured.shares.incumbent_all,
        "{measured:?}"
    );
    assert!(measured.losses.first().unwrap().1 > measured.losses.last().unwrap().1);

    // The file holds the labels found, and a longer list starts with the shorter one.
    let text = std::fs::read_to_string(&file).unwrap();
    let again = run(&kit, &wanted, &NoMonitor).unwrap();
    assert_eq!((again.weights, std::fs::read_to_string(&file).unwrap()), (report.weights, text));
    let sampling = Sampling { from: 4, to: 14, ..Sampling::default() };
    let kept = LabelFile { path: file.clone(), own: false, limit: 1 << 20 };
    let positions = |count, file: Option<&LabelFile>| {
        labels(&kit, &sampling, count, file, 1, &NoMonitor)
            .unwrap()
            .into_iter()
            .map(|label| label.pos)
            .collect::<Vec<_>>()
    };
    assert_eq!(positions(50, None), positions(80, Some(&kept))[..50]);
    assert_eq!((Sampling::middle(42), Sampling::middle(20)), ((8, 34), (3, 16)));
    let other = labels(&kit, &Sampling { seed: 2, ..sampling }, 10, Some(&kept), 1, &NoMonitor);
    assert!(other.err().unwrap().to_string().contains("another request"));
}

/// Altered, contradictory and missing labels are recomputed, and the result is that of an undamaged file.
#[test]
fn damaged_labels_are_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let kit = wise("connect4:5x4");
    let file = LabelFile { path: folder.path().join("labels.txt"), own: true, limit: 1 << 20 };
    let sampling = Sampling { from: 4, to: 14, ..Sampling::default() };
    let found = || {
        let found = labels(&kit, &sampling, 40, Some(&file), 2, &NoMonitor).unwrap();
        found.into_iter().map(|label| (label.pos, label.payoffs)).collect::<Vec<_>>()
    };
    let right = found();
    let text = std::fs::read_to_string(&file.path).unwrap();
    let whole = parse_labels(&kit.game, &sampling, text.as_bytes());
    let lines: Vec<&str> = text.lines().collect();
    let some = lines.iter().position(|line| line.ends_with(['+', '-'])).unwrap();
    let flip = |line: &str| {
        let last = if line.ends_with('+') { "0" } else { "+" };
        format!("{}{last}", &line[..line.len() - 1])
    };
    for (place, line) in
        [(some, flip(lines[some])), (some, String::new()), (0, flip(lines[0])), (0, "x".into())]
    {
        let mut damaged: Vec<String> = lines.iter().map(|line| line.to_string()).collect();
        damaged[place] = line;
        std::fs::write(&file.path, damaged.join("\n") + "\n").unwrap();
        assert_eq!(found(), right, "line {place}");
        let kept = std::fs::read(&file.path).unwrap();
        assert_eq!(parse_labels(&kit.game, &sampling, &kept), whole, "line {place}");
    }
    // With a valid checksum but other rules: nothing of it counts.
    let other = parse_labels(&wise("connect4:4x4").game, &sampling, text.as_bytes());
    assert!(other.is_empty());
    // A file that the user named is not renamed.
    let letter = LabelFile { path: folder.path().join("letter"), own: false, limit: 1 << 20 };
    std::fs::write(&letter.path, "dear all").unwrap();
    let refused = labels(&kit, &sampling, 4, Some(&letter), 1, &NoMonitor).err().unwrap().to_string();
    assert!(refused.contains("is not a file of the kind `tune labels`"), "{refused}");
}

fn tested(sprt: Option<Sprt>) -> TuneReport {
    let kit = wise("connect4:5x4");
    let wanted = with(by_labels(None), |wanted| (wanted.sprt, wanted.sprt_games) = (sprt, 2000));
    run(&kit, &wanted, &NoMonitor).unwrap()
}

#[test]
fn a_result_is_accepted_by_its_test_only() {
    // No evaluation is 200 Elo stronger than itself.
    let kit = kit("connect4:5x4");
    let wanted = with(request(TuningMethod::Ga), |wanted| {
        wanted.sprt = Some(Sprt::new(100.0, 200.0));
        (wanted.sprt_games, wanted.generations) = (2000, 1);
    });
    let report = run(&kit, &wanted, &NoMonitor).unwrap();
    assert_eq!(report.accepted, Some(false));
    assert!(report.trial.unwrap().sprt.is_some());
    // Hardly any evaluation is 300 Elo weaker.
    let report = tested(Some(Sprt::new(-400.0, -300.0)));
    assert_eq!(report.accepted, Some(true));
    assert_eq!(tested(None).accepted, None);
}

#[test]
fn page_is_self_contained() {
    let page = page(&tested(Some(Sprt::new(-400.0, -300.0))));
    for word in ["<svg", "Weights", "Accuracy", "Match against the incumbent", "accepted", "</html>"] {
        assert!(page.contains(word), "{word}");
    }
    for word in ["http:", "https:", "src=", "href=", "NaN", "inf"] {
        assert!(!page.contains(word), "{word}");
    }
    let generations = run(&kit("connect4:5x4"), &request(TuningMethod::Ga), &NoMonitor).unwrap();
    assert!(outplay_arena::tune::page(&generations).contains("Fitness per generation"));
}

#[test]
fn invalid_tuning_requests_are_refused() {
    let kit = kit("connect4:5x4");
    let fails = |wanted: &TuneRequest, word: &str| {
        let error = run(&kit, wanted, &NoMonitor).unwrap_err().to_string();
        assert!(error.contains(word) && !error.contains('\n'), "{error}");
    };
    fails(&with(request(TuningMethod::Ga), |wanted| wanted.population = 1), "at least 4");
    fails(&with(request(TuningMethod::Ga), |wanted| wanted.games = 0), "at least 1");
    fails(&with(request(TuningMethod::Ga), |wanted| wanted.incumbent = "lines:tree=3".into()), "tree");
    fails(&by_labels(None), "exact values of connect4:5x4 are not available");
    let nim = outplay_games::nim::Nim::from_spec(outplay_games::Spec::parse("nim:3+4").unwrap()).unwrap();
    let mut session = Session::default();
    session.data = None;
    let error =
        outplay_arena::tune(&session, &GameBuilder::new(nim).build(), &request(TuningMethod::Ga), &NoMonitor)
            .unwrap_err();
    assert!(error.is_input() && error.to_string().contains("k in a row"), "{error}");
}
