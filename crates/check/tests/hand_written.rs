//! Hand-written proofs, valid and invalid ones, and malformed texts.

use outplay_check::{CheckError, CheckLimits, GuideError, check, check_watched, check_within, guide};
use outplay_core::{Turn, Verdict};
use outplay_runtime::{Deadline, Meter, NoMonitor};
use std::time::{Duration, Instant};

/// Builds a proof from its lines after the first; `end` is added.
fn proof(board: &str, claim: &str, steps: &[&str]) -> String {
    let numbered: String = steps.iter().enumerate().map(|(i, step)| format!("{i} {step}\n")).collect();
    format!("outplay-proof 1\nboard {board}\n{claim}\nsteps {}\n{numbered}end\n", steps.len())
}

fn passes(board: &str, claim: &str, steps: &[&str]) -> Verdict {
    check(&proof(board, claim, steps)).expect("a right proof").verdict
}

fn fails(board: &str, claim: &str, steps: &[&str], why: &str) {
    let error = check(&proof(board, claim, steps)).expect_err("a wrong proof").to_string();
    assert!(error.contains(why), "{error}");
    assert!(!error.contains('\n') && error.len() < 300, "{error}");
}

#[test]
fn two_in_a_row() {
    let steps = ["replies", "plays b1>0"];
    assert_eq!(passes("... k 2 turn x", "claim win\nx wins by 1", &steps), Verdict::Win);
    // In the corner there is one threat only.
    fails("... k 2 turn x", "claim win\nx wins by 1", &["replies", "plays a1>0"], "there is no reply to b1");
    assert_eq!(passes("... k 2 turn o", "claim win\no wins by 0", &["fours b1"]), Verdict::Win);
    // A stone in the middle threatens on both sides, regardless of the player to move.
    assert_eq!(passes(".o. k 2 turn x", "claim loss\no wins by 0", &["replies"]), Verdict::Loss);
}

#[test]
fn the_winner_must_be_the_one_claimed() {
    let steps = ["replies", "plays b1>0"];
    fails("... k 2 turn x", "claim win\no wins by 1", &steps, "`wins` line for the winner");
    fails("... k 2 turn x", "claim loss\nx wins by 1", &steps, "`wins` line for the winner");
    fails("... k 2 turn x", "claim draw\nx holds by 1\nx holds by 1", &steps, "for each player");
    fails("... k 2 turn x", "claim draw\nx holds by 1\no holds by 1", &steps, "other player's strategy");
    fails("xx. k 2 turn o", "claim draw\nx holds by 1\no holds by 1", &steps, "already won");
}

#[test]
fn pairs_must_cover_and_stay_apart() {
    let board = ".../... k 3 turn x";
    let claim = "claim draw\nx holds by stealing\no holds by 0";
    assert_eq!(passes(board, claim, &["pairs a1-b1 a2-b2"]), Verdict::Draw);
    fails(board, claim, &["pairs a1-b1"], "contains no pair");
    fails(board, claim, &["pairs a1-b1 b1-c1 a2-b2"], "in two pairs");
    fails(board, claim, &["pairs a1-a1 a2-b2"], "in two pairs");
    assert_eq!(passes(board, claim, &["sum a1,a2,b1,b2,c1,c2"]), Verdict::Draw);
    fails(board, claim, &["sum a1,b1,a2,b2"], "too large");
    fails(board, claim, &["sum a1,b1,c1"], "outside");
}

#[test]
fn strategy_stealing_needs_an_empty_board() {
    let steps = ["pairs a1-b1", "pairs"];
    fails("..# k 2 turn x", "claim draw\nx holds by stealing\no holds by 0", &steps, "stealing");
    fails("..x k 3 turn o", "claim draw\no holds by stealing\nx holds by 1", &steps, "stealing");
    fails(".. k 2 turn x", "claim draw\no holds by stealing\nx holds by 1", &steps, "stealing");
    assert_eq!(
        passes(".. k 2 turn x", "claim draw\nx holds by stealing\no holds by 0", &steps),
        Verdict::Draw
    );
}

#[test]
fn the_defenders_threats_count() {
    // o must not stop at blocking: x to move wins by b1 unless o completes first.
    fails("oo.xx k 3 turn o", "claim loss\nx wins by 0", &["replies"], "completes a line at c1");
    assert_eq!(passes("oo.xx k 3 turn o", "claim win\no wins by 0", &["fours c1"]), Verdict::Win);
    fails("x.x/o.o/... k 3 turn x", "claim win\nx wins by 0", &["fours a1 b3"], "the defender completes");
}

#[test]
fn cells_outside_a_zone_belong_to_the_attacker() {
    // Blocking a1-b1-c1 alone does not touch the upper row.
    let claim = "claim draw\nx holds by stealing\no holds by 2";
    let lower = ["sum a1", "takes b1>0", "blocks a1>1 b1>1 c1>1"];
    fails(".../... k 3 turn x", claim, &lower, "outside the zone");
    fails(
        "... k 3 turn x",
        claim,
        &["sum a1", "takes b1>0", "blocks a1>1 +b1,c1"],
        "no continuation after the move b1",
    );
    fails(
        "... k 2 turn x",
        "claim draw\nx holds by stealing\no holds by 0",
        &["blocks +a1,b1,c1"],
        "there is no continuation",
    );
}

#[test]
fn malformed_texts_are_errors() {
    let texts = [
        "",
        "hello",
        "outplay-proof 2\n",
        "outplay-proof 1\nboard ../. k 2 turn x\n",
        "outplay-proof 1\nboard .. k 0 turn x\n",
        "outplay-proof 1\nboard .. k 99999999999999999999 turn x\n",
        "outplay-proof 1\nboard .. k 2 turn z\n",
        "outplay-proof 1\nboard é. k 2 turn x\n",
        "outplay-proof 1\nboard .. k 2 turn x\nclaim maybe\n",
        "outplay-proof 1\nboard .. k 2 turn x\nclaim win\nsteps 999999999\n",
        "outplay-proof 1\nboard .. k 2 turn x\nclaim win\nx wins by 7\nsteps 0\nend\n",
        "outplay-proof 1\nboard .. k 2 turn x\nclaim win\nx wins by 0\nsteps 1\n0 plays a1>0\nend\n",
        "outplay-proof 1\nboard .. k 2 turn x\nclaim win\nx wins by 0\nsteps 1\n0 plays c1>0\nend\n",
        "outplay-proof 1\nboard .. k 2 turn x\nclaim win\nx wins by 0\nsteps 1\n0 dances\nend\n",
        "outplay-proof 1\nboard .. k 2 turn x\nclaim win\nx wins by 0\nsteps 1\n0\nend\n",
        "outplay-proof 1\nboard .. k 2 turn x\nclaim win\nx wins by 0\nsteps 1\n0 split a1\nend\n",
        "outplay-proof 1\nboard .. k 2 turn x\nclaim win\nx wins by 0\nsteps 2\n0 fours\n1 plays a1>0~4\nend\n",
        "outplay-proof 1\nboard .. k 2 turn x\nclaim win\nx wins by 0\nsteps 1\n0 fours\nmore\n",
    ];
    for text in texts {
        let error = check(text).expect_err("no proof");
        assert!(matches!(error, CheckError::Malformed(_)), "{text}: {error}");
        assert!(!error.to_string().contains('\n'));
    }
    let wide = format!("outplay-proof 1\nboard {} k 2 turn x\n", ".".repeat(100_000));
    assert!(check(&wide).expect_err("too large").to_string().contains("384"));
}

#[test]
fn only_white_space_of_ascii_separates() {
    let text = proof("... k 2 turn x", "claim win\nx wins by 1", &["replies", "plays b1>0"]);
    for (from, to) in [(" ", "\t"), (" ", " \r\u{c}"), ("\n", "\r\n")] {
        assert_eq!(check(&text.replace(from, to)).expect("the same proof").verdict, Verdict::Win, "{to:?}");
    }
    for (from, to) in [(" ", "\u{1d}"), (" ", "\u{b}"), (" ", "\u{a0}"), (" ", "\u{2003}"), ("\n", "\r")] {
        check(&text.replace(from, to)).expect_err(to);
    }
}

#[test]
fn hostile_texts_are_rejected() {
    // Nested splits that do nothing.
    let mut steps = vec!["pairs a1-b1".to_string()];
    steps.extend((0..100_000).map(|i| format!("split | a1,b1>{i}")));
    let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    let claim = format!("claim draw\nx holds by stealing\no holds by {}", steps.len() - 1);
    fails(".. k 2 turn x", &claim, &steps, "nested");

    // More work than the limit.
    let text =
        proof(".../... k 3 turn x", "claim draw\nx holds by stealing\no holds by 0", &["pairs a1-b1 a2-b2"]);
    let limits = CheckLimits { followed: 0, ..CheckLimits::default() };
    assert_eq!(check_within(&text, &limits), Err(CheckError::Work(0)));
}

/// A long forced win: each `.x.` is a threat that is parried, and only then comes the open pair.
fn long_proof(threats: usize) -> String {
    let board = format!("{}.xx.", ".x.#".repeat(threats));
    let name = |column: usize| outplay_core::cell_name(column, 0);
    let mut steps = vec![format!("plays {}>0", name(4 * threats))];
    // The first step is only a link target: a win needs no continuation.
    steps.insert(0, "replies".to_string());
    for threat in (0..threats).rev() {
        let last = steps.len() - 1;
        steps.push(format!("replies {}>{last}", name(4 * threat + 2)));
        steps.push(format!("plays {}>{}", name(4 * threat), last + 1));
    }
    let claim = format!("claim win\nx wins by {}", steps.len() - 1);
    let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    proof(&format!("{board} k 3 turn x"), &claim, &steps)
}

#[test]
fn a_long_proof_needs_no_stack() {
    let text = long_proof(94);
    let work = move || check(&text).expect("a right proof").followed;
    // Recursion proportional to the proof would overflow this stack.
    let thread = std::thread::Builder::new().stack_size(128 << 10).spawn(work).expect("a thread");
    assert_eq!(thread.join().expect("no overflow"), 2 * 94 + 1);
}

#[test]
fn the_monitor_can_stop_a_check() {
    let text = long_proof(50);
    let stopped = check_watched(&text, &CheckLimits::default(), &Meter::new(1));
    assert_eq!(stopped, Err(CheckError::Stopped));
    assert!(check_watched(&text, &CheckLimits::default(), &outplay_runtime::NoMonitor).is_ok());
}

#[test]
fn a_part_takes_no_cell_from_a_pair() {
    // The first player wins in the middle, which would have to be answered on both sides.
    let claim = "claim draw\nx holds by stealing\no holds by 1";
    let steps = ["pairs b1-c1", "split a1-b1 | b1,c1>0"];
    fails("... k 2 turn x", claim, &steps, "overlap");
}

/// A chain of splits, each of which refers twice to the one before it.
fn splits(board: &str, parts: &str, count: usize) -> String {
    let mut steps = vec!["pairs".to_string()];
    steps.extend((0..count).map(|i| format!("split | {}", parts.replace('N', &i.to_string()))));
    let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    proof(board, &format!("claim draw\nx holds by stealing\no holds by {count}"), &steps)
}

#[test]
fn an_unverified_proof_is_not_followed() {
    // Two parts on the same cell: following them would take 2^40 steps.
    let text = splits("... k 3 turn x", "a1>N a1>N", 40);
    let walked = guide(&text, Turn::Second, &["b1"], &CheckLimits::default(), &NoMonitor);
    assert!(matches!(walked, Err(GuideError::Proof(CheckError::Step { .. }))), "{walked:?}");
    // On a board that is already won, the claim holds and nothing else is verified.
    let text = splits("xxx k 3 turn o", "a1>N a1>N", 40).replace("claim draw", "claim loss");
    assert!(check(&text).is_ok());
    let walked = guide(&text, Turn::Second, &[], &CheckLimits::default(), &NoMonitor);
    assert!(matches!(walked, Err(GuideError::NoStrategy(_))), "{walked:?}");
}

#[test]
fn empty_splits_are_followed_once() {
    // A valid proof: neither player can win, and parts without lines hold. Its tree has 2^60 leaves.
    let text = splits("... k 4 turn x", "a1>N b1>N", 60);
    let claim = check_within(&text, &CheckLimits { followed: 1000, ..CheckLimits::default() })
        .expect("a right proof");
    assert!(claim.followed <= 2 * 60 + 1, "{}", claim.followed);
    let walked =
        guide(&text, Turn::Second, &["b1"], &CheckLimits::default(), &NoMonitor).expect("a right proof");
    assert!(walked.waiting.is_empty() && !walked.over, "{walked:?}");
}

#[test]
fn guide_respects_its_limits() {
    let board = ".../... k 3 turn x";
    let text = proof(board, "claim draw\nx holds by stealing\no holds by 0", &["pairs a1-b1 a2-b2"]);
    let walk = |limits: &CheckLimits| guide(&text, Turn::Second, &["a1"], limits, &NoMonitor);
    assert_eq!(walk(&CheckLimits::default()).expect("a right proof").stones.len(), 2);
    let none = |limits: CheckLimits| match walk(&limits) {
        Err(GuideError::Proof(error)) => error.is_undecided(),
        other => panic!("{other:?}"),
    };
    assert!(none(CheckLimits { followed: 0, ..CheckLimits::default() }));
    assert!(none(CheckLimits { bytes: 10, ..CheckLimits::default() }));
    let stopped = guide(&text, Turn::Second, &["a1"], &CheckLimits::default(), &Meter::new(0));
    assert_eq!(stopped, Err(GuideError::Proof(CheckError::Stopped)));
}

#[test]
fn parsing_respects_the_deadline() {
    // One step with ten million cells, and as many steps of a few.
    let cells = "a1,".repeat(10_000_000);
    let large = format!("0 sum {}a1", cells);
    let many: String = (0..3_000_000).map(|i| format!("{i} sum a1,b1\n")).collect();
    for steps in [large, many] {
        let head = "outplay-proof 1\nboard ... k 3 turn x\nclaim draw\nx holds by 0\no holds by 0";
        let text = format!("{head}\nsteps 100000000\n{steps}");
        let began = Instant::now();
        let clock = Deadline::new(Some(Duration::from_millis(50)), &NoMonitor);
        assert_eq!(check_watched(&text, &CheckLimits::default(), &clock), Err(CheckError::Stopped));
        assert!(began.elapsed() < Duration::from_millis(1000), "{:?}", began.elapsed());
        let limits = CheckLimits { bytes: 10_000, ..CheckLimits::default() };
        if text.contains("1000 sum") {
            assert_eq!(check_within(&text, &limits), Err(CheckError::Memory(10_000)));
        }
    }
}

#[test]
fn repeated_entries_change_no_verdict() {
    let repeated = |list: &str| vec![list; 50].join(" ");
    let board = ".../... k 3 turn x";
    let claim = "claim draw\nx holds by stealing\no holds by 0";
    // Lists longer than the number of cells are cut, and still name a cell twice.
    fails(board, claim, &[&format!("pairs {}", repeated("a1-b1 a2-b2"))], "in two pairs");
    let split = format!("split | {}", repeated("a1,b1,c1>0 a2,b2,c2>0"));
    let claim_split = "claim draw\nx holds by stealing\no holds by 1";
    fails(board, claim_split, &["pairs a1-b1 a2-b2", &split], "overlap");
    // The first entry that names a cell counts: the others may be wrong.
    let steps = ["fours a1", "replies", "plays b1>1", "replies a1,c1>2 a1,c1>0 c1>0 else>2", "plays a1>3"];
    let text = |last: &str| proof("..... k 2 turn x", &format!("claim win\nx wins by {last}"), &steps);
    assert!(check(&text("2")).is_ok());
    assert_eq!(
        passes(board, claim, &[&format!("sum {}", vec!["a1,a2,b1,b2,c1,c2"; 50].join(","))]),
        Verdict::Draw
    );
}
