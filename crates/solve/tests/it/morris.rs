//! Morris games: counts, values and longest wins of the literature.

use outplay_core::{Game, Index, Turn, Value};
use outplay_games::Spec;
use outplay_games::morris::{EndingIndex, Morris, MorrisIndex};
use outplay_runtime::NoMonitor;
use outplay_solve::{
    LoopCode, RetrogradeOptions, RetrogradeValues, Split, retrograde, retrograde_by_graph,
    sweep_until_stable, verify_loops,
};

fn morris(text: &str) -> Morris {
    Morris::from_spec(Spec::parse(text).unwrap()).unwrap()
}

fn solve(text: &str) -> (Morris, MorrisIndex, RetrogradeValues<LoopCode>) {
    let game = morris(text);
    let index = MorrisIndex::new(&game);
    let solved = retrograde(&game, &index, RetrogradeOptions::default(), &NoMonitor).unwrap();
    (game, index, solved)
}

fn start_value(game: &Morris, index: &MorrisIndex, solved: &RetrogradeValues<LoopCode>) -> Value {
    let (tier, number) = index.rank(&game.start().unwrap());
    solved.value(tier, number).unwrap()
}

fn check(text: &str, start: Value, [win, draw, loss]: [u64; 3], longest: u32) {
    let (game, index, solved) = solve(text);
    assert_eq!(start_value(&game, &index, &solved), start, "{text}");
    let tally = solved.tally();
    assert!(tally.merged);
    assert_eq!(tally.by_turn(Turn::First), Split { win, draw, loss }, "{text}");
    assert_eq!(tally.by_turn(Turn::Second).total(), 0, "{text}");
    let (longest_win, longest_loss) = tally.longest(Turn::First);
    assert_eq!(longest_win.max(longest_loss), Some(longest), "{text}");
}

#[test]
fn three_mens_morris() {
    let check = |text, start, counts: [u64; 3]| {
        let (game, index, solved) = solve(text);
        assert_eq!(start_value(&game, &index, &solved), start, "{text}");
        let [win, draw, loss] = counts;
        assert_eq!(solved.tally().by_turn(Turn::First), Split { win, draw, loss }, "{text}");
        let stable = sweep_until_stable(&game, &index, &NoMonitor).unwrap();
        let graph: RetrogradeValues<i8> =
            retrograde_by_graph(&game, &index, RetrogradeOptions::default(), &NoMonitor).unwrap();
        for tier in (0..index.tiers()).map(outplay_core::Tier) {
            for n in 0..index.len(tier) {
                let value = solved.value(tier, n);
                assert_eq!(stable.value(tier, n), value, "{text}");
                assert_eq!(graph.value(tier, n), value, "{text}");
            }
        }
        let stored = |tier, number| solved.value(tier, number);
        let verified = verify_loops(&game, &index, true, stored, &NoMonitor).unwrap();
        assert_eq!((verified.checked, verified.wrong), (win + draw + loss, 0), "{text}");
    };
    check("morris:three,lines=6", Value::REPETITION, [1434, 2066, 410]);
    check("morris:three,lines=8", Value::win(9), [2121, 980, 769]);
    check("morris:tapatan", Value::win(9), [2161, 936, 773]);
}

#[test]
fn six_mens_morris_with_three_men() {
    check("morris:six,men=3", Value::REPETITION, [70_696, 58_952, 30_512], 15);
}

#[test]
fn six_mens_morris_verifies() {
    for text in ["morris:six,men=3", "morris:six,men=3,flying"] {
        let (game, index, solved) = solve(text);
        let stored = |tier, number| solved.value(tier, number);
        let verified = verify_loops(&game, &index, true, stored, &NoMonitor).unwrap();
        assert_eq!((u128::from(verified.checked), verified.wrong), (index.total(), 0), "{text}");
    }
}

#[test]
#[ignore = "a few seconds"]
fn six_mens_morris_with_four_men() {
    check("morris:six,men=4", Value::REPETITION, [1_041_772, 186_508, 633_580], 38);
}

#[test]
#[ignore = "a minute"]
fn six_mens_morris_with_six_men() {
    check("morris:six,men=6", Value::REPETITION, [10_590_988, 935_548, 7_680_652], 119);
}

fn ending(text: &str, options: RetrogradeOptions) -> (Morris, EndingIndex, RetrogradeValues<LoopCode>) {
    let game = morris(text);
    let index = EndingIndex::new(&game);
    let solved = retrograde(&game, &index, options, &NoMonitor).unwrap();
    (game, index, solved)
}

/// Counts from the mover's point of view, and plies of the longest win and loss; `tests/second/morris.py` finds the
/// same.
fn check_three(text: &str, [win, draw, loss]: [u64; 3], longest: [u32; 2]) {
    let (game, index, solved) = ending(text, RetrogradeOptions::default());
    let tally = solved.tally();
    assert_eq!(win + draw + loss, 2_691_920, "three men a side on 24 points");
    assert_eq!(tally.by_turn(Turn::First), Split { win, draw, loss }, "{text}");
    assert_eq!(tally.longest(Turn::First), (Some(longest[0]), Some(longest[1])), "{text}");
    let stored = |tier, number| solved.value(tier, number);
    let verified = verify_loops(&game, &index, true, stored, &NoMonitor).unwrap();
    assert_eq!(verified.wrong, 0, "{text}");
    assert!(verified.checked > 2_691_920 / 16, "{text}");
}

/// The bit-parallel solver and the counters give the same values and counts, tier by tier.
fn check_sets(text: &str) {
    let (_, index, by_sets) = ending(text, RetrogradeOptions::default());
    let (_, _, single) = ending(text, RetrogradeOptions { sets: false, ..RetrogradeOptions::default() });
    for tier in (0..index.tiers()).map(outplay_core::Tier) {
        assert_eq!(by_sets.tier_tally(tier), single.tier_tally(tier), "{text} {}", index.tier_name(tier));
        for n in (0..index.len(tier)).filter(|&n| index.unrank(tier, n).is_some()) {
            assert_eq!(by_sets.value(tier, n), single.value(tier, n), "{text} {} {n}", index.tier_name(tier));
        }
    }
}

#[test]
fn three_against_three_of_nine_mens_morris() {
    check_three("morris:nine,men=3+3", [2_232_160, 4_112, 455_648], [25, 26]);
    check_three("morris:nine,men=3+3,flying=off", [1_442_092, 614_124, 635_704], [39, 38]);
    check_sets("morris:nine,men=3+3");
    check_sets("morris:nine,men=3+3,flying=off");
}

#[test]
#[ignore = "a few seconds"]
fn four_against_three_of_nine_mens_morris() {
    check_sets("morris:nine,men=4+3");
    check_sets("morris:nine,men=4+3,flying=off");
}
