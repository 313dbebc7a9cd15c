//! A game with an index of its own, from `index --check` to `solve` and `verify`.

use outplay::workbench::{GameBuilder, GameHandle, Method, Session, SolveRequest};
use outplay_core::{Game, Index, InputError, Notation, Payoff, Tier, Turn};
use outplay_runtime::NoMonitor;

/// Counting down by one or two; the player who says zero wins.
#[derive(Clone)]
struct Countdown(u32);

impl Game for Countdown {
    type Position = (u32, bool);
    type Move = u32;
    fn start(&self) -> Option<(u32, bool)> {
        Some((self.0, false))
    }
    fn turn(&self, pos: &(u32, bool)) -> Turn {
        if pos.1 { Turn::Second } else { Turn::First }
    }
    fn moves(&self, pos: &(u32, bool), out: &mut Vec<u32>) {
        out.extend(1..=pos.0.min(2));
    }
    fn play(&self, pos: &(u32, bool), step: u32) -> (u32, bool) {
        (pos.0 - step, !pos.1)
    }
    fn outcome(&self, pos: &(u32, bool)) -> Option<Payoff> {
        (pos.0 == 0).then_some(if pos.1 { 1 } else { -1 })
    }
}

impl Notation for Countdown {
    fn spec(&self) -> String {
        format!("countdown:{}", self.0)
    }
    fn write_position(&self, pos: &(u32, bool)) -> String {
        format!("{} {}", pos.0, u8::from(pos.1))
    }
    fn read_position(&self, text: &str) -> Result<(u32, bool), InputError> {
        let parts = text.split_once(' ').and_then(|(number, who)| Some((number.parse().ok()?, who == "1")));
        parts.ok_or_else(|| InputError::position(text, "write a number and 0 or 1"))
    }
    fn write_move(&self, _pos: &(u32, bool), step: u32) -> String {
        step.to_string()
    }
}

/// One range of numbers, in the order of play, or the other way round.
struct Range {
    from: u32,
    reversed: bool,
}

impl Index<Countdown> for Range {
    fn tiers(&self) -> u32 {
        1
    }
    fn child_tiers(&self, _tier: Tier) -> Vec<Tier> {
        Vec::new()
    }
    fn len(&self, _tier: Tier) -> u64 {
        2 * u64::from(self.from) + 2
    }
    fn rank(&self, pos: &(u32, bool)) -> (Tier, u64) {
        let number = 2 * u64::from(self.from - pos.0) + u64::from(pos.1);
        (Tier(0), if self.reversed { self.len(Tier(0)) - 1 - number } else { number })
    }
    fn unrank(&self, tier: Tier, number: u64) -> Option<(u32, bool)> {
        let number = if self.reversed { self.len(tier) - 1 - number } else { number };
        Some((self.from - (number / 2) as u32, number % 2 == 1))
    }
}

fn entry(from: u32, reversed: bool) -> GameHandle {
    let make = match reversed {
        false => |game: &Countdown| Some(Range { from: game.0, reversed: false }),
        true => |game: &Countdown| Some(Range { from: game.0, reversed: true }),
    };
    GameBuilder::new(Countdown(from)).index(make).build()
}

#[test]
fn an_index_of_one_range_is_solved_stored_and_verified() {
    let data = tempfile::tempdir().unwrap();
    // The loser of 400 delays for more plies than a byte can count.
    for from in [1, 3, 20, 400] {
        let (session, game) = (Session::at(data.path()), entry(from, false));
        assert!(
            outplay::workbench::check_index(&session, &game, 1 << 30, 1, &NoMonitor).unwrap().holds(),
            "{from}"
        );
        let mut request = SolveRequest::default();
        let mut by = |method: Method| {
            request.method = method;
            outplay::workbench::solve(&session, &game, &request, &NoMonitor).unwrap()
        };
        let truth = by(Method::Memo);
        let swept = by(Method::Sweep);
        assert_eq!(swept.answer, truth.answer, "{from}");
        assert_eq!(swept.best, truth.best, "{from}");
        assert_eq!(swept.positions.map(|counts| counts.legal), truth.positions.map(|counts| counts.legal));
        let mut request = SolveRequest::default();
        request.store = true;
        let stored = outplay::workbench::solve(&session, &game, &request, &NoMonitor).unwrap();
        assert_eq!(stored.answer, truth.answer, "{from}");
        assert!(stored.table.is_some());
        let verified = outplay::workbench::verify(&session, &game, None, &NoMonitor).unwrap();
        assert_eq!(verified.wrong, 0, "{from}: {verified:?}");
        let again = outplay::workbench::solve(&session, &game, &request, &NoMonitor).unwrap();
        assert!(again.table.is_some_and(|table| table.found) && again.answer == truth.answer, "{from}");
    }
}

#[test]
fn a_reversed_index_is_refused_with_the_two_positions() {
    let (session, game) = (Session::default(), entry(20, true));
    let check = outplay::workbench::check_index(&session, &game, 1 << 30, 1, &NoMonitor).unwrap();
    assert!(!check.holds() && check.broken > 0, "{check:?}");
    let mut request = SolveRequest::default();
    request.method = Method::Sweep;
    let refused = outplay::workbench::solve(&session, &game, &request, &NoMonitor).unwrap_err().to_string();
    assert!(refused.contains("(20, false)") && refused.contains("(19, true)"), "{refused}");
    assert!(refused.contains("larger number"), "{refused}");
}
