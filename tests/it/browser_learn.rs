//! Lessons, rules, trees and proofs in a real browser: every lesson is walked from its first step to its last with the
//! keyboard, its questions are answered, and the numbers that it shows are those of the command line.

use crate::stage;

use outplay_browser::Page;
use serde_json::Value;
use stage::Stage;
use std::process::Command;

/// What a command of the program says.
fn said(args: &[&str]) -> Value {
    let data = tempfile::tempdir().unwrap();
    let done = Command::new(env!("CARGO_BIN_EXE_outplay"))
        .args(args)
        .arg("--json")
        .arg("--data")
        .arg(data.path())
        .output()
        .unwrap();
    serde_json::from_slice(&done.stdout)
        .unwrap_or_else(|error| panic!("{args:?}: {error}: {}", String::from_utf8_lossy(&done.stderr)))
}

fn leaves(args: &[&str]) -> u64 {
    said(args)["counters"]["static_evaluations"].as_u64().unwrap()
}

fn text(page: &mut Page, selector: &str) -> String {
    let script = format!("document.querySelector({})?.textContent ?? ''", serde_json::json!(selector));
    page.eval(&script).unwrap().as_str().unwrap().to_string()
}

fn number(page: &mut Page, script: &str) -> f64 {
    page.eval(script).unwrap().as_f64().unwrap_or_else(|| panic!("no number: {script}"))
}

/// Opens a lesson in a tab.
fn open(page: &mut Page, stage: &Stage, name: &str) {
    page.go(&stage.address(&format!("?view=learn&lesson={name}"))).unwrap();
    page.wait(&format!("document.querySelector('.lesson-page[data-lesson={name}][data-ready=yes]')"), name)
        .unwrap();
    page.wait("outplay.lesson.steps.length > 3", "its steps").unwrap();
}

/// Chooses what a lesson is about; its steps begin anew, even if it was about that already.
fn choose(page: &mut Page, value: &str) {
    page.click(&format!("[data-value={value}]")).unwrap();
    page.wait("document.querySelector('.lesson-page[data-ready=yes]')", value).unwrap();
}

/// Answers the question on the screen, wrongly first where that is possible.
fn answer(page: &mut Page) {
    let right =
        page.eval("outplay.lesson.asked.choices?.findIndex((choice) => choice.right) ?? null").unwrap();
    match right.as_i64() {
        Some(right) => {
            let wrong =
                page.eval("outplay.lesson.asked.choices.findIndex((choice) => !choice.right)").unwrap();
            if let Some(wrong @ 0..) = wrong.as_i64() {
                page.click(&format!("[data-choice='{wrong}']")).unwrap();
                page.wait("document.querySelector('.question .feedback.wrong')", "an objection").unwrap();
            }
            page.click(&format!("[data-choice='{right}']")).unwrap();
        }
        None => {
            let wanted = number(page, "outplay.lesson.asked.number");
            page.fill(".ask-number input", &format!("{}", wanted + 1000.0)).unwrap();
            page.press("Enter").unwrap();
            page.wait("document.querySelector('.question .feedback.wrong')", "an objection").unwrap();
            page.fill(".ask-number input", &wanted.to_string()).unwrap();
            page.press("Enter").unwrap();
        }
    }
    page.wait("document.querySelector('.question .feedback.right')", "praise").unwrap();
    // Arrows in a field move its cursor; elsewhere they step.
    page.eval("document.activeElement.blur()").unwrap();
}

/// Goes on with the keyboard to the last step and answers what is asked; `at` hears each step's number. How many
/// questions there were.
fn walk(page: &mut Page, mut at: impl FnMut(&mut Page, u64) -> bool) -> u64 {
    let mut asked = 0;
    let steps = number(page, "outplay.lesson.steps.length") as u64;
    page.press("Home").unwrap();
    page.wait("outplay.lesson.at === 0", "the first step").unwrap();
    for step in 0..steps {
        page.wait(&format!("outplay.lesson.at === {step}"), &format!("step {step}")).unwrap();
        if !at(page, step) && page.eval("Boolean(outplay.lesson.asked)").unwrap() == true {
            answer(page);
            asked += 1;
        }
        page.press("ArrowRight").unwrap();
    }
    page.press("ArrowLeft").unwrap();
    page.wait(&format!("outplay.lesson.at === {}", steps - 2), "a step back").unwrap();
    page.press("End").unwrap();
    page.wait(&format!("outplay.lesson.at === {}", steps - 1), "the end").unwrap();
    assert!(page.eval("location.search").unwrap().as_str().unwrap().contains(&format!("step={}", steps - 1)));
    assert!(asked > 0, "a lesson asks something");
    asked
}

#[test]
fn games_minimax_and_alpha_beta() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.open("?view=learn");
    assert_eq!(number(&mut page, "document.querySelectorAll('[data-lesson]').length"), 9.0);
    page.click("[data-lesson=game]").unwrap();
    page.wait("document.querySelector('.lesson-page[data-lesson=game][data-ready=yes]')", "lesson 1")
        .unwrap();

    // S has as many states as the command writes out.
    let written = said(&["show", "nim:2+2", "--all"]);
    let states = written["positions"].as_array().unwrap().len() as f64;
    assert_eq!(
        number(&mut page, "outplay.lesson.steps.find((step) => step.question).question.number"),
        states
    );
    assert_eq!(number(&mut page, "document.querySelectorAll('.state').length"), states);
    let played = |page: &mut Page, _: u64| {
        if page.eval("Boolean(document.querySelector('.small-board:not([hidden]) [data-spot]'))").unwrap()
            == true
        {
            // One match after the other until the game is over: the state travels to a terminal one.
            for _ in 0..4 {
                page.wait("document.querySelector('.small-board .spot.open') || document.querySelector('.state.here.tone-win, .state.here.tone-loss')", "a move or the end").unwrap();
                if page.eval("Boolean(document.querySelector('.small-board .spot.open'))").unwrap() == true {
                    let before = text(page, ".say");
                    page.click(".small-board .spot.open").unwrap();
                    page.wait(
                        &format!("document.querySelector('.say').textContent !== {before:?}"),
                        "a state",
                    )
                    .unwrap();
                }
            }
            page.wait("document.querySelector('.state.here.tone-win, .state.here.tone-loss')", "the end")
                .unwrap();
            page.eval("document.activeElement.blur()").unwrap();
        }
        false
    };
    assert_eq!(walk(&mut page, played), 4);
    page.wait("localStorage.getItem('outplay-lessons').includes('game')", "the lesson is done").unwrap();

    open(&mut page, &stage, "minimax");
    let tree = said(&["show", "nim:2+2", "--tree", "--minimax", "--depth", "9"]);
    assert!(walk(&mut page, |_, _| false) >= 3);
    let words = text(&mut page, ".say");
    assert!(words.contains(&format!("{} positions were visited", tree["positions"])), "{words}");
    assert!(words.contains(&format!("{} of them leaves", tree["counters"]["static_evaluations"])), "{words}");
    assert!(words.contains("The root is worth −1"), "{words}: {}", tree["tree"]["value"]);
    choose(&mut page, "ttt");
    page.wait("outplay.lesson.trace.game === 'tictactoe'", "another tree").unwrap();

    open(&mut page, &stage, "alphabeta");
    let args = ["show", "connect:3x4,k=4", "--tree", "--depth", "3", "--eval", "lines"];
    let (pruned, all) = (said(&args), leaves(&[&args[..], &["--minimax"]].concat()));
    let mut cuts = 0;
    let guessed = |page: &mut Page, _: u64| {
        cuts += u64::from(page.eval("outplay.lesson.asked?.cut === true").unwrap() == true);
        false
    };
    assert!(walk(&mut page, guessed) >= 5);
    assert!(cuts >= 3, "the reader guesses cuts");
    let counters = &pruned["counters"];
    let words = text(&mut page, ".say");
    assert!(
        words.contains(&format!("visited {} leaves; minimax visits {all}", counters["static_evaluations"])),
        "{words}"
    );
    assert!(
        words.contains(&format!(
            "{} alpha cutoffs and {} beta cutoffs",
            counters["alpha_cutoffs"], counters["beta_cutoffs"]
        )),
        "{words}"
    );
    let drawn = number(&mut page, "document.querySelectorAll('.edge.cut').length");
    let cut = page.eval("outplay.lesson.trace.nodes.filter((node) => node.fate === 'cut').length").unwrap();
    assert_eq!(drawn, cut.as_f64().unwrap(), "what was cut off hangs on a dashed branch");
    stage::silent(&mut page);
}

#[test]
fn orders_horizons_and_numbers() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.page();
    open(&mut page, &stage, "order");
    let tree = |depth: &str, more: &[&str]| {
        leaves(&[&["show", "connect4", "--tree", "--depth", depth, "--eval", "lines"], more].concat())
    };
    let (all, rules) = (tree("4", &["--minimax"]), tree("4", &[]));
    let mut compared = false;
    let compare = |page: &mut Page, _: u64| {
        if text(page, ".chart-title").contains("4 plies ahead") {
            let bar = |page: &mut Page, name: &str| {
                number(page, &format!("Number(document.querySelector('[data-bar={name}]').dataset.count)"))
                    as u64
            };
            assert_eq!((bar(page, "minimax"), bar(page, "rules")), (all, rules));
            // Knuth and Moore's count.
            assert_eq!(bar(page, "best"), 49 + 49 - 1);
            assert!(bar(page, "worst") > rules);
            compared = true;
        }
        page.wait("!document.querySelector('.chart:not([hidden]) .pulse')", "the counts").unwrap();
        false
    };
    assert_eq!(walk(&mut page, compare), 3);
    assert!(compared);
    let bar = "Number(document.querySelector('[data-bar=best]').dataset.count)";
    assert_eq!(number(&mut page, bar), 685.0, "six plies");

    open(&mut page, &stage, "horizon");
    let moves = "23413142552";
    let truth = said(&["query", "connect4:5x4", "--moves", moves]);
    assert_eq!(walk(&mut page, |_, _| false), 2);
    assert_eq!(number(&mut page, "outplay.lesson.asked.number"), truth["distance"].as_f64().unwrap());
    for depth in ["1", "4", "9"] {
        let told =
            said(&["show", "connect4:5x4", "--moves", moves, "--tree", "--depth", depth, "--eval", "lines"]);
        let told = told["tree"]["value"].as_str().unwrap().to_string();
        let shown = page.eval(&format!("document.querySelector('[data-depth=\"{depth}\"]').dataset.worth"));
        let shown = shown.unwrap().as_str().unwrap().replace('−', "-");
        let same = match told.strip_prefix("loss").is_some() {
            true => shown == "-1",
            false => told == format!("{:+.2}", shown.parse::<f64>().unwrap() / 100.0),
        };
        assert!(same, "depth {depth}: {shown} on the page, {told} by the command");
    }

    open(&mut page, &stage, "tables");
    let ranked = |page: &mut Page, position: &str| {
        let told = said(&["index", "tictactoe", "--rank", position])["number"].to_string();
        page.wait(&format!("document.querySelector('[data-number]')?.dataset.number === '{told}'"), position)
            .unwrap();
        page.wait("document.querySelector('.sum-row.total').textContent.includes('✓')", "the same sum")
            .unwrap();
    };
    let by_clicking = |page: &mut Page, _: u64| {
        let words = text(page, ".ask-text");
        if words.contains("exactly 1") {
            page.click("[data-clear]").unwrap();
            ranked(page, ".../.../...");
            page.click("[data-choice]").unwrap();
            page.wait("document.querySelector('.question .feedback.wrong')", "not yet").unwrap();
            for (cell, position) in
                [("b2", ".../.x./..."), ("a3", "o../.x./..."), ("c1", "o../.x./..x"), ("a1", "o../.x./o.x")]
            {
                page.click(&format!("[data-spot={cell}]")).unwrap();
                ranked(page, position);
            }
            page.click("[data-clear]").unwrap();
            page.click("[data-spot=a1]").unwrap();
            ranked(page, ".../.../x..");
        } else if words.contains("number 1,000") {
            page.fill(".rank-number", "1000").unwrap();
            page.press("Enter").unwrap();
            let told = said(&["index", "tictactoe", "--unrank", "1000"]);
            page.wait(
                &format!("outplay.lesson.ranked.position === '{}'", told["position"].as_str().unwrap()),
                "the board of a number",
            )
            .unwrap();
        }
        false
    };
    assert_eq!(walk(&mut page, by_clicking), 5);
    stage::silent(&mut page);
}

#[test]
fn waves_dice_and_proofs() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.page();
    open(&mut page, &stage, "loops");
    let ending = said(&["solve", "chess:KRK", "--no-save"]);
    assert_eq!(
        number(&mut page, "outplay.lesson.waves.positions"),
        ending["positions"]["legal"].as_f64().unwrap()
    );
    assert_eq!(
        number(&mut page, "outplay.lesson.waves.draws"),
        ending["positions"]["draw"].as_f64().unwrap()
    );
    let longest = ending["longest"]["second"]["loss"].as_f64().unwrap();
    assert_eq!(number(&mut page, "outplay.lesson.waves.waves.at(-1).distance"), longest);
    assert_eq!(walk(&mut page, |_, _| false), 3);
    assert_eq!(number(&mut page, "outplay.lesson.asked.number"), longest);
    // The number on a square is the distance of that position.
    for (square, position) in
        [("we5", "8/8/8/4k3/8/2K5/1R6/8 w - - 0 1"), ("be5", "8/8/8/4k3/8/2K5/1R6/8 b - - 0 1")]
    {
        let told = said(&["query", "chess:KRK", "--position", position]);
        assert_eq!(
            text(&mut page, &format!("[data-square={square}] .wave-number")),
            told["distance"].to_string()
        );
    }
    // Another place of the rook, another picture.
    page.click("[data-value=R]").unwrap();
    page.click("[data-square=wh8]").unwrap();
    let told = said(&["query", "chess:KRK", "--position", "7R/8/8/4k3/8/2K5/8/8 b - - 0 1"]);
    let distance = format!(
        "document.querySelector('[data-square=be5] .wave-number').textContent === '{}'",
        told["distance"]
    );
    page.wait(&distance, "the rook elsewhere").unwrap();

    open(&mut page, &stage, "chance");
    for (value, method) in [("expectiminimax", "expectimax"), ("star1", "star1"), ("star2", "star2")] {
        choose(&mut page, value);
        page.wait(&format!("outplay.lesson.trace.method === '{method}'"), method).unwrap();
        let told = said(&["show", "piglet:2", "--tree", "--depth", "7", "--method", method]);
        let mean: f64 = told["tree"]["value"].as_str().unwrap().parse().unwrap();
        assert!((number(&mut page, "outplay.lesson.trace.nodes[0].worth.mean") - mean).abs() < 1e-6);
        for counter in ["nodes", "static_evaluations", "dice_cutoffs"] {
            let shown = number(&mut page, &format!("outplay.lesson.trace.counters.{counter}"));
            assert_eq!(shown, told["counters"][counter].as_f64().unwrap(), "{method} {counter}");
        }
        if method != "star2" {
            assert!(walk(&mut page, |_, _| false) >= 2);
            let words = text(&mut page, ".say");
            assert!(
                words.contains(&format!("{} positions were visited", told["counters"]["nodes"])),
                "{words}"
            );
        }
    }

    open(&mut page, &stage, "proof");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("proof.txt");
    let file = file.to_str().unwrap();
    let solved = said(&["solve", "mnk:4x3,k=3", "--method", "proof", "--proof", file]);
    assert_eq!(solved["value"], "win");
    let written = std::fs::read_to_string(file).unwrap();
    assert_eq!(page.eval("outplay.lesson.proved.proof").unwrap(), written.as_str(), "the same proof");
    let checked = said(&["check", file]);
    assert_eq!(number(&mut page, "outplay.lesson.told.followed"), checked["followed"].as_f64().unwrap());
    let broken = |page: &mut Page, _: u64| {
        if page.eval("Boolean(document.querySelector('.proof-edit:not([hidden])'))").unwrap() == false {
            return false;
        }
        page.click("[data-check]").unwrap();
        page.wait("document.querySelector('.proof-edit .feedback.right')", "it holds as it is").unwrap();
        page.eval("(() => { const area = document.querySelector('.proof-text'); area.value = area.value.replace('claim win', 'claim draw'); })()").unwrap();
        page.click("[data-check]").unwrap();
        page.wait("document.querySelector('.question .feedback.right')", "a broken proof is found").unwrap();
        let told = text(page, ".proof-edit .feedback");
        std::fs::write(file, written.replace("claim win", "claim draw")).unwrap();
        let refused = said(&["check", file]);
        assert!(told.contains(refused["error"].as_str().unwrap()), "{told} {refused}");
        page.eval("document.activeElement.blur()").unwrap();
        true
    };
    assert_eq!(walk(&mut page, broken), 2);
    stage::silent(&mut page);
}

/// The tree of a position has the command's counters, opens where one clicks, merges what is symmetric, and looks
/// further than it was recorded; a proof answers whatever is played against it.
#[test]
fn trees_and_proofs_of_any_position() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.open("?view=tree&game=tictactoe");
    let nodes = "document.querySelectorAll('.node').length";
    page.wait("document.querySelector('#place[data-ready=yes] .node')", "a tree").unwrap();
    let told = said(&["show", "tictactoe", "--tree", "--depth", "4"]);
    for counter in ["nodes", "static_evaluations", "alpha_cutoffs", "beta_cutoffs"] {
        let shown = text(&mut page, &format!("[data-counter={counter}]")).replace(',', "");
        assert_eq!(shown, told["counters"][counter].to_string(), "{counter}");
    }
    // Nine first moves are three but for symmetry.
    let firsts = "outplay.tree.picture.list.filter((node) => node.parent === 0)";
    assert_eq!(number(&mut page, &format!("{firsts}.length")), 3.0);
    let labels = page.eval(&format!("{firsts}.map((node) => node.label).join()")).unwrap();
    assert_eq!(labels, "a1 ×4,a2 ×4,b2");
    let before = number(&mut page, nodes);
    let middle = page.eval("outplay.tree.picture.list.findIndex((node) => node.label === 'b2')").unwrap();
    page.click(&format!("[data-node='{middle}']")).unwrap();
    page.wait(&format!("{nodes} > {before}"), "more of the tree").unwrap();
    page.wait("document.querySelectorAll('.board-host .stone > *').length > 0 || document.querySelector('.told svg.board')", "its board").unwrap();
    // The keyboard goes down, opens, and closes again.
    page.press("ArrowDown").unwrap();
    page.press("Enter").unwrap();
    page.press("ArrowUp").unwrap();
    let open = number(&mut page, nodes);
    page.press("Enter").unwrap();
    page.wait(&format!("{nodes} < {open}"), "less of the tree").unwrap();
    // What was cut off is dashed, and a forced line is one edge.
    page.go(&stage.address("?view=tree&game=tictactoe&position=..x/.x./oxo+o&depth=8")).unwrap();
    page.wait("document.querySelector('#place[data-ready=yes] .node')", "another tree").unwrap();
    page.eval("(() => { const { record, open } = outplay.tree; record.nodes.forEach((node, i) => open.add(i)); })()").unwrap();
    page.click("[data-node='0']").unwrap();
    page.click("[data-node='0']").unwrap();
    page.wait("document.querySelector('.edge.cut')", "a cut").unwrap();
    assert!(number(&mut page, "outplay.tree.picture.list.filter((node) => node.forced).length") > 0.0);
    // Beyond the record the search goes on.
    page.go(&stage.address("?view=tree&game=connect4:4x4&depth=2")).unwrap();
    page.wait("document.querySelector('#place[data-ready=yes] .node')", "a shallow tree").unwrap();
    let entered = "Number(document.querySelector('[data-counter=nodes]').textContent.replaceAll(',', ''))";
    let few = number(&mut page, entered);
    let last = number(&mut page, "outplay.tree.picture.list.findIndex((node) => node.fate === 'horizon')");
    page.click(&format!("[data-node='{last}']")).unwrap();
    page.wait(&format!("{entered} > {few}"), "a search below the horizon").unwrap();

    page.go(&stage.address("?view=proof&of=mnk:4x3,k=3")).unwrap();
    page.wait("outplay.walk?.stones.length === 1", "the proof's first move").unwrap();
    page.click("[data-what-if=a1]").unwrap();
    page.wait("outplay.walk.stones.length >= 3", "an answer").unwrap();
    for _ in 0..6 {
        if page.eval("outplay.walk.over").unwrap() == true {
            break;
        }
        let before = number(&mut page, "outplay.walk.stones.length");
        page.click(".board-host .spot.open").unwrap();
        page.wait(&format!("outplay.walk.stones.length > {before}"), "an answer").unwrap();
    }
    assert_eq!(page.eval("outplay.walk.over").unwrap(), true, "the proof wins");
    page.click("[data-undo]").unwrap();
    page.wait("!outplay.walk.over", "a move taken back").unwrap();
    stage::silent(&mut page);
}

/// Every family has rules in the words of the command line and a board on which they can be tried; nothing of Learn is
/// wider than a phone.
#[test]
fn rules_can_be_tried() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.open("?view=rules");
    page.resize(390, 844, true).unwrap();
    let families = page.eval("outplay.known.games.map((game) => game.name)").unwrap();
    for family in families.as_array().unwrap() {
        let family = family.as_str().unwrap();
        page.click(&format!("[data-family={family}]")).unwrap();
        page.wait(
            &format!("document.querySelector('[data-family={family}][aria-current=true]') && document.querySelector('.rules-words li') && outplay.trial?.view && outplay.trial.view.to_move !== 'chance'"),
            family,
        )
        .unwrap();
        let told = said(&["games", family]);
        let spoken = page.eval(
            "[...document.querySelectorAll('[data-sentence]')].map((item) => item.textContent).join(' ')",
        );
        assert_eq!(spoken.unwrap(), told["rules"], "{family}");
        let before = number(&mut page, "outplay.trial.moves.length");
        page.click("[data-try=computer]").unwrap();
        page.wait(&format!("outplay.trial.moves.length > {before}"), &format!("a move of {family}")).unwrap();
        page.click("[data-try=again]").unwrap();
        page.wait("outplay.trial.moves.length < 2", "the start").unwrap();
        let wide = number(&mut page, "document.documentElement.scrollWidth - innerWidth");
        assert!(wide <= 0.0, "{family} is {wide} pixels too wide");
    }
    for name in ["game", "minimax", "alphabeta", "order", "horizon", "tables", "loops", "chance", "proof"] {
        open(&mut page, &stage, name);
        let wide = number(&mut page, "document.documentElement.scrollWidth - innerWidth");
        assert!(wide <= 0.0, "lesson {name} is {wide} pixels too wide");
    }
    stage::silent(&mut page);
}
