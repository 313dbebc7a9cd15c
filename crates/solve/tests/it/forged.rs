//! The verifier reports every single wrong value and checks every reachable position.

use outplay_core::{Code, Game, Index, Tier};
use outplay_games::Spec;
use outplay_games::mnk::{Mnk, MnkIndex, Rules};
use outplay_games::nim::Nim;
use outplay_runtime::NoMonitor;
use outplay_solve::{ExploredGame, Flaw, SolveError, SweepValues, canonical, settled, sweep, verify};

/// Forges some of the values that a table would hold, one at a time.
fn check<G: Game, I: Index<G>>(game: &G, index: &I, stride: usize) {
    let start = game.start().unwrap();
    let swept: SweepValues<i8> = sweep(game, index, None, &NoMonitor).unwrap();
    let verified = |stored: &dyn Fn(Tier, usize) -> i8| {
        let tier = |tier: Tier| -> Result<Vec<i8>, SolveError> {
            Ok((0..index.len(tier) as usize).map(|slot| stored(tier, slot)).collect())
        };
        verify(game, index, &start, tier, &NoMonitor).unwrap()
    };
    let right = |tier: Tier, slot: usize| swept.codes(tier)[slot];
    let positions = ExploredGame::new(game, &start, u64::MAX, &NoMonitor).unwrap();
    let whole = verified(&right);
    assert_eq!((whole.checked, whole.wrong), (positions.positions().len() as u64, 0));
    let (mut moves, mut images, mut forged) = (Vec::new(), Vec::new(), 0);
    for pos in positions.positions().iter().step_by(stride) {
        if settled(game, pos, &mut moves).is_some() {
            continue; // the rules answer, whatever is stored
        }
        let (tier, number) = canonical(game, index, pos, &mut images);
        let code = right(tier, number as usize);
        for planted in [i8::UNKNOWN, 0, -code, code - code.signum(), 120, -121] {
            if planted == code {
                continue;
            }
            let here = (tier, number as usize);
            let found = verified(&|t, slot| if (t, slot) == here { planted } else { right(t, slot) });
            assert!(found.wrong > 0, "{planted} for {code} at {pos:?}");
            let missing = matches!(found.first_wrong, Some((.., Flaw::Missing)));
            assert_eq!(missing, planted == i8::UNKNOWN, "{planted} for {code} at {pos:?}");
            forged += 1;
        }
    }
    assert!(forged > 30, "{forged}");
}

#[test]
fn every_forged_value_is_found() {
    for (text, stride) in [("mnk:3x3,k=3", 61), ("mnk:3x3,k=3,misere", 101), ("mnk:4x3,k=3,gravity", 151)] {
        let game: Mnk<u64> = Mnk::new(Rules::parse(text).unwrap()).unwrap();
        check(&game, &MnkIndex::new(&game).unwrap(), stride);
    }
    let nim = Nim::from_spec(Spec::parse("nim:2+3+4").unwrap()).unwrap();
    let explored = ExploredGame::new(&nim, &nim.start().unwrap(), u64::MAX, &NoMonitor).unwrap();
    check(&nim, &explored, 3);
}
