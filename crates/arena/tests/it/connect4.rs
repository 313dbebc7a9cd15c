//! Strength of weights fitted to exact values of 7x6 Connect-4. Labelling takes minutes, so the test is ignored:
//! `cargo test --release -p outplay-arena --test it -- connect4:: --ignored --nocapture`. `OUTPLAY_LABELS` names a
//! file that keeps the labels between runs, and `OUTPLAY_POSITIONS` sets the number of positions (default 6000).

use outplay_arena::stats::Sprt;
use outplay_arena::tune::fit::FitOptions;
use outplay_arena::tune::labels::Sampling;
use outplay_arena::tune::{TuneRequest, TuningObjective, run};
use outplay_connect::{Depth, Solver, SolverLimits};
use outplay_core::{AnyMove, AnyPosition, Game, LineGame, Native};
use outplay_games::mnk::{Mnk, Rules};
use outplay_players::{ExactOracle, FeatureSet, MoveValue, MoveValues, PlayError, PlayerContext};
use outplay_runtime::{Monitor, NoMonitor};
use std::sync::{Arc, Mutex};

type Board = Mnk<u64>;

/// Win, draw or loss by the connect-k solver.
struct Solved(Native<Board>, Mutex<Vec<Solver>>);

impl ExactOracle for Solved {
    fn moves(&self, pos: &AnyPosition, monitor: &dyn Monitor) -> Result<Option<MoveValues>, PlayError> {
        let Native { game, .. } = &self.0;
        let mut solver = self.1.lock().unwrap().pop().unwrap_or_else(|| Solver::new(1 << 22));
        let mut merits = Vec::new();
        for (place, &mv) in self.0.list(pos).iter().enumerate() {
            let board = game.board(&game.play(self.0.pos(pos), mv));
            let answer = solver.solve(&board, Depth::Verdict, SolverLimits::default(), monitor, 1).unwrap();
            let value = outplay_core::Value::untimed(-answer.verdict().unwrap());
            merits.push((AnyMove(place as u32), MoveValue::Value(value)));
        }
        self.1.lock().unwrap().push(solver);
        Ok(Some(merits))
    }
}

#[test]
#[ignore = "labels thousands of positions, which takes minutes"]
fn weights_from_labels_keep_the_value_and_beat_the_paper() {
    let native = Native::new(Board::new(Rules::parse("connect4").unwrap()).unwrap()).lines();
    let truth = Arc::new(Solved(native.clone(), Mutex::new(Vec::new())));
    let kit = PlayerContext { truth: Some(truth), ..PlayerContext::new(native) };
    let positions =
        std::env::var("OUTPLAY_POSITIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(6000);
    let mut request = TuneRequest::default();
    request.by = TuningObjective::Labels {
        positions,
        held_out: positions / 4,
        sampling: Sampling::default(),
        fit: FitOptions::default(),
    };
    request.features = FeatureSet::Extended;
    request.threads = 2;
    request.sprt = Some(Sprt::new(0.0, 20.0));
    request.sprt_games = 4000;
    request.labels = std::env::var_os("OUTPLAY_LABELS").map(Into::into);
    let report = run(&kit, &request, &NoMonitor).unwrap();
    let measured = report.measured.unwrap();
    let row = &report.trial.as_ref().unwrap().standings.players[0];
    println!("{} weights: {}", report.weights.len(), report.evaluation);
    println!(
        "fitted {:?}, held out {:?}, incumbent {:?}",
        measured.fitted, measured.held_out, measured.incumbent
    );
    println!("{:?} in {} lessons", measured.shares, measured.lessons);
    println!("depth 7 against the paper's weights: {:?}, {:?}", row.tally, row.strength);
    println!("{:?}", report.trial.as_ref().unwrap().sprt);
    assert!(report.weights.len() <= 60);
    assert!(measured.shares.all >= 0.95 && measured.shares.quiet >= 0.75, "{:?}", measured.shares);
    assert_eq!(report.accepted, Some(true));
}
