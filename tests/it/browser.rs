//! The page in a real browser: every family of games is opened, played to the end against perfect play and explored.
//!
//! Without Chromium there is nothing to test with: `cargo xtask test` installs it, and a plain `cargo test` says that
//! these tests were left out.

use crate::stage;

use outplay_browser::Page;
use stage::Stage;

/// A move of a person who knows the rules and nothing else: the spots to click, or a button.
const NEXT: &str = "(() => {
    const { scene } = outplay.view;
    const list = scene.moves;
    const gesture = list[(outplay.moves.length * 7 + 3) % list.length];
    const twins = list.filter((other) => other.path.join() === gesture.path.join());
    return gesture.path.length
        ? gesture.path.map((spot) => `[data-spot='${spot}']`).concat(twins.length > 1 ? [`.choices [data-move='${gesture.move}']`] : [])
        : [`.moves-beside [data-move='${gesture.move}']`];
})()";

/// It is a person's turn, or nobody's.
const SETTLED: &str = "outplay.view && !outplay.thinking && (outplay.over || outplay.live)";

/// Plays with the mouse until the game is over.
fn play_out(page: &mut Page, most: usize) {
    for ply in 0..=most {
        page.wait(SETTLED, "a turn").unwrap();
        if page.eval("outplay.over").unwrap() == true {
            return;
        }
        let before = page.eval("outplay.moves.length").unwrap();
        let clicks = page.eval(NEXT).unwrap();
        for selector in clicks.as_array().unwrap() {
            page.click(selector.as_str().unwrap()).unwrap();
        }
        page.wait(&format!("outplay.moves.length > {before}"), &format!("move {ply} ({clicks})")).unwrap();
    }
    panic!("the game did not end within {most} plies");
}

/// Opens a game, plays it to the end against `perfect`, explores it and undoes a move.
fn check(address: &str, most: usize) {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.open(address);
    page.eval("outplay.turns.pace = 0").unwrap();
    play_out(&mut page, most);
    let moves = page.eval("outplay.state.moves.join()").unwrap();
    let status = page.eval("document.querySelector('#status').textContent").unwrap();
    let told = status.as_str().unwrap();
    assert!(["You win", "You lose", "A draw"].contains(&told), "{told}");

    // The values of the position before the last move stand on the board and in the list.
    page.press("e").unwrap();
    page.wait("outplay.state.view === 'explore'", "the explorer").unwrap();
    page.click("[data-do=undo]").unwrap();
    page.wait("!outplay.over && outplay.answer", "values").unwrap();
    page.wait("document.querySelector('.moves .badge:not(.unknown)')", "a value in the list").unwrap();
    page.wait(
        "document.querySelectorAll('.mark .pill, .move-button .badge, .score').length > 0",
        "a value on the board",
    )
    .unwrap();
    page.wait("document.querySelectorAll('.ply').length === outplay.state.moves.length + 1", "the history")
        .unwrap();

    // The link opens the same screen elsewhere.
    let link = page.eval("location.href").unwrap();
    let mut other = stage.page();
    other.go(link.as_str().unwrap()).unwrap();
    other.wait("!outplay.over && outplay.answer", "the same values").unwrap();
    let same = "[outplay.view.position, outplay.state.view, outplay.state.moves.join(), outplay.answer.best.join()].join('|')";
    assert_eq!(page.eval(same).unwrap(), other.eval(same).unwrap());
    assert_eq!(page.eval("outplay.state.moves.join()").unwrap(), moves, "undo keeps what can be redone");
    stage::silent(&mut page);
    stage::silent(&mut other);
}

#[test]
fn tic_tac_toe_to_the_end() {
    check("?game=tictactoe&first=human&second=perfect", 9);
}

#[test]
fn connect_four_to_the_end() {
    check("?game=connect4:5x4&first=human&second=perfect", 20);
}

/// The board that the page begins with, against perfect play chosen by the slider, with a hint on the way.
#[test]
fn seven_by_six_to_the_end_with_a_hint_and_a_level() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.open("?game=connect4");
    page.wait("outplay.live && document.querySelector('#second-level')", "a level").unwrap();
    page.eval("document.querySelector('#second-level').focus()").unwrap();
    page.press("End").unwrap();
    page.wait("outplay.state.second === 'perfect'", "the strongest level").unwrap();
    page.click("[data-do=hint]").unwrap();
    page.wait("document.querySelector('#toast').textContent === 'Hint: 4, win in 21 moves'", "the hint")
        .unwrap();
    play_out(&mut page, 42);
    let status = page.eval("document.querySelector('#status').textContent").unwrap();
    assert_eq!(status, "You lose", "columns played in turn lose against perfect play");
    // The history of the game is told backwards from its end, and its mistakes can be tried again.
    page.wait("document.querySelector('#history .note').textContent.includes('Mistake')", "mistakes")
        .unwrap();
    stage::silent(&mut page);
}

#[test]
fn a_board_with_obstacles_to_the_end() {
    check("?game=mnk:4x4,k=3,obstacles=b2&first=human&second=perfect", 16);
}

#[test]
fn nim_to_the_end() {
    check("?game=nim:2%2B3%2B3&first=human&second=perfect", 8);
}

#[test]
fn a_chess_ending_to_the_end() {
    check("?game=chess:KQK&position=8/8/8/3k4/8/8/8/KQ6+w+-+-+0+1&first=perfect&second=human", 24);
}

#[test]
fn morris_to_the_end() {
    check("?game=morris:tapatan&first=perfect&second=human", 20);
}

#[test]
fn six_mens_morris_to_the_end() {
    check("?game=morris:six,men=3&first=human&second=perfect", 120);
}

#[test]
fn pig_to_the_end() {
    check("?game=pig:20&first=human&second=perfect", 400);
}

#[test]
fn einstein_to_the_end() {
    check("?game=einstein:3x3&first=human&second=perfect", 60);
}

#[test]
fn the_empty_board_of_connect_four_has_its_seven_scores() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.open("?game=connect4&view=explore");
    page.wait("document.querySelectorAll('.score').length === 7", "seven scores").unwrap();
    let scores = page
        .eval("[...document.querySelectorAll('.score')].map((text) => text.textContent).join(' ')")
        .unwrap();
    assert_eq!(scores, "−2 −1 0 +1 0 −1 −2");
    page.wait("document.querySelector('.headline').textContent === 'Yellow wins in 21 moves'", "the truth")
        .unwrap();
    let best = page.eval("document.querySelector('.score.best').textContent").unwrap();
    assert_eq!(best, "+1");
    // Pointing at the best move shows its line, numbered.
    page.hover("[data-spot='18']").unwrap();
    page.wait("outplay.answer.line.length < 2 || document.querySelectorAll('.ghost').length > 1", "ghosts")
        .unwrap();
    stage::silent(&mut page);
}

#[test]
fn a_first_visit_can_be_played_at_once() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.open("");
    page.wait("outplay.live", "a turn").unwrap();
    page.click("[data-spot='21']").unwrap();
    page.wait("outplay.moves.length >= 2 && outplay.live", "an answer to the first stone").unwrap();
    assert_eq!(page.eval("outplay.moves[0]").unwrap(), "4");
    stage::silent(&mut page);
}

#[test]
fn back_forward_undo_and_redo() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.open("?game=tictactoe&view=explore");
    for cell in ["[data-spot='4']", "[data-spot='0']", "[data-spot='8']"] {
        page.click(cell).unwrap();
        page.wait(&format!("document.querySelector(\"{cell}\").ariaLabel.includes('empty') === false"), cell)
            .unwrap();
    }
    let shown = |page: &mut Page, moves: &str, what: &str| {
        page.wait(&format!("outplay.moves.join() === '{moves}' && !outplay.stale && outplay.answer"), what)
            .unwrap();
    };
    shown(&mut page, "b2,a1,c3", "three moves");
    page.eval("history.back()").unwrap();
    shown(&mut page, "b2,a1", "back");
    page.eval("history.forward()").unwrap();
    shown(&mut page, "b2,a1,c3", "forward");
    page.press("u").unwrap();
    shown(&mut page, "b2,a1", "undo");
    page.press("u").unwrap();
    shown(&mut page, "b2", "undo again");
    page.press("r").unwrap();
    shown(&mut page, "b2,a1", "redo");
    // The history is a picture one can click.
    page.click(".ply[data-ply='3']").unwrap();
    shown(&mut page, "b2,a1,c3", "the end by the history");
    page.click(".ply[data-ply='0']").unwrap();
    shown(&mut page, "", "the start by the history");
    stage::silent(&mut page);
}

#[test]
fn obstacles_are_painted_with_the_mouse() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.open("?game=tictactoe");
    page.click("#game").unwrap();
    page.click("[data-card=mnk]").unwrap();
    page.wait("document.querySelector('.painter')", "the painter").unwrap();
    page.drag(".paint [data-cell=a1]", ".paint [data-cell=c1]").unwrap();
    page.click("[data-tool=x]").unwrap();
    page.click(".paint [data-cell=e4]").unwrap();
    page.click("[data-tool=erase]").unwrap();
    page.click(".paint [data-cell=d3]").unwrap();
    let spec = "mnk:5x4,k=4,obstacles=a1+b1+c1+c2,x=e4";
    page.wait(&format!("document.querySelector('#spec-input').value === '{spec}'"), "the painted spec")
        .unwrap();
    page.click("#accept").unwrap();
    page.wait(&format!("outplay.view.game === '{spec}'"), "the painted game").unwrap();
    assert_eq!(page.eval("document.querySelectorAll('.board-host .obstacle').length").unwrap(), 4);
    let title = page.eval("document.querySelector('#game').title").unwrap();
    assert!(title.as_str().unwrap().starts_with(spec), "{title}");
    stage::silent(&mut page);
}

#[test]
fn wrong_input_is_answered_with_the_sentence_of_the_command_line() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.open("?game=tictactoe");
    page.press("g").unwrap();
    page.fill("#spec-input", "mnk:3x3,k=3,obstacles=d4").unwrap();
    page.wait(
        "document.querySelector('#spec-message').textContent.includes('not on the board')",
        "the reason",
    )
    .unwrap();
    page.click("#accept").unwrap();
    page.wait("document.querySelector('#dialog').open", "the dialog, still open").unwrap();
    page.press("Escape").unwrap();
    page.wait("!document.querySelector('#dialog').open", "the end of the dialog").unwrap();
    page.press("m").unwrap();
    page.type_text("z9").unwrap();
    page.press("Enter").unwrap();
    page.wait(
        "document.querySelector('#type-trouble').textContent.includes('not a legal move')",
        "the reason",
    )
    .unwrap();
    page.go(&stage.address("?game=tictacto")).unwrap();
    page.wait("document.querySelector('#trouble').textContent.includes('did you mean')", "the cure").unwrap();
}

#[test]
fn the_keyboard_is_enough() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.open("?game=tictactoe&first=human&second=perfect");
    for _ in 0..5 {
        page.wait(SETTLED, "a turn").unwrap();
        if page.eval("outplay.over").unwrap() == true {
            break;
        }
        let before = page.eval("outplay.moves.length").unwrap();
        // The board, then arrows until a free cell has the focus.
        page.press("b").unwrap();
        for step in [
            "ArrowLeft",
            "ArrowUp",
            "ArrowRight",
            "ArrowRight",
            "ArrowDown",
            "ArrowDown",
            "ArrowLeft",
            "ArrowLeft",
        ] {
            let free = "document.activeElement.getAttribute('aria-disabled') === 'false'";
            if page.eval(free).unwrap() == true {
                break;
            }
            page.press(step).unwrap();
        }
        page.press("Enter").unwrap();
        page.wait(&format!("outplay.moves.length > {before}"), "the move of the keyboard").unwrap();
    }
    page.wait("outplay.over", "the end").unwrap();
    for (key, what) in [
        ("v", "outplay.valuesShown"),
        ("e", "outplay.state.view === 'explore'"),
        ("n", "outplay.moves.length === 0"),
        ("?", "document.querySelector('dialog.help[open]')"),
        ("Escape", "!document.querySelector('#dialog').open"),
        ("c", "document.querySelector('dialog.sharing[open]')"),
        ("Escape", "!document.querySelector('#dialog').open"),
        ("g", "document.querySelector('dialog.choose[open]')"),
        ("Escape", "!document.querySelector('#dialog').open"),
        ("t", "document.documentElement.dataset.theme === 'dark'"),
    ] {
        page.press(key).unwrap();
        page.wait(what, &format!("the key {key}")).unwrap();
    }
    // Columns have digits, and any move can be typed.
    page.go(&stage.address("?game=connect4:5x4&view=explore")).unwrap();
    page.press("3").unwrap();
    page.wait("outplay.moves.join() === '3'", "the digit").unwrap();
    page.press("m").unwrap();
    page.type_text("2").unwrap();
    page.press("Enter").unwrap();
    page.wait("outplay.moves.join() === '3,2'", "the typed move").unwrap();
    stage::silent(&mut page);
}

#[test]
fn a_phone_shows_everything() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.page();
    page.resize(390, 844, true).unwrap();
    for address in [
        "?game=connect4&view=explore&moves=4,4",
        "?game=tictactoe&first=human&second=perfect",
        "?game=chess:KQK&position=8/8/8/3k4/8/8/8/KQ6+w+-+-+0+1&view=explore",
        "?game=pig:50&view=explore",
        "?game=nim:3%2B4%2B5&view=explore",
        "?game=tictactoe&view=puzzle&seed=3",
        "?game=hypergammon&first=human&second=random",
    ] {
        page.go(&stage.address(address)).unwrap();
        page.wait("outplay.view", address).unwrap();
        let wide = page.eval("document.documentElement.scrollWidth").unwrap();
        assert!(wide.as_u64().unwrap() <= 390, "{address} is {wide} pixels wide");
        let board = page.eval("document.querySelector('#board').getBoundingClientRect().width").unwrap();
        assert!(board.as_f64().unwrap() >= 330.0, "{address}: the board has {board} of 390 pixels");
        let small = page.eval(
            "[...document.querySelectorAll('.bar button, .controls button, .side .actions button, .moves button')] \
             .filter((button) => button.offsetParent && button.getBoundingClientRect().height < 43.5).map((button) => button.textContent).join('|')",
        ).unwrap();
        assert_eq!(small, "", "{address}: too small for a thumb");
    }
    // A thumb plays.
    page.go(&stage.address("?game=tictactoe&view=explore")).unwrap();
    page.click("[data-spot='4']").unwrap();
    page.wait("outplay.moves.join() === 'b2'", "the touched cell").unwrap();
    page.click("#game").unwrap();
    page.wait("document.querySelector('dialog.choose[open]')", "the sheet").unwrap();
    let wide = page.eval("document.querySelector('#dialog').scrollWidth").unwrap();
    assert!(wide.as_u64().unwrap() <= 390, "the sheet is {wide} pixels wide");
    stage::silent(&mut page);
}

#[test]
fn puzzles_are_solved_and_mistakes_tried_again() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.open("?game=tictactoe&view=puzzle&seed=5");
    page.wait("outplay.puzzle", "a puzzle").unwrap();
    let wrong = "`[data-spot='${outplay.view.scene.moves.find((known) => known.move !== outplay.puzzle.solution).path[0]}']`";
    let wrong = page.eval(wrong).unwrap();
    page.click(wrong.as_str().unwrap()).unwrap();
    page.wait("document.querySelector('#puzzle .wrong').textContent.includes('not the solution')", "no")
        .unwrap();
    let right = "`[data-spot='${outplay.view.scene.moves.find((known) => known.move === outplay.puzzle.steps[outplay.puzzle.at].move).path[0]}']`";
    while page.eval("outplay.puzzle.solved").unwrap() == false {
        page.wait("outplay.live && !outplay.puzzle.waiting", "the reader's turn").unwrap();
        let (at, spot) = (page.eval("outplay.puzzle.at").unwrap(), page.eval(right).unwrap());
        page.click(spot.as_str().unwrap()).unwrap();
        page.wait(&format!("outplay.puzzle.at > {at} && !outplay.puzzle.waiting"), "yes").unwrap();
    }
    page.wait("document.querySelector('#puzzle .right')", "solved").unwrap();
    assert_eq!(page.eval("new URLSearchParams(location.search).get('seed')").unwrap(), "5");

    // The second player answers the corner at the edge and loses: that is the mistake to find again.
    page.go(&stage.address("?game=tictactoe&view=explore&moves=a1,b1,b2,c3")).unwrap();
    page.wait(
        "outplay.answer && document.querySelector('.ply.mistake') && document.querySelector('#retry')",
        "the mistake in the history",
    )
    .unwrap();
    page.click("#retry").unwrap();
    page.wait(
        "outplay.state.view === 'retry' && outplay.moves.join() === 'a1' && outplay.live",
        "the position before the mistake",
    )
    .unwrap();
    page.click("[data-spot='4']").unwrap();
    page.wait("outplay.retried?.right", "the centre, which holds the draw").unwrap();
    stage::silent(&mut page);
}

#[test]
fn players_are_chosen_and_sides_swapped() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.open("?game=tictactoe&first=human&second=human");
    page.click("#second-computer").unwrap();
    page.wait("outplay.state.second !== 'human' && document.querySelector('#second-level')", "a level")
        .unwrap();
    page.eval("document.querySelector('#second-level').focus()").unwrap();
    page.press("End").unwrap();
    page.wait("outplay.state.second === 'perfect'", "the strongest level").unwrap();
    page.click("[data-spot='4']").unwrap();
    page.wait("outplay.moves.length === 2 && outplay.live", "an answer").unwrap();
    page.click("[data-do=swap]").unwrap();
    page.wait(
        "outplay.state.first === 'perfect' && outplay.moves.length === 3 && outplay.live",
        "the other side",
    )
    .unwrap();
    page.click("[data-do=undo]").unwrap();
    page.wait("outplay.moves.length === 1 && outplay.live", "one's own move taken back").unwrap();
    page.click("[data-do=hint]").unwrap();
    page.wait("document.querySelector('.ghost') && !document.querySelector('#toast').hidden", "a hint")
        .unwrap();
    // Two players of the program need nobody.
    page.go(&stage.address("?game=tictactoe&first=perfect&second=perfect")).unwrap();
    page.wait("outplay.over && outplay.view.outcome === 0", "a draw").unwrap();
    stage::silent(&mut page);
}

#[test]
fn a_small_game_is_solved_and_its_picture_downloaded() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.open("?game=mnk:3x2,k=2&view=explore");
    page.wait("outplay.answer && document.querySelector('#solve')", "values").unwrap();
    page.click("#solve").unwrap();
    page.wait("document.querySelector('#knowledge a[download]')", "the table").unwrap();
    page.wait("document.querySelector('#knowledge').textContent.includes('positions')", "its statistics")
        .unwrap();
    let kind = page.eval("fetch(document.querySelector('#knowledge a').href).then((reply) => reply.text()).then((text) => text.slice(0, 4))");
    assert_eq!(kind.unwrap(), "<svg");
    page.wait("outplay.answer?.source === 'table'", "values from the table").unwrap();
    stage::silent(&mut page);
}

#[test]
fn why_is_told_and_drawn() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.open("?game=tictactoe&view=explore&moves=a1,b1");
    page.wait("outplay.answer", "values").unwrap();
    page.press("w").unwrap();
    page.wait("document.querySelector('.reason-words:not([hidden])')?.textContent.length > 10", "a sentence")
        .unwrap();
    page.wait("document.querySelectorAll('.over *').length > 0", "a drawing").unwrap();
    page.press("w").unwrap();
    page.wait("document.querySelector('.reason-words').hidden", "the end of the explanation").unwrap();
    stage::silent(&mut page);
}

/// Every family has a reason to tell beyond the verdict, and its own words for it.
#[test]
fn why_is_told_for_every_family() {
    let Some(stage) = Stage::set() else { return };
    for (address, words, drawn) in [
        ("?game=nim:3%2B4%2B5&view=explore", "nim-sum", "rect.reason.key"),
        ("?game=chess:KQK&position=k7/8/1K6/8/8/8/8/2Q5+w+-+-+0+1&view=explore", "stalemate", ".ghost line"),
        (
            "?game=morris:tapatan&view=explore&moves=b2,a1,c2",
            "threatens to close a line at a2",
            ".reason.block",
        ),
        ("?game=pig:20&position=5-5+A+6&view=explore", "loses the 6 points", ""),
        ("?game=einstein:3x3&view=explore&moves=2", "wins", ".ghost"),
        ("?game=connect4:5x4&view=explore&moves=3,1,3,1", "draw", ".ghost"),
    ] {
        let mut page = stage.open(address);
        page.wait("outplay.answer", address).unwrap();
        page.press("w").unwrap();
        let told = "document.querySelector('.reason-words:not([hidden])')?.textContent";
        page.wait(&format!("{told}?.includes('{words}')"), &format!("{address}: {words}")).unwrap();
        if !drawn.is_empty() {
            page.wait(&format!("document.querySelector('.over {drawn}')"), &format!("{address}: {drawn}"))
                .unwrap();
        }
        stage::silent(&mut page);
    }
}

/// A puzzle is never the start of the game, and its solution is the move it asks for.
#[test]
fn puzzles_of_every_family() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.page();
    for game in ["nim:3%2B4%2B5", "morris:tapatan", "chess:KQK", "connect4:5x4", "pig:20", "einstein:3x3"] {
        page.go(&stage.address(&format!("?game={game}&view=puzzle&seed=2"))).unwrap();
        page.wait("outplay.puzzle && outplay.view && outplay.live", game).unwrap();
        let start = page
            .eval("fetch(`/api/v1/view?game=${encodeURIComponent(outplay.state.game)}`).then((reply) => reply.json()).then((view) => view.position)")
            .unwrap();
        assert_ne!(page.eval("outplay.puzzle.position").unwrap(), start, "{game}");
        let known = page.eval("fetch(`/api/v1/position?game=${encodeURIComponent(outplay.puzzle.game)}&position=${encodeURIComponent(outplay.puzzle.position)}`).then((reply) => reply.json()).then((answer) => answer.best.join())").unwrap();
        assert_eq!(page.eval("outplay.puzzle.solution").unwrap(), known, "{game}");
        page.press("m").unwrap();
        let solution = page.eval("outplay.puzzle.solution").unwrap();
        page.type_text(solution.as_str().unwrap()).unwrap();
        page.press("Enter").unwrap();
        page.wait("outplay.puzzle.at === 1", &format!("{game}: the solution {solution}")).unwrap();
    }
    // What is asked for in a chess ending is a mate, in the words of chess.
    page.go(&stage.address("?game=chess:KQK&view=puzzle&seed=2")).unwrap();
    page.wait(
        "document.querySelector('#puzzle h2')?.textContent.includes('White to move: mate in')",
        "a mate",
    )
    .unwrap();
    page.troubles();
}

#[test]
fn positions_and_moves_are_pasted() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.open("?game=connect4:5x4&view=explore");
    page.press("c").unwrap();
    page.fill("#share-moves", "3312").unwrap();
    page.press("Enter").unwrap();
    page.wait("outplay.moves.join() === '3,3,1,2' && !document.querySelector('#dialog').open", "the moves")
        .unwrap();
    page.press("c").unwrap();
    page.fill("#share-position", "...../...../..o../..x..").unwrap();
    page.press("Enter").unwrap();
    page.wait(
        "outplay.view.position === '...../...../..o../..x..' && !document.querySelector('#dialog').open",
        "the position",
    )
    .unwrap();
    page.press("c").unwrap();
    page.fill("#share-position", "nonsense").unwrap();
    page.press("Enter").unwrap();
    page.wait("document.querySelector('.share .wrong').textContent.length > 10", "the reason").unwrap();
}

#[test]
fn without_its_server_the_board_stays() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.open("?game=tictactoe&view=explore");
    page.wait("outplay.answer", "values").unwrap();
    page.offline(true).unwrap();
    page.click("[data-spot='4']").unwrap();
    page.wait("!document.querySelector('#reach').hidden", "reconnecting").unwrap();
    assert_eq!(page.eval("document.querySelectorAll('.board-host .spot').length").unwrap(), 9);
    page.offline(false).unwrap();
    page.wait(
        "document.querySelector('#reach').hidden && outplay.moves.join() === 'b2' && outplay.answer",
        "the move, later",
    )
    .unwrap();
    // What failed while the server was away is in the log, as it should be.
    page.troubles();
}

#[test]
fn leaving_the_page_stops_the_work() {
    let Some(stage) = Stage::set() else { return };
    // Far beyond what a search finishes in the time of this test.
    let mut page = stage.open("?game=connect4:9x8&view=explore");
    let health = |page: &mut Page| {
        page.eval(
            "fetch('/healthz').then((reply) => reply.json()).then((load) => load.searches + load.waiting)",
        )
    };
    page.wait("outplay.progress", "a search").unwrap();
    page.go(&stage.address("?game=tictactoe")).unwrap();
    for _ in 0..200 {
        if health(&mut page).unwrap() == 0 {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("the search goes on although nobody looks at it");
}

#[test]
fn addresses_and_painted_boards_read_back() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.open("?game=tictactoe");
    let odd = page.eval(
        "import('/link.js').then(({ read, write }) => [
            { game: 'nim:3+4+5', position: '0+2+2 A', moves: ['2-1'], at: null, first: 'human', second: 'perfect', view: 'play', values: null, seed: '', extra: {} },
            { game: 'mnk:5x4,k=4,obstacles=c2+d3', position: '', moves: ['a1', 'b2'], at: 1, first: 'human', second: 'alphabeta:depth=4,eval=lines', view: 'play', values: true, seed: '', extra: {} },
            { game: 'chess:KQKR', position: '8/8/8/3k4/8/1r6/8/K5Q1 w - - 0 1', moves: ['g1g8'], at: 0, first: 'human', second: 'random', view: 'play', values: false, seed: '', extra: {} },
            { game: 'hypergammon', position: 'bar+6+off 12+5+1 B 3-1', moves: [], at: null, first: 'a&b', second: 'ü % ?', view: 'play', values: null, seed: '', extra: {} },
        ].filter((state) => JSON.stringify(read(write(state))) !== JSON.stringify(state)).map((state) => write(state)))",
    );
    assert_eq!(odd.unwrap(), serde_json::json!([]), "addresses that read back as something else");
    let run_together = "import('/link.js').then(({ read }) => ['?pos=4453', '?game=connect4:6x5&moves=3312', '?game=connect:12x8,k=5&moves=12,3'] \
         .map((address) => read(address).moves.join(' ')).join('; '))";
    assert_eq!(page.eval(run_together).unwrap(), "4 4 5 3; 3 3 1 2; 12 3");
    let odd = page.eval(
        "import('/paint.js').then(({ parseBoard, writeBoard }) => ['mnk:5x4,k=4,obstacles=c2+d3', 'connect4:6x5,obstacles=a1,x=b1,o=c1,turn=o', \
         'connect:9x7,k=5,misere', 'mnk:12x2,k=3,x=a1+l2'].filter((spec) => writeBoard(parseBoard(spec)) !== spec))",
    );
    assert_eq!(odd.unwrap(), serde_json::json!([]), "boards that are written as something else");
}

#[test]
fn light_and_dark_and_names_for_readers() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.page();
    let mut grounds = Vec::new();
    for scheme in ["light", "dark"] {
        page.colours(scheme).unwrap();
        page.go(&stage.address("?game=tictactoe&view=explore")).unwrap();
        grounds.push(page.eval("getComputedStyle(document.body).backgroundColor").unwrap());
    }
    assert_ne!(grounds[0], grounds[1]);
    page.wait("outplay.answer", "values").unwrap();
    let nameless = page.eval(
        "[...document.querySelectorAll('button, a, input, [role=button], [role=img]')] \
         .filter((element) => !(element.textContent.trim() || element.ariaLabel || element.getAttribute('aria-label') || element.labels?.length)) \
         .map((element) => element.outerHTML.slice(0, 80)).join(' ')",
    ).unwrap();
    assert_eq!(nameless, "", "everything that can be used has a name");
    let label = page.eval("document.querySelector(\"[data-spot='4']\").getAttribute('aria-label')").unwrap();
    assert_eq!(label, "b2, empty, draw in 5 moves, best");
    assert_eq!(page.eval("document.querySelector('#live').getAttribute('aria-live')").unwrap(), "polite");
}
