//! Chess endings: counts by side to move over all 64 squares, and the longest mates, as the literature has them.

use crate::literature::{FOUR, Line, THREE};
use outplay_core::{Index, Notation, Probe, Tier, Turn, Value};
use outplay_games::Spec;
use outplay_games::chess::{Chess, ChessIndex};
use outplay_runtime::NoMonitor;
use outplay_solve::{
    Fallible, LoopCode, RetrogradeOptions, RetrogradeValues, SolvedProbe, Split, TierTally, hardest,
    retrograde, sweep_until_stable, verify_loops,
};

fn chess(text: &str) -> (Chess, ChessIndex) {
    let game = Chess::from_spec(Spec::parse(text).unwrap()).unwrap();
    let index = ChessIndex::new(&game);
    (game, index)
}

fn solve(text: &str) -> (Chess, ChessIndex, RetrogradeValues<LoopCode>) {
    let (game, index) = chess(text);
    let solved = retrograde(&game, &index, RetrogradeOptions::default(), &NoMonitor).unwrap();
    (game, index, solved)
}

fn compare(line: &Line, tally: &TierTally) {
    let split = |[win, draw, loss]: [u64; 3]| Split { win, draw, loss };
    assert_eq!(tally.by_turn(Turn::First), split(line.white), "{} white to move", line.ending);
    assert_eq!(tally.by_turn(Turn::Second), split(line.black), "{} black to move", line.ending);
    let longest = |values: &mut dyn Iterator<Item = &Value>, payoff| {
        values.filter(|value| value.payoff() == payoff).filter_map(|value| value.distance()).max()
    };
    let (white, black, black_wins) = line.longest;
    let win = |moves: u32| 2 * moves - 1;
    assert_eq!(longest(&mut tally.first.keys(), 1), white.map(win), "{} longest win", line.ending);
    assert_eq!(
        longest(&mut tally.second.keys(), -1),
        black.map(|moves| 2 * moves),
        "{} longest loss",
        line.ending
    );
    if let Some(moves) = black_wins {
        assert_eq!(
            longest(&mut tally.second.keys(), 1),
            Some(win(moves)),
            "{} longest black win",
            line.ending
        );
    }
}

fn check(line: &Line) {
    let (game, index, solved) = solve(&format!("chess:{}", line.ending));
    let own = index.tier_of(&game.endings()[0]).unwrap();
    compare(line, &solved.tally().tiers[own.0 as usize]);
    // Smaller endings are solved but not counted.
    assert_eq!(
        solved.tally().by_turn(Turn::First),
        solved.tally().tiers[own.0 as usize].by_turn(Turn::First)
    );
}

#[test]
fn endings_of_three_men() {
    THREE.iter().for_each(check);
}

#[test]
fn two_queens_against_a_king() {
    check(&FOUR[0]);
}

#[test]
#[ignore = "half a minute"]
fn all_endings_of_four_men() {
    let (_, index, solved) = solve("chess:all4");
    for line in THREE.iter().chain(&FOUR) {
        let tier = (0..index.tiers()).map(Tier).find(|&tier| index.tier_name(tier) == line.ending).unwrap();
        compare(line, &solved.tally().tiers[tier.0 as usize]);
    }
}

#[test]
fn value_iteration_equals_retrograde_analysis() {
    let (game, index, solved) = solve("chess:KQK");
    let stable = sweep_until_stable(&game, &index, &NoMonitor).unwrap();
    for tier in (0..index.tiers()).map(Tier) {
        for number in 0..index.len(tier) {
            assert_eq!(stable.value(tier, number), solved.value(tier, number), "{tier:?} {number}");
        }
    }
}

/// Position by position with counters, and bit-parallel: the same values, forced ends and counts.
fn check_sets(ending: &str) {
    let (game, index) = chess(&format!("chess:{ending}"));
    for distance in [true, false] {
        let run = |sets| -> RetrogradeValues<LoopCode> {
            retrograde(&game, &index, RetrogradeOptions { distance, sets }, &NoMonitor).unwrap()
        };
        let (by_sets, one_by_one) = (run(true), run(false));
        for tier in (0..index.tiers()).map(Tier) {
            assert_eq!(
                by_sets.tier_tally(tier),
                one_by_one.tier_tally(tier),
                "{ending} {}",
                index.tier_name(tier)
            );
            for number in 0..index.len(tier) {
                let found: Option<LoopCode> = by_sets.code(tier, number);
                assert_eq!(found, one_by_one.code(tier, number), "{ending} {tier:?} {number} {distance}");
            }
        }
    }
}

#[test]
fn sets_and_single_positions_agree_with_three_men() {
    ["KQK", "KRK", "KBK", "KNK", "KPK"].iter().for_each(|ending| check_sets(ending));
}

#[test]
#[ignore = "two minutes"]
fn sets_and_single_positions_agree_with_four_men() {
    check_sets("all4");
}

/// Captures en passant by bit sets, by counters, and verified by the rules, with distances and without. (Value
/// iteration takes an hour here; `detours.rs` compares it on toy games.)
#[test]
#[ignore = "some minutes"]
fn captures_en_passant_by_every_solver() {
    check_sets("KPKP");
    let (game, index, solved) = solve("chess:KPKP");
    let stored = |tier, number| solved.value(tier, number);
    for exact in [true, false] {
        let verified = verify_loops(&game, &index, exact, stored, &NoMonitor).unwrap();
        assert_eq!(verified.wrong, 0, "{verified:?}");
    }
}

/// Positions that the right to capture en passant improves, with their values without it; the verdicts are those of
/// other tablebases.
#[test]
#[ignore = "half a minute"]
fn a_right_to_capture_en_passant_is_worth_something() {
    let (game, index, solved) = solve("chess:KPKP");
    let known = SolvedProbe { game: &game, index: &index, solved: &solved };
    let check = |board: &str, square: &str, [without, with]: [i32; 2]| {
        let payoff = |square: &str| {
            let pos = game.read_position(&format!("{board} - {square} 0 1")).unwrap();
            known.probe(&pos).unwrap().unwrap().payoff()
        };
        assert_eq!([payoff("-"), payoff(square)], [without, with], "{board} {square}");
    };
    check("8/8/8/8/2Pp4/8/1k1K4/8 b", "c3", [-1, 1]);
    check("8/K7/8/3pP1k1/8/8/8/8 w", "d6", [-1, 1]);
    check("8/8/4k3/pP6/8/8/8/1K6 w", "a6", [0, 1]);
    check("8/2K5/8/8/Pp6/8/4k3/8 b", "a3", [0, 1]);
    check("8/8/8/1K2pPk1/8/8/8/8 w", "e6", [-1, 0]);
    check("8/7k/8/6pP/8/8/1K6/8 w", "g6", [-1, 0]);
}

#[test]
fn tables_of_three_men_verify() {
    for text in ["chess:KRK", "chess:KPK"] {
        let (game, index, solved) = solve(text);
        let stored = |tier, number| solved.value(tier, number);
        let verified = verify_loops(&game, &index, true, stored, &NoMonitor).unwrap();
        assert_eq!(verified.wrong, 0, "{text}: {verified:?}");
        assert!(verified.checked > 50_000, "{text}");
    }
}

#[test]
fn known_positions() {
    let check = |text: &str, fen: &str, value: Value| {
        let (game, index, solved) = solve(text);
        let pos = game.read_position(fen).unwrap();
        let (tier, number) = index.rank(&pos);
        assert_eq!(solved.value(tier, number), Some(value), "{fen}");
    };
    check("chess:KQK", "7k/6Q1/5K2/8/8/8/8/8 b - - 0 1", Value::loss(0));
    check("chess:KQK", "7k/5Q2/5K2/8/8/8/8/8 b - - 0 1", Value::TIE);
    check("chess:KQK", "7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", Value::win(1));
    // Black takes the queen, and two kings repeat.
    check("chess:KQK", "6Qk/8/8/8/8/8/8/K7 b - - 0 1", Value::REPETITION);
    // Colours swapped: the same ending.
    check("chess:KQK", "7K/6q1/5k2/8/8/8/8/8 w - - 0 1", Value::loss(0));
    check("chess:KPK", "4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", Value::win(21));
    // White can stalemate or give up the pawn: either way the game can be ended.
    check("chess:KPK", "4k3/4P3/4K3/8/8/8/8/8 b - - 0 1", Value::TIE);
}

/// In a lost position, the move that is most difficult for the opponent comes first.
#[test]
fn lost_positions_rank_the_hardest_move_first() {
    let (game, index, solved) = solve("chess:KQK");
    let probe = SolvedProbe { game: &game, index: &index, solved: &solved };
    let rank = |fen: &str| {
        let pos = game.read_position(fen).unwrap();
        let hopes = hardest(&game, &probe, &pos, Fallible::default()).unwrap();
        hopes.map(|hopes| {
            hopes.iter().map(|hope| (game.write_move(&pos, hope.mv), hope.chance)).collect::<Vec<_>>()
        })
    };
    // Next to the queen's guard the king threatens to capture it or to be stalemated.
    let hopes = rank("8/8/8/8/3Q4/1k6/8/3K4 b - - 0 1").unwrap();
    assert!(hopes.windows(2).all(|pair| pair[0].1 >= pair[1].1));
    assert!(hopes[0].1 > hopes[hopes.len() - 1].1, "some moves are harder than others: {hopes:?}");
    assert!(hopes.iter().all(|&(_, chance)| (0.0..=1.0).contains(&chance)));
    // Not lost: nothing to swindle.
    assert_eq!(rank("8/8/8/8/3Q4/1k6/8/3K4 w - - 0 1"), None);
    assert_eq!(rank("7k/5Q2/5K2/8/8/8/8/8 b - - 0 1"), None);
}

const AGREE: &str = r#"
import sys, chess, chess.syzygy, chess.gaviota
tables, listed = sys.argv[1], sys.argv[2]
wrong = checked = mates = 0
with chess.syzygy.open_tablebase(tables) as syzygy, chess.gaviota.open_tablebase(tables) as gaviota:
    for line in open(listed):
        fen, payoff, plies, three = line.rstrip().split(";")
        board = chess.Board(fen)
        checked += 1
        wdl = syzygy.probe_wdl(board)
        if (wdl > 0) - (wdl < 0) != int(payoff):
            wrong += 1
        if three == "1":
            mates += 1
            dtm = gaviota.probe_dtm(board)
            if dtm != int(plies) * int(payoff):
                wrong += 1
print(checked, mates, wrong)
"#;

/// If Syzygy and Gaviota tables and python-chess are installed, 100,000 random positions have the same values.
#[test]
#[ignore = "a minute, and needs the python package chess"]
fn values_agree_with_other_tables() {
    let tables = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/oracles/syzygy");
    let python = || std::process::Command::new("python3");
    let reader = python().args(["-c", "import chess"]).output().is_ok_and(|output| output.status.success());
    if !reader || !std::path::Path::new(tables).exists() {
        eprintln!("skipped: no tables or no reader");
        return;
    }
    let (game, index, solved) = solve("chess:all4");
    let names = THREE.iter().chain(&FOUR).map(|line| line.ending);
    let own: Vec<Tier> = names
        .filter_map(|name| (0..index.tiers()).map(Tier).find(|&tier| index.tier_name(tier) == name))
        .collect();
    let mut lines = String::new();
    let (mut seed, mut drawn) = (1u64, 0);
    while drawn < 100_000 {
        // A linear congruential generator.
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let tier = own[drawn % own.len()];
        let number = (seed >> 11) % index.len(tier);
        let Some(pos) = index.unrank(tier, number) else { continue };
        let value = solved.value(tier, number).unwrap();
        let three = u8::from(index.tier_name(tier).len() == 3);
        let plies = value.distance().unwrap_or(0);
        lines += &format!("{};{};{plies};{three}\n", game.write_position(&pos), value.payoff());
        drawn += 1;
    }
    let listed = std::env::temp_dir().join(format!("outplay-agree-{}.txt", std::process::id()));
    std::fs::write(&listed, lines).unwrap();
    let output = python().args(["-c", AGREE, tables]).arg(&listed).output().unwrap();
    std::fs::remove_file(&listed).unwrap();
    let said = String::from_utf8_lossy(&output.stdout).trim().to_string();
    println!("{said}");
    let numbers: Vec<u64> = said.split(' ').filter_map(|word| word.parse().ok()).collect();
    assert!(numbers.len() == 3, "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!((numbers[0], numbers[2]), (100_000, 0), "checked and wrong");
    assert!(numbers[1] > 20_000, "mates in three-man endings");
}
