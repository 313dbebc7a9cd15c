//! Tests of the ladder and of bound propagation between a position and its moves, with fake sources.
//!
//! In the game of the tests, the first player chooses one of a few moves, and then the second player ends the game with
//! a tie. Each test sets the values that the fake sources return for the root and its children.

use crate::move_values::{Detail, PositionValues, ValuedMove};
use crate::{
    Cost, Effort, GameHandle, Ladder, ProvenValue, Question, Session, Source, SourceResult, Trouble,
    ValueSource, between,
};
use outplay_core::{AnyMove, AnyPosition, Game, Payoff, Turn, Value};
use outplay_runtime::{Deadline, Monitor, NoMonitor};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// A root with a number of children, each followed by a finished position.
#[derive(Clone)]
struct Fan {
    children: u8,
    /// Children with the same number modulo this are symmetric.
    symmetric: u8,
    most: Payoff,
    /// Whether the first player moves again at the children.
    again: bool,
}

const END: u8 = 200;

impl Game for Fan {
    type Position = u8;
    type Move = u8;
    fn start(&self) -> Option<u8> {
        Some(0)
    }
    fn turn(&self, pos: &u8) -> Turn {
        if *pos == 0 || self.again { Turn::First } else { Turn::Second }
    }
    fn moves(&self, pos: &u8, out: &mut Vec<u8>) {
        match *pos {
            0 => out.extend(1..=self.children),
            END => {}
            _ => out.push(END),
        }
    }
    fn play(&self, _: &u8, mv: u8) -> u8 {
        mv
    }
    fn outcome(&self, pos: &u8) -> Option<Payoff> {
        (*pos == END).then_some(0)
    }
    fn best_payoff(&self) -> Payoff {
        self.most
    }
    fn symmetric(&self, pos: &u8, out: &mut Vec<u8>) {
        let same = |other: &u8| (*other).abs_diff(*pos).is_multiple_of(self.symmetric);
        match *pos {
            0 | END => out.push(*pos),
            _ => out.extend((1..=self.children).filter(same)),
        }
    }
}

fn fan(children: u8) -> Fan {
    Fan { children, symmetric: u8::MAX, most: 1, again: false }
}

/// A source with fixed values, which records the positions it was asked about.
struct Fake {
    cost: Cost,
    known: Vec<(u8, SourceResult)>,
    /// Values for a position that is asked about again.
    later: Vec<(u8, SourceResult)>,
    asked: Mutex<Vec<u8>>,
    stops: AtomicBool,
}

impl Fake {
    fn new(cost: Cost, known: &[(u8, ProvenValue)]) -> Fake {
        let known =
            known.iter().map(|&(pos, proven)| (pos, SourceResult::new(proven, Source::Search))).collect();
        Fake { cost, known, later: Vec::new(), asked: Mutex::default(), stops: AtomicBool::new(false) }
    }

    fn free(known: &[(u8, ProvenValue)]) -> Fake {
        Fake::new(Cost::Free, known)
    }

    /// Names best moves at the root, by their index in the list.
    fn naming(mut self, best: &[u32]) -> Fake {
        for (pos, finding) in &mut self.known {
            if *pos == 0 {
                finding.best = best.iter().map(|&place| AnyMove(place)).collect();
            }
        }
        self
    }

    fn from(mut self, source: Source) -> Fake {
        self.known.iter_mut().for_each(|(_, finding)| finding.source = source);
        self
    }

    /// Marks the value of a position as that of a search that was stopped.
    fn unfinished(mut self, pos: u8) -> Fake {
        for (known, finding) in &mut self.known {
            finding.unfinished |= *known == pos;
        }
        self
    }

    /// Sets the value of a position that is asked about again.
    fn later(mut self, pos: u8, proven: ProvenValue) -> Fake {
        self.later.push((pos, SourceResult::new(proven, Source::Search)));
        self
    }

    fn with_nodes(mut self, nodes: u64, probe_hits: Option<u64>) -> Fake {
        for (_, finding) in &mut self.known {
            (finding.nodes, finding.probe_hits) = (nodes, probe_hits);
        }
        self
    }

    fn stopping(self) -> Fake {
        self.stops.store(true, Relaxed);
        self
    }

    fn asked(&self) -> Vec<u8> {
        self.asked.lock().unwrap().clone()
    }
}

/// The number of a position of a fan, which is printed as its number.
fn number(ask: &Question<'_>) -> u8 {
    outplay_core::Notation::write_position(ask.handle.game(), ask.pos).parse().unwrap()
}

impl ValueSource for Fake {
    fn cost(&self, _: &Question<'_>) -> Cost {
        self.cost.clone()
    }
    fn value(&self, ask: &Question<'_>) -> Result<Option<SourceResult>, Trouble> {
        let pos = number(ask);
        let again = self.asked().contains(&pos);
        self.asked.lock().unwrap().push(pos);
        if self.stops.load(Relaxed) {
            return Err(Trouble::stopped());
        }
        let later = self.later.iter().filter(|_| again);
        let mut values = later.chain(&self.known);
        Ok(values.find(|(known, _)| *known == pos).map(|(_, finding)| finding.clone()))
    }
}

/// A ladder of fake sources over a fan.
struct Rig {
    session: Session,
    handle: GameHandle,
    effort: Effort,
    time: Option<Duration>,
}

impl Rig {
    fn new(game: Fan) -> Rig {
        Rig { session: Session::default(), handle: GameHandle::new(game), effort: Effort::Full, time: None }
    }

    fn at_once(mut self) -> Rig {
        self.effort = Effort::AtOnce;
        self
    }

    fn with<T>(&self, sources: &[&dyn ValueSource], act: impl FnOnce(&Ladder<'_>, &AnyPosition) -> T) -> T {
        let clock = Deadline::new(self.time, &NoMonitor);
        let ladder = Ladder { sources, ..Ladder::new(&self.session, &self.handle, &clock, self.effort) };
        act(&ladder, &self.handle.start().unwrap())
    }

    /// Queries the root; returns the finding and the limits reported.
    fn ask(&self, sources: &[&dyn ValueSource]) -> (SourceResult, Vec<String>) {
        let mut notes = Vec::new();
        let found = self.with(sources, |ladder, root| ladder.ask(root, false, &mut |note| notes.push(note)));
        (found.unwrap(), notes)
    }

    /// Evaluates the moves of the root; also returns the indices of the moves in the order in which they were
    /// reported.
    fn moves(&self, sources: &[&dyn ValueSource], detail: Detail) -> (PositionValues, Vec<u32>) {
        let mut reported = Vec::new();
        let mut found = |valued: &ValuedMove| reported.push(valued.mv.0);
        let values =
            self.with(sources, |ladder, root| ladder.moves(root, detail, false, &mut found)).unwrap();
        (values, reported)
    }
}

fn win(plies: u32) -> ProvenValue {
    ProvenValue::Exact(Value::win(plies))
}

fn loss(plies: u32) -> ProvenValue {
    ProvenValue::Exact(Value::new(-1, plies))
}

const TIE: ProvenValue = ProvenValue::Exact(Value::TIE);

fn untimed(payoff: Payoff) -> ProvenValue {
    ProvenValue::Exact(Value::untimed(payoff))
}

const UNKNOWN: ProvenValue = ProvenValue::Between(-1, 1);

fn open() -> Cost {
    Cost::Open { likely: true }
}

/// Evaluates all moves of a fan, from one source's values of root and children.
fn evaluated(known: &[(u8, ProvenValue)], children: u8) -> (ProvenValue, Vec<ProvenValue>, Vec<u32>, bool) {
    let (values, _) = Rig::new(fan(children)).moves(&[&Fake::new(open(), known)], Detail::Moves);
    let moves = values.moves.iter().map(|valued| valued.proven).collect();
    (values.known.proven, moves, values.best.iter().map(|mv| mv.0).collect(), values.all)
}

mod asking {
    use super::*;

    #[test]
    fn first_exact_source_ends_the_search() {
        let (first, second) = (Fake::free(&[(0, win(3))]), Fake::free(&[(0, loss(2))]));
        assert_eq!(Rig::new(fan(2)).ask(&[&first, &second]).0.proven, win(3));
        assert!(second.asked().is_empty());
    }

    #[test]
    fn source_without_an_answer_is_skipped() {
        let (first, second) = (Fake::free(&[]), Fake::free(&[(0, TIE)]));
        assert_eq!(Rig::new(fan(2)).ask(&[&first, &second]).0.proven, TIE);
        assert_eq!(first.asked(), [0]);
    }

    #[test]
    fn without_sources_bounds_are_the_payoff_range() {
        assert_eq!(Rig::new(fan(2)).ask(&[]).0.proven, UNKNOWN);
        assert_eq!(Rig::new(Fan { most: 3, ..fan(2) }).ask(&[]).0.proven, between(-3, 3));
    }

    #[test]
    fn bounds_of_two_sources_are_combined() {
        let low = Fake::free(&[(0, between(0, 1))]);
        let high = Fake::free(&[(0, between(-1, 0))]);
        assert_eq!(Rig::new(fan(2)).ask(&[&low, &high]).0.proven, untimed(0));
    }

    #[test]
    fn bounds_do_not_end_the_search() {
        let (bounds, exact) = (Fake::free(&[(0, between(0, 1))]), Fake::free(&[(0, win(5))]));
        assert_eq!(Rig::new(fan(2)).ask(&[&bounds, &exact]).0.proven, win(5));
    }

    #[test]
    fn a_source_that_can_never_answer_is_not_asked() {
        let never = Fake::new(Cost::Never, &[(0, win(1))]);
        assert_eq!(Rig::new(fan(2)).ask(&[&never]).0.proven, UNKNOWN);
        assert!(never.asked().is_empty());
    }

    #[test]
    fn a_limit_is_reported_and_the_source_not_asked() {
        let beyond = Fake::new(Cost::Beyond("needs 9 GB".into()), &[(0, win(1))]);
        let (found, notes) = Rig::new(fan(2)).ask(&[&beyond]);
        assert_eq!((found.proven, notes), (UNKNOWN, vec!["needs 9 GB".to_string()]));
        assert!(beyond.asked().is_empty());
    }

    #[test]
    fn a_limit_behind_the_source_that_answers_is_not_reported() {
        let (known, beyond) = (Fake::free(&[(0, TIE)]), Fake::new(Cost::Beyond("9 GB".into()), &[]));
        assert!(Rig::new(fan(2)).ask(&[&known, &beyond]).1.is_empty());
    }

    #[test]
    fn at_once_asks_free_sources_only() {
        let (search, free) = (Fake::new(open(), &[(0, win(3))]), Fake::free(&[(0, between(0, 1))]));
        let (found, _) = Rig::new(fan(2)).at_once().ask(&[&search, &free]);
        assert_eq!(found.proven, between(0, 1));
        assert!(search.asked().is_empty());
    }

    #[test]
    fn at_once_asks_estimates_of_a_few_milliseconds() {
        let quick = Fake::new(Cost::Estimated(Duration::from_millis(15)), &[(0, win(3))]);
        let slow = Fake::new(Cost::Estimated(Duration::from_millis(16)), &[(0, win(3))]);
        assert_eq!(Rig::new(fan(2)).at_once().ask(&[&quick]).0.proven, win(3));
        assert_eq!(Rig::new(fan(2)).at_once().ask(&[&slow]).0.proven, UNKNOWN);
    }

    #[test]
    fn at_once_reports_no_limits() {
        let beyond = Fake::new(Cost::Beyond("9 GB".into()), &[]);
        assert!(Rig::new(fan(2)).at_once().ask(&[&beyond]).1.is_empty());
    }

    #[test]
    fn open_sources_are_not_asked_when_time_is_up() {
        let search = Fake::new(open(), &[(0, win(3))]);
        let rig = Rig { time: Some(Duration::ZERO), ..Rig::new(fan(2)) };
        assert_eq!(rig.ask(&[&search]).0.proven, UNKNOWN);
        assert!(search.asked().is_empty());
    }

    #[test]
    fn free_sources_are_asked_when_time_is_up() {
        let rig = Rig { time: Some(Duration::ZERO), ..Rig::new(fan(2)) };
        assert_eq!(rig.ask(&[&Fake::free(&[(0, win(3))])]).0.proven, win(3));
    }

    #[test]
    fn a_stop_is_an_error() {
        let stopped = Fake::free(&[]).stopping();
        let asked = Rig::new(fan(2)).with(&[&stopped], |ladder, root| ladder.ask(root, false, &mut |_| {}));
        assert!(asked.is_err_and(|trouble| trouble.is_stop()));
    }

    #[test]
    fn nodes_of_all_sources_are_counted() {
        let first = Fake::free(&[(0, between(0, 1))]).with_nodes(10, Some(2));
        let second = Fake::free(&[(0, win(3))]).with_nodes(5, None);
        let (found, _) = Rig::new(fan(2)).ask(&[&first, &second]);
        assert_eq!((found.nodes, found.probe_hits), (15, Some(2)));
    }

    #[test]
    fn the_source_that_answered_last_is_named() {
        let first = Fake::free(&[(0, between(0, 1))]).from(Source::Theory);
        let second = Fake::free(&[(0, win(3))]).from(Source::Table);
        assert_eq!(Rig::new(fan(2)).ask(&[&first, &second]).0.source, Source::Table);
    }

    #[test]
    fn best_moves_of_an_earlier_source_stay() {
        let first = Fake::free(&[(0, between(0, 1))]).naming(&[1]);
        let second = Fake::free(&[(0, win(3))]);
        assert_eq!(Rig::new(fan(2)).ask(&[&first, &second]).0.best, [AnyMove(1)]);
    }
}

mod likelihood {
    use super::*;

    fn likely(source: &Fake) -> bool {
        Rig::new(fan(2)).with(&[source], |ladder, root| ladder.is_likely(root))
    }

    #[test]
    fn free_sources_are_asked() {
        assert!(likely(&Fake::free(&[(0, TIE)])));
        assert!(!likely(&Fake::free(&[(0, between(0, 1))])));
        assert!(!likely(&Fake::free(&[])));
    }

    #[test]
    fn estimated_sources_are_likely_without_a_query() {
        let source = Fake::new(Cost::Estimated(Duration::from_secs(9)), &[]);
        assert!(likely(&source) && source.asked().is_empty());
    }

    #[test]
    fn open_sources_use_their_own_likelihood() {
        assert!(likely(&Fake::new(open(), &[])));
        assert!(!likely(&Fake::new(Cost::Open { likely: false }, &[])));
    }

    #[test]
    fn sources_beyond_a_limit_are_not_likely() {
        assert!(!likely(&Fake::new(Cost::Beyond("9 GB".into()), &[])));
        assert!(!likely(&Fake::new(Cost::Never, &[])));
    }
}

mod order {
    use super::*;

    #[test]
    fn the_position_comes_first_and_moves_in_the_games_order() {
        let source = Fake::new(open(), &[]);
        Rig::new(fan(3)).moves(&[&source], Detail::Moves);
        assert_eq!(source.asked(), [0, 1, 2, 3]);
    }

    #[test]
    fn named_moves_are_not_asked_again() {
        let source = Fake::new(open(), &[(0, win(3))]).naming(&[1]);
        let (values, reported) = Rig::new(fan(3)).moves(&[&source], Detail::Best);
        assert_eq!((source.asked(), reported), (vec![0], vec![1]));
        assert_eq!(values.best, [AnyMove(1)]);
    }

    #[test]
    fn best_stops_at_the_first_move_that_keeps_the_value() {
        let known = [(0, win(3)), (1, win(2)), (2, loss(2)), (3, loss(2))];
        let source = Fake::new(open(), &known);
        Rig::new(fan(3)).moves(&[&source], Detail::Best);
        assert_eq!(source.asked(), [0, 1, 2], "child 1 wins for the opponent, child 2 keeps the win");
    }

    #[test]
    fn best_of_an_unknown_position_stops_at_a_win() {
        let source = Fake::new(open(), &[(1, TIE), (2, loss(4)), (3, loss(2))]);
        let (values, _) = Rig::new(fan(3)).moves(&[&source], Detail::Best);
        assert_eq!(source.asked(), [0, 1, 2]);
        assert_eq!(values.known.proven, untimed(1), "another move may be sooner");
    }

    #[test]
    fn symmetric_moves_are_asked_once_and_reported_all() {
        let source = Fake::new(open(), &[(1, loss(2)), (2, TIE)]);
        let game = Fan { symmetric: 2, ..fan(4) };
        let (values, reported) = Rig::new(game).moves(&[&source], Detail::Moves);
        assert_eq!(source.asked(), [0, 1, 2]);
        assert_eq!(reported, [0, 2, 1, 3]);
        assert_eq!(values.best, [AnyMove(0), AnyMove(2)]);
    }

    #[test]
    fn moves_of_a_finished_game_are_none() {
        let rig = Rig::new(fan(1));
        let ladder_at_end = |ladder: &Ladder<'_>, root: &AnyPosition| {
            let game = ladder.handle.game();
            let end = game.play(&game.play(root, AnyMove(0)), AnyMove(0));
            ladder.moves(&end, Detail::Moves, false, &mut |_| {})
        };
        let values = rig.with(&[&Fake::free(&[(END, TIE)])], ladder_at_end).unwrap();
        assert!(values.moves.is_empty() && values.all && values.known.proven == TIE);
    }

    #[test]
    fn lost_position_without_distance_needs_no_move_queries() {
        let source = Fake::new(open(), &[(0, untimed(-1))]);
        let (values, reported) = Rig::new(fan(3)).moves(&[&source], Detail::Moves);
        assert_eq!((source.asked(), reported), (vec![0], vec![0, 1, 2]));
        assert!(values.moves.iter().all(|valued| valued.proven == untimed(-1)));
    }

    #[test]
    fn lost_position_whose_search_was_stopped_queries_its_moves() {
        let source = Fake::new(open(), &[(0, untimed(-1)), (1, win(3)), (2, win(1))]).unfinished(0);
        let (values, _) = Rig::new(fan(2)).moves(&[&source], Detail::Moves);
        assert_eq!(source.asked(), [0, 1, 2]);
        assert_eq!((values.known.proven, values.best), (loss(4), vec![AnyMove(0)]));
        assert!(!values.known.unfinished);
    }

    #[test]
    fn stopped_searches_of_moves_resume_with_the_time_that_is_left() {
        let source = Fake::new(open(), &[(0, loss(6)), (1, untimed(1)), (2, win(3))]).unfinished(1);
        let source = source.later(1, win(5));
        let (values, reported) = Rig::new(fan(2)).moves(&[&source], Detail::Moves);
        assert_eq!(source.asked(), [0, 1, 2, 1]);
        assert_eq!(reported, [1, 0], "a move is reported once, with its distance");
        let moves: Vec<ProvenValue> = values.moves.iter().map(|valued| valued.proven).collect();
        assert_eq!((moves, values.best), (vec![loss(6), loss(4)], vec![AnyMove(0)]));
    }

    #[test]
    fn moves_that_stay_unfinished_are_reported_when_the_time_is_up() {
        let source = Fake::new(open(), &[(0, loss(6)), (1, untimed(1)), (2, win(5))]).unfinished(1);
        let rig = Rig { time: Some(Duration::from_millis(20)), ..Rig::new(fan(2)) };
        let (values, reported) = rig.moves(&[&source], Detail::Moves);
        assert_eq!(reported, [1, 0]);
        assert_eq!((values.moves[0].proven, values.best), (untimed(-1), vec![AnyMove(1)]));
        assert!(!values.all, "the other move may lose as late");
    }

    #[test]
    fn move_without_distance_is_no_best_move_of_a_timed_position() {
        let source = Fake::new(open(), &[(0, loss(6)), (1, untimed(1)), (2, win(5))]);
        let (values, _) = Rig::new(fan(2)).moves(&[&source], Detail::Best);
        assert_eq!((source.asked(), values.best), (vec![0, 1, 2], vec![AnyMove(1)]));
    }

    #[test]
    fn lost_position_with_distance_queries_its_moves() {
        let source = Fake::new(open(), &[(0, loss(4)), (1, win(3)), (2, win(1))]);
        let (values, _) = Rig::new(fan(2)).moves(&[&source], Detail::Moves);
        assert_eq!(source.asked(), [0, 1, 2]);
        assert_eq!(values.best, [AnyMove(0)], "the longer loss");
    }

    #[test]
    fn cheap_query_of_unknown_position_queries_no_moves() {
        let source = Fake::free(&[(1, loss(2))]);
        let (values, _) = Rig::new(fan(2)).at_once().moves(&[&source], Detail::Moves);
        assert_eq!(source.asked(), [0]);
        assert!(values.moves.iter().all(|valued| valued.proven == UNKNOWN));
    }

    #[test]
    fn a_stop_while_moves_are_asked_ends_the_evaluation() {
        struct Stopper;
        impl Monitor for Stopper {
            fn stage(&self, _: &str, _: u64) {}
            fn advance(&self, _: u64) {}
            fn stopped(&self) -> bool {
                true
            }
        }
        let (rig, source) = (Rig::new(fan(3)), Fake::free(&[(0, win(3))]));
        let clock = Deadline::new(None, &Stopper);
        let sources: [&dyn ValueSource; 1] = [&source];
        let ladder =
            Ladder { sources: &sources, ..Ladder::new(&rig.session, &rig.handle, &clock, Effort::Full) };
        let root = rig.handle.start().unwrap();
        ladder.moves(&root, Detail::Moves, false, &mut |_| {}).unwrap();
        assert_eq!(source.asked(), [0]);
    }

    #[test]
    fn equal_notes_of_moves_are_reported_once() {
        let beyond = Fake::new(Cost::Beyond("9 GB".into()), &[]);
        let (values, _) = Rig::new(fan(3)).moves(&[&beyond], Detail::Moves);
        assert_eq!(values.notes, ["9 GB"]);
    }

    #[test]
    fn nodes_of_moves_are_added() {
        let source = Fake::new(open(), &[(0, UNKNOWN), (1, TIE), (2, TIE)]).with_nodes(7, Some(1));
        let (values, _) = Rig::new(fan(2)).moves(&[&source], Detail::Moves);
        assert_eq!((values.known.nodes, values.known.probe_hits), (21, Some(3)));
    }
}

mod bounds {
    use super::*;

    #[test]
    fn a_position_is_worth_its_best_move() {
        let (root, moves, best, all) = evaluated(&[(1, win(4)), (2, loss(2)), (3, TIE)], 3);
        assert_eq!((root, moves), (win(3), vec![loss(5), win(3), TIE]));
        assert_eq!((best, all), (vec![1], true));
    }

    #[test]
    fn fastest_win_is_best() {
        let (root, _, best, _) = evaluated(&[(1, loss(4)), (2, loss(2))], 2);
        assert_eq!((root, best), (win(3), vec![1]));
    }

    #[test]
    fn equal_moves_are_all_best() {
        let (_, _, best, all) = evaluated(&[(1, TIE), (2, win(4)), (3, TIE)], 3);
        assert_eq!((best, all), (vec![0, 2], true));
    }

    #[test]
    fn verdict_gets_its_distance_from_the_moves() {
        let (root, ..) = evaluated(&[(0, untimed(1)), (1, loss(2)), (2, win(1))], 2);
        assert_eq!(root, win(3));
    }

    #[test]
    fn verdict_stays_without_distance_if_a_move_that_is_as_good_has_none() {
        let (root, ..) = evaluated(&[(0, untimed(1)), (1, loss(8)), (2, untimed(-1))], 2);
        assert_eq!(root, untimed(1), "the second move may win sooner");
    }

    #[test]
    fn one_unknown_move_leaves_the_lower_bound() {
        let (root, moves, best, all) = evaluated(&[(1, TIE)], 2);
        assert_eq!(root, between(0, 1));
        assert_eq!(moves, [TIE, UNKNOWN]);
        assert_eq!((best, all), (vec![], false));
    }

    #[test]
    fn winning_move_decides_the_position() {
        let (root, moves, best, all) = evaluated(&[(1, loss(2))], 2);
        assert_eq!(root, untimed(1));
        assert_eq!((moves[0], best, all), (win(3), vec![0], false));
    }

    #[test]
    fn no_move_is_worth_more_than_the_position() {
        let (_, moves, ..) = evaluated(&[(0, TIE), (1, TIE)], 2);
        assert_eq!(moves, [TIE, between(-1, 0)]);
    }

    #[test]
    fn the_only_move_that_can_keep_the_value_has_it() {
        let (_, moves, best, _) = evaluated(&[(0, win(5)), (1, win(2)), (2, TIE)], 3);
        assert_eq!((moves[2], best), (win(5), vec![2]));
    }

    #[test]
    fn the_only_move_that_can_reach_a_bound_has_it_as_its_own() {
        let (root, moves, ..) = evaluated(&[(0, between(0, 1)), (1, win(2))], 2);
        assert_eq!((root, moves[1]), (between(0, 1), between(0, 1)));
    }

    #[test]
    fn upper_bounds_of_all_moves_bound_the_position() {
        let (root, ..) = evaluated(&[(1, between(0, 1)), (2, between(0, 1))], 2);
        assert_eq!(root, between(-1, 0), "the opponent has at least a tie after either move");
    }

    #[test]
    fn bounds_that_meet_settle_the_position() {
        let (root, ..) = evaluated(&[(0, between(0, 1)), (1, between(0, 1)), (2, between(0, 1))], 2);
        assert_eq!(root, untimed(0));
    }

    #[test]
    fn bounds_of_a_child_are_negated() {
        let (_, moves, ..) = evaluated(&[(1, between(0, 1))], 2);
        assert_eq!(moves[0], between(-1, 0));
    }

    #[test]
    fn bounds_keep_their_sign_if_the_same_player_moves_again() {
        let source = Fake::new(open(), &[(1, between(0, 1)), (2, win(2))]);
        let game = Fan { again: true, ..fan(2) };
        let (values, _) = Rig::new(game).moves(&[&source], Detail::Moves);
        assert_eq!(values.moves[0].proven, between(0, 1));
        assert_eq!(values.moves[1].proven, win(3));
    }

    #[test]
    fn a_move_without_distance_may_be_as_good_as_one_with() {
        let (root, _, best, all) = evaluated(&[(0, win(3)), (1, loss(2)), (2, untimed(-1))], 2);
        assert_eq!((root, best, all), (win(3), vec![0], false));
    }

    #[test]
    fn payoffs_above_one_are_bounded_too() {
        let game = Fan { most: 3, ..fan(2) };
        let source = Fake::new(open(), &[(1, untimed(-2))]);
        let (values, _) = Rig::new(game).moves(&[&source], Detail::Moves);
        assert_eq!(values.known.proven, between(2, 3));
    }

    #[test]
    fn every_reported_move_keeps_its_value() {
        let known = [(0, between(0, 1)), (1, win(2)), (3, TIE)];
        let (rig, source) = (Rig::new(fan(3)), Fake::new(open(), &known));
        let mut reported = Vec::new();
        let mut found = |valued: &ValuedMove| reported.push((valued.mv, valued.proven));
        let values =
            rig.with(&[&source], |ladder, root| ladder.moves(root, Detail::Moves, false, &mut found));
        let values = values.unwrap();
        assert!(!reported.is_empty());
        for (mv, proven) in reported {
            assert!(values.moves.iter().any(|valued| valued.mv == mv && valued.proven == proven), "{mv:?}");
        }
    }
}

mod proven {
    use super::*;

    #[test]
    fn bounds_that_meet_are_a_value() {
        assert_eq!(between(0, 0), untimed(0));
        assert!(!between(0, 1).is_settled() && between(1, 1).is_settled());
    }

    #[test]
    fn exact_value_is_unchanged_by_bounds() {
        assert_eq!(win(3).and(between(0, 1)), win(3));
        assert_eq!(between(0, 1).and(win(3)), win(3));
        assert_eq!(between(-1, 0).and(between(0, 1)), untimed(0));
    }

    #[test]
    fn a_mean_bounds_nothing() {
        assert_eq!(ProvenValue::Mean(0.5).bounds(1), (-1, 1));
        assert!(ProvenValue::Mean(0.5).is_settled());
    }

    #[test]
    fn ties_and_values_with_distance_are_timed() {
        assert!(TIE.is_timed() && win(3).is_timed());
        assert!(!untimed(1).is_timed() && !UNKNOWN.is_timed());
    }

    #[test]
    fn backed_up_value_is_negated_and_one_ply_longer() {
        assert_eq!(loss(2).before(false), win(3));
        assert_eq!(win(2).before(true), win(3));
        assert_eq!(
            ProvenValue::Mean(0.25).before(false),
            ProvenValue::Mean(0.25),
            "means are the first player's"
        );
    }
}
