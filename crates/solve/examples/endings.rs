//! Solves chess endings and prints time and counts: `cargo run --release -p outplay-solve --example endings -- KQKR`.

use outplay_core::{Index, Tier, Turn};
use outplay_games::Spec;
use outplay_games::chess::{Chess, ChessIndex};
use outplay_runtime::NoMonitor;
use outplay_solve::{RetrogradeOptions, RetrogradeValues, retrograde};

fn main() {
    for name in std::env::args().skip(1) {
        let spec = Spec::parse(&format!("chess:{name}")).and_then(Chess::from_spec);
        let game = match spec {
            Ok(game) => game,
            Err(error) => {
                eprintln!("error: {error}");
                std::process::exit(2);
            }
        };
        let index = ChessIndex::new(&game);
        let start = std::time::Instant::now();
        let solved: Result<RetrogradeValues<i8>, _> =
            retrograde(&game, &index, RetrogradeOptions::default(), &NoMonitor);
        let solved = match solved {
            Ok(solved) => solved,
            Err(error) => {
                eprintln!("error: {error}");
                std::process::exit(1);
            }
        };
        println!("{name}: {:.2} s, {} numbers", start.elapsed().as_secs_f64(), index.total());
        for tier in (0..index.tiers()).map(Tier).filter(|&tier| index.counted(tier)) {
            let tally = &solved.tally().tiers[tier.0 as usize];
            let (white, black) = (tally.by_turn(Turn::First), tally.by_turn(Turn::Second));
            println!(
                "{:6} white to move {}/{}/{}, black to move {}/{}/{}",
                index.tier_name(tier),
                white.win,
                white.draw,
                white.loss,
                black.win,
                black.draw,
                black.loss
            );
        }
    }
}
