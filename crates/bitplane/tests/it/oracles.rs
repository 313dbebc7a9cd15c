//! Values and counts of the literature. The heavy boards are ignored by default:
//! `cargo test --release -p outplay-bitplane -- --ignored`

use outplay_bitplane::{
    BitplaneOptions, Counts, Dense, DenseError, Level, Sink, Slots, Solution, plan, solve,
};
use outplay_core::{Content, LineBoard, Turn, Verdict};
use outplay_runtime::NoMonitor;
use std::collections::BTreeMap;
use std::sync::Mutex;

fn board(width: usize, height: usize, k: usize, gravity: bool) -> LineBoard {
    LineBoard { gravity, ..LineBoard::empty(width, height, k) }
}

fn solved(board: &LineBoard, options: BitplaneOptions) -> Solution {
    solve(board, &options, &NoMonitor, None).expect("it fits")
}

/// W, D or L for the first player at the start.
fn letter(board: &LineBoard) -> char {
    let solution = solved(board, BitplaneOptions::wdl());
    match solution.verdict {
        Verdict::Win => 'W',
        Verdict::Draw => 'D',
        Verdict::Loss => 'L',
    }
}

#[test]
fn boards_without_gravity() {
    let check = |w, h, k, value| {
        assert_eq!(letter(&board(w, h, k, false)), value, "{w}x{h} k={k}");
        assert_eq!(letter(&board(h, w, k, false)), value, "{h}x{w} k={k}");
    };
    check(3, 3, 3, 'D');
    check(4, 2, 3, 'D');
    check(4, 3, 3, 'W');
    check(5, 3, 3, 'W');
    check(4, 3, 4, 'D');
    check(5, 3, 4, 'D');
    check(2, 2, 2, 'W');
    check(2, 2, 1, 'W');
    check(3, 3, 9, 'D');
}

#[test]
fn misere_boards() {
    let check = |w, h, k, gravity, value| {
        let board = LineBoard { misere: true, ..board(w, h, k, gravity) };
        assert_eq!(letter(&board), value, "{w}x{h} k={k}");
        let exact = solved(&board, BitplaneOptions::distance());
        assert_eq!(exact.verdict, solved(&board, BitplaneOptions::wdl()).verdict);
    };
    for (w, h, k) in [(3, 3, 3), (4, 3, 4), (5, 3, 4), (2, 1, 2), (4, 1, 2)] {
        check(w, h, k, false, 'D');
    }
    for (w, h, k) in [(4, 3, 3), (5, 3, 3), (3, 1, 2), (5, 1, 2)] {
        check(w, h, k, false, 'L');
    }
    for (w, h, k) in [(3, 3, 3), (5, 3, 3)] {
        check(w, h, k, true, 'W');
    }
    for (w, h, k) in [(4, 3, 3), (4, 4, 3), (3, 4, 3)] {
        check(w, h, k, true, 'L');
    }
}

#[test]
fn four_by_four() {
    let check = |k, misere, legal, value| {
        let board = LineBoard { misere, ..board(4, 4, k, false) };
        let solution = solved(&board, BitplaneOptions::wdl().with_counts());
        let counts = solution.counts.expect("counts were asked for");
        if !misere {
            assert_eq!(counts.total().legal, legal);
        }
        assert_eq!(letter(&board), value, "4x4 k={k} {misere}");
    };
    check(3, false, 6_036_001, 'W');
    check(4, false, 9_722_011, 'D');
    check(3, true, 0, 'L');
    check(4, true, 0, 'D');
}

#[test]
fn tic_tac_toe_by_ply() {
    let solution = solved(&board(3, 3, 3, false), BitplaneOptions::distance().with_counts());
    let counts = solution.counts.expect("counts were asked for");
    let legal: Vec<u64> = counts.plies.iter().map(|ply| ply.legal).collect();
    assert_eq!(legal, [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]);
    let total = counts.total();
    assert_eq!((total.win, total.draw, total.loss), (2936, 1068, 1474));
    assert_eq!((total.win_in[0], total.loss_in[0], total.finished), (626, 316, 626 + 316 + 16));
    assert_eq!(
        solved(&board(2, 2, 2, false), BitplaneOptions::wdl().with_counts()).counts.map(|c| c.total().legal),
        Some(29)
    );
    assert_eq!(
        solved(&board(4, 3, 3, false), BitplaneOptions::wdl().with_counts()).counts.map(|c| c.total().legal),
        Some(111_973)
    );
}

/// Legal positions of connect-four boards, and the value and ply of the last move where they are known.
#[track_caller]
fn connect(width: usize, height: usize, legal: u64, end: Option<(Verdict, u32)>) -> Counts {
    let solution = solved(&board(width, height, 4, true), BitplaneOptions::distance().with_counts());
    let counts = solution.counts.expect("counts were asked for");
    let total = counts.total();
    assert_eq!(total.legal, legal, "{width}x{height}");
    assert_eq!(total.win + total.draw + total.loss, legal);
    if let Some((verdict, ply)) = end {
        assert_eq!(solution.verdict, verdict, "{width}x{height}");
        if let Some(distance) = solution.value.and_then(|value| value.distance()) {
            assert_eq!(distance, ply);
        }
    }
    counts
}

#[test]
fn small_connect_boards() {
    for (height, row) in [
        (1, &[2u64, 5, 13, 35, 96, 267, 750, 2118][..]),
        (2, &[3, 18, 116, 741, 4688, 29737, 189_648]),
        (3, &[4, 58, 869, 12031, 158_911, 2_087_325]),
        (4, &[5, 179, 6000, 161_029, 3_945_711]),
        (5, &[6, 537, 38310, 1_706_255]),
        (6, &[7, 1571, 235_781]),
        (7, &[8, 4587, 1_417_322]),
        (8, &[9, 13343]),
    ] {
        for (i, &legal) in row.iter().enumerate() {
            connect(i + 1, height, legal, None);
        }
    }
    let check = |w, h, k, value| assert_eq!(letter(&board(w, h, k, true)), value, "{w}x{h} k={k}");
    check(3, 3, 3, 'D');
    check(3, 4, 3, 'D');
    check(4, 3, 3, 'W');
    check(5, 3, 3, 'W');
    check(4, 4, 3, 'W');
    check(4, 4, 4, 'D');
}

#[test]
fn connect_boards_by_value() {
    let check = |width, height, legal, values: [u64; 3]| {
        let total = connect(width, height, legal, Some((Verdict::Draw, 0))).total();
        assert_eq!([total.win, total.draw, total.loss], values, "{width}x{height}");
    };
    check(4, 4, 161_029, [36499, 90120, 34410]);
    check(5, 4, 3_945_711, [1_372_788, 1_303_636, 1_269_287]);
    check(4, 5, 1_706_255, [553_837, 712_421, 439_997]);
}

#[test]
fn five_by_five_by_ply() {
    let counts = connect(5, 5, 69_763_700, Some((Verdict::Draw, 0)));
    let total = counts.total();
    assert_eq!([total.win, total.draw, total.loss], [31_229_115, 14_419_273, 24_115_312]);
    let line = |ply: usize| {
        let ply = &counts.plies[ply];
        [ply.win, ply.draw, ply.loss, ply.legal, ply.decided]
    };
    assert_eq!(line(7), [2683, 4002, 2670, 9355, 170]);
    assert_eq!(line(12), [356_731, 116_426, 122_979, 596_136, 33_269]);
    assert_eq!(line(25), [244_812, 339_437, 0, 584_249, 244_812]);
}

#[test]
fn six_by_four_is_lost_at_the_last_ply() {
    connect(6, 4, 94_910_577, Some((Verdict::Loss, 24)));
}

#[test]
#[ignore = "a billion positions: seconds in release"]
fn large_connect_boards() {
    connect(7, 4, 2_265_792_710, Some((Verdict::Draw, 0)));
    connect(4, 6, 15_835_683, Some((Verdict::Draw, 0)));
    connect(4, 7, 135_385_909, Some((Verdict::Draw, 0)));
    connect(3, 8, 8_424_616, None);
    connect(7, 3, 27_441_956, None);
    connect(5, 6, 1_044_334_437, Some((Verdict::Draw, 0)));
    connect(6, 5, 2_818_972_642, Some((Verdict::Draw, 0)));
}

#[test]
#[ignore = "3.5 billion colourings: a minute in release"]
fn five_by_four_without_gravity() {
    assert_eq!(letter(&board(5, 4, 4, false)), 'D');
    assert_eq!(solved(&board(5, 4, 4, false), BitplaneOptions::distance()).verdict, Verdict::Draw);
}

#[test]
fn every_level_and_both_symmetries_agree_on_a_larger_board() {
    let board = board(5, 4, 4, true);
    let all = |options: BitplaneOptions| {
        let solution = solved(&board, options);
        (solution.value, solution.best, solution.counts)
    };
    let right = all(BitplaneOptions::distance().with_counts());
    for level in Level::available() {
        for mirror in [false, true] {
            for threads in [1, 3] {
                let level = Some(level);
                assert_eq!(
                    all(BitplaneOptions {
                        level,
                        mirror,
                        threads,
                        ..BitplaneOptions::distance().with_counts()
                    }),
                    right
                );
            }
        }
    }
}

#[test]
fn a_board_that_does_not_fit_is_refused_with_figures() {
    let seven = board(7, 6, 4, true);
    let options = BitplaneOptions { memory: Some(20_000_000_000), ..BitplaneOptions::distance() };
    let error = solve(&seven, &options, &NoMonitor, None).expect_err("far too large");
    assert!(matches!(error, DenseError::Memory { .. }));
    let text = error.to_string();
    assert!(text.contains("the limit is 20.0 GB") && text.contains("win/draw/loss"), "{text}");
    let plan =
        plan(&seven, &BitplaneOptions { memory: None, ..options }, false).expect("a plan costs nothing");
    assert_eq!(plan.slots, 70_728_639_995_483);
    let unlimited = BitplaneOptions { memory: None, ..BitplaneOptions::wdl() };
    let error = solve(&seven, &unlimited, &NoMonitor, None).expect_err("more than any machine has");
    assert!(matches!(error, DenseError::Memory { .. }), "{error}");
    // Even astronomic figures are printed.
    let huge = board(7, 9, 4, true);
    assert!(matches!(solve(&huge, &unlimited, &NoMonitor, None), Err(DenseError::Memory { .. })));
    let many = board(9, 8, 4, true);
    assert!(matches!(
        solve(&many, &BitplaneOptions::wdl(), &NoMonitor, None),
        Err(DenseError::TooManyCells { .. })
    ));
    let free = board(6, 6, 4, false);
    assert!(matches!(
        solve(&free, &BitplaneOptions::wdl(), &NoMonitor, None),
        Err(DenseError::TooManyShapes { .. })
    ));
}

#[test]
fn the_tight_index_has_the_known_sizes() {
    let slots =
        |w, h| plan(&board(w, h, 4, true), &BitplaneOptions::wdl(), false).map(|plan| plan.slots).ok();
    assert_eq!(slots(4, 4), Some(201_755));
    assert_eq!(slots(5, 5), Some(171_976_899));
    assert_eq!(slots(7, 4), Some(4_593_382_831));
    assert_eq!(slots(6, 5), Some(9_918_556_649));
}

#[test]
fn frugal_solve_returns_tables_to_the_system() {
    let board = board(4, 7, 4, true);
    let whole = solved(&board, BitplaneOptions::distance());
    let options = BitplaneOptions { memory: Some(whole.plan.peak_bytes - 1), ..BitplaneOptions::distance() };
    let frugal = solved(&board, options);
    assert!(frugal.plan.frugal && !whole.plan.frugal);
    assert!(frugal.plan.peak_bytes < whole.plan.peak_bytes);
    assert_eq!(frugal.value, whole.value);
    assert_eq!(frugal.best, whole.best);
}

/// Counts exported codes, mirror images included.
#[derive(Default)]
struct Histogram(Mutex<BTreeMap<(usize, i8), u64>>);

impl Sink for Histogram {
    fn wants(&self, _tier: usize) -> bool {
        true
    }
    fn put(&self, slots: Slots<'_>) -> Result<(), String> {
        let own_image = slots.stones.iter().eq(slots.stones.iter().rev());
        let mut counts = self.0.lock().map_err(|why| why.to_string())?;
        for &code in slots.codes {
            *counts.entry((slots.tier, code)).or_default() += if own_image { 1 } else { 2 };
        }
        Ok(())
    }
    fn end(&self, _tier: usize) -> Result<(), String> {
        Ok(())
    }
}

#[test]
fn exported_codes_add_up_to_the_counts() {
    let board = board(5, 4, 4, true);
    let sink = Histogram::default();
    let options = BitplaneOptions::distance().with_counts();
    let solution = solve(&board, &options, &NoMonitor, Some(&sink)).expect("a small board");
    let counts = solution.counts.expect("counts were asked for");
    let exported = sink.0.into_inner().expect("no panic");
    let mut slots = 0;
    // Full boards are not exported.
    for (ply, count) in counts.plies.iter().enumerate().take(20) {
        let tier = &solution.plan.tiers[ply];
        slots += exported.range((ply, i8::MIN)..=(ply, i8::MAX)).map(|(_, count)| count).sum::<u64>();
        assert_eq!(slots, solution.plan.tiers[..=ply].iter().map(|t| t.shapes * t.slots).sum::<u64>());
        // The mover's wins are the first player's at even plies; wins in one are not exported.
        let (wins, losses) =
            if ply % 2 == 0 { (&count.win_in, &count.loss_in) } else { (&count.loss_in, &count.win_in) };
        for distance in 2..=20usize {
            let expected = |list: &Vec<u64>| list.get(distance).copied().unwrap_or(0);
            let found = |code: i8| exported.get(&(ply, code)).copied().unwrap_or(0);
            let code = 127 - distance as i8;
            assert_eq!(found(code), expected(wins), "ply {ply}, win in {distance}");
            assert_eq!(found(-code), expected(losses), "ply {ply}, loss in {distance}");
            assert_eq!((found(126), found(-127)), (0, 0));
        }
        if tier.planes > 0 {
            assert_eq!(exported.get(&(ply, 0)).copied().unwrap_or(0), count.draw, "ply {ply}");
        }
    }
    // C(20, 10) slots of the full board.
    assert_eq!(slots + 184_756, 5_621_939);
}

#[test]
fn finished_and_full_boards() {
    let mut board = board(3, 3, 3, false);
    for cell in [0, 1, 2] {
        board.cells[cell] = Content::First;
    }
    board.turn = Turn::Second;
    let solution = solved(&board, BitplaneOptions::distance().with_counts());
    assert_eq!(solution.value.map(|value| value.to_string()).as_deref(), Some("loss in 0"));
    assert!(solution.best.is_empty());
    let total = solution.counts.map(|counts| counts.total()).expect("counts were asked for");
    assert_eq!((total.legal, total.finished, total.win), (1, 1, 1));
    board.misere = true;
    assert_eq!(solved(&board, BitplaneOptions::distance()).verdict, Verdict::Win);

    let mut full = LineBoard::empty(2, 1, 2);
    full.cells = vec![Content::First, Content::Second];
    let dense =
        Dense::new(&full, &BitplaneOptions::distance().with_counts(), &NoMonitor).expect("a tiny board");
    assert_eq!(dense.solution().verdict, Verdict::Draw);
    assert_eq!(dense.value(&full).map(|value| value.to_string()).as_deref(), Some("draw"));
}

#[test]
fn monitor_can_cancel_a_solve() {
    struct Impatient;
    impl outplay_runtime::Monitor for Impatient {
        fn stage(&self, _name: &str, _total: u64) {}
        fn advance(&self, _units: u64) {}
        fn stopped(&self) -> bool {
            true
        }
    }
    let board = board(5, 5, 4, true);
    assert!(matches!(solve(&board, &BitplaneOptions::wdl(), &Impatient, None), Err(DenseError::Stopped)));
}
