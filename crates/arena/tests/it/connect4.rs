//! What weights from exact values are worth on 7x6 Connect-4. Minutes of labels, so it runs only when asked to:
//! `cargo test --release -p outplay-arena --test it -- connect4:: --ignored --nocapture`. Set `OUTPLAY_LABELS` to a file
//! to keep the labels from run to run, and `OUTPLAY_POSITIONS` to fit to more or fewer positions than 6000.

use outplay_arena::stats::Sprt;
use outplay_arena::tune::fit::FitOptions;
use outplay_arena::tune::labels::Sampling;
use outplay_arena::tune::{By, TuneRequest, run};
use outplay_connect::{Depth, Limits, Solver};
use outplay_core::{Game, LineGame, Quiet, Watch};
use outplay_games::mnk::{Mnk, Rules};
use outplay_players::{FeatureSet, Kit, Merit, Merits, PlayError, Truth};
use std::sync::{Arc, Mutex};

type Board = Mnk<u64>;

/// Win, draw or loss by the connect-k solver.
struct Solved(Board, Mutex<Vec<Solver>>);

impl Truth<Board> for Solved {
    fn moves(
        &self,
        pos: &<Board as Game>::Position,
        watch: &dyn Watch,
    ) -> Result<Option<Merits<u8>>, PlayError> {
        let mut solver = self.1.lock().unwrap().pop().unwrap_or_else(|| Solver::new(1 << 22));
        let mut moves = Vec::new();
        self.0.moves(pos, &mut moves);
        let mut merits = Vec::new();
        for mv in moves {
            let board = self.0.board(&self.0.play(pos, mv));
            let answer = solver.solve(&board, Depth::Verdict, Limits::default(), watch, 1).unwrap();
            merits.push((mv, Merit::Value(outplay_core::Value::untimed(-answer.verdict().unwrap()))));
        }
        self.1.lock().unwrap().push(solver);
        Ok(Some(merits))
    }
}

#[test]
#[ignore = "labels thousands of positions, which takes minutes"]
fn weights_from_labels_keep_the_value_and_beat_the_paper() {
    let game: Board = Mnk::new(Rules::parse("connect4").unwrap()).unwrap();
    let truth = Arc::new(Solved(game.clone(), Mutex::new(Vec::new())));
    let kit = Kit { board: Some(|game: &Board, pos| game.board(pos)), truth: Some(truth), ..Kit::new(game) };
    let positions =
        std::env::var("OUTPLAY_POSITIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(6000);
    let request = TuneRequest {
        by: By::Labels {
            positions,
            held_out: positions / 4,
            sampling: Sampling::default(),
            fit: FitOptions::default(),
        },
        features: FeatureSet::Extended,
        threads: 2,
        sprt: Some(Sprt::new(0.0, 20.0)),
        sprt_games: 4000,
        labels: std::env::var_os("OUTPLAY_LABELS").map(Into::into),
        ..TuneRequest::default()
    };
    let report = run(&kit, &request, &Quiet).unwrap();
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
