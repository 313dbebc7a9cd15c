//! Lists random positions of a chess ending with their values, to be compared with other tables:
//! `cargo run --release -p outplay-solve --example values -- KPKP 20000`.
//!
//! A line is `FEN;payoff;plies` for the player to move. Where both sides have pawns, every other position allows a
//! capture en passant.

use outplay_core::{Game, Index, Notation, Probe, Tier};
use outplay_games::Spec;
use outplay_games::chess::{Chess, ChessIndex};
use outplay_runtime::NoMonitor;
use outplay_solve::{LoopCode, RetrogradeOptions, SolvedProbe, retrograde};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let name = words.next().ok_or("which ending? for example KPKP 1000")?;
    let wanted: usize = words.next().map_or(Ok(1000), |word| word.parse())?;
    let game = Chess::from_spec(Spec::parse(&format!("chess:{name}"))?)?;
    let index = ChessIndex::new(&game);
    let solved = retrograde::<_, _, LoopCode>(&game, &index, RetrogradeOptions::default(), &NoMonitor)?;
    let known = SolvedProbe { game: &game, index: &index, solved: &solved };
    let own = index.tier_of(&game.endings()[0]).unwrap_or(Tier(0));
    let sides: Vec<&str> = name.rsplitn(2, 'K').collect();
    let passing = sides.iter().all(|side| side.contains('P'));
    let (mut seed, mut listed, mut moves) = (1u64, 0, Vec::new());
    while listed < wanted {
        // A linear congruential generator.
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let Some(mut pos) = index.unrank(own, (seed >> 11) % index.len(own)) else { continue };
        if passing && listed % 2 == 1 {
            moves.clear();
            game.moves(&pos, &mut moves);
            let mut next = moves.iter().map(|&mv| game.play(&pos, mv));
            let Some(passed) = next.find(|next| !index.holds(next)) else { continue };
            pos = passed;
        }
        let value = known.probe(&pos)?.ok_or("a position has no value")?;
        println!("{};{};{}", game.write_position(&pos), value.payoff(), value.distance().unwrap_or(0));
        listed += 1;
    }
    Ok(())
}
