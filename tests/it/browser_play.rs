//! Playing on the page: legal targets are highlighted, illegal clicks are explained, turns are shown, games are stored.
//! Interactive requests never wait for analysis.

use crate::stage;

use outplay_browser::Page;
use stage::Stage;

/// The spots of a move of the hand, step by step, or a button; rules are all that this player knows.
const NEXT: &str = "(() => {
    const { scene } = outplay.view;
    const list = scene.moves;
    const gesture = list[(outplay.moves.length * 7 + 3) % list.length];
    const way = gesture.ways?.length ? gesture.ways[gesture.ways.length - 1] : gesture.path;
    const twins = gesture.ways?.length ? [] : list.filter((other) => other.path.join() === gesture.path.join());
    return way.length
        ? way.map((spot) => `#board [data-spot='${spot}']`).concat(twins.length > 1 ? [`.choices [data-move='${gesture.move}']`] : [])
        : [`.moves-beside [data-move='${gesture.move}']`];
})()";

const SETTLED: &str = "outplay.view && !outplay.thinking && (outplay.over || outplay.live)";

/// A tab at a screen where dice and computers do not pause.
fn quick(stage: &Stage, address: &str) -> Page {
    let mut page = stage.open(address);
    page.eval("outplay.turns.pace = 0").unwrap();
    page
}

fn told(page: &mut Page, script: &str) -> String {
    page.eval(script).unwrap().as_str().unwrap_or_default().to_string()
}

/// Plays with the mouse alone until the game is over.
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

/// The first screen tells the truth about a game at once, and offers the others.
#[test]
fn the_first_screen_tells_the_truth_and_shows_the_games() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.open("");
    page.wait("document.querySelectorAll('.score').length === 7", "seven scores").unwrap();
    page.wait("document.querySelector('h1').textContent === 'Solved: Yellow wins. Can you?'", "the truth")
        .unwrap();
    assert_eq!(told(&mut page, "document.querySelector('#game-name').textContent"), "Connect Four");
    assert!(told(&mut page, "document.querySelector('#game').title").starts_with("connect4"));
    assert_eq!(page.eval("document.querySelectorAll('.game-card svg').length").unwrap(), 8);
    // What is known of other games comes from the solvers, when nobody waits.
    let badge = "document.querySelector('[data-game=tictactoe] .result').textContent";
    page.wait(&format!("{badge} === 'a draw'"), "what is known of tic-tac-toe").unwrap();
    page.wait(
        "document.querySelector(\"[data-game='nim:3+4+5'] .result\").textContent === 'Yellow wins in 5 moves'",
        "nim",
    )
    .unwrap();
    // One's own game begins, and the values hide.
    page.click("#board [data-spot='21']").unwrap();
    page.wait("outplay.moves.length >= 2 && outplay.live && !outplay.valuesShown", "a game").unwrap();
    assert_eq!(page.eval("outplay.state.view").unwrap(), "play");
    page.go(&stage.address("")).unwrap();
    page.wait(
        "document.querySelector('.recent a')?.textContent.startsWith('Connect Four')",
        "the game before",
    )
    .unwrap();
    page.click("[data-game='nim:3+4+5']").unwrap();
    page.wait("outplay.view.game === 'nim:3+4+5' && outplay.live", "another game").unwrap();
    stage::silent(&mut page);
}

/// Men that can move say so, their goals light up, drags play, and wrong clicks get a word.
#[test]
fn what_can_be_moved_says_so_and_wrong_clicks_are_answered() {
    let Some(stage) = Stage::set() else { return };
    let mut page =
        stage.open("?game=chess:KQKR&position=8/8/8/3k4/8/1r6/8/K5Q1+w+-+-+0+1&first=human&second=human");
    page.wait("outplay.live", "a turn").unwrap();
    assert_eq!(page.eval("document.querySelectorAll('.spot.can').length").unwrap(), 2, "king and queen");
    page.click("[data-spot='6']").unwrap();
    let goals = page.eval("outplay.view.scene.moves.filter((known) => known.path[0] === 6).length").unwrap();
    assert_eq!(page.eval("document.querySelectorAll('.spot.target').length").unwrap(), goals);
    assert!(page.eval("document.querySelectorAll('.hint-free').length").unwrap().as_u64().unwrap() > 5);
    let word = "document.querySelector('#board .word').textContent";
    page.click("[data-spot='63']").unwrap();
    assert_eq!(told(&mut page, word), "The queen cannot go to h8.");
    page.wait("document.querySelector(\"[data-spot='63']\").classList.contains('shakes')", "a shake")
        .unwrap();
    page.click("[data-spot='35']").unwrap();
    assert_eq!(told(&mut page, word), "That is Black’s king.");
    page.drag("#board [data-spot='6']", "#board [data-spot='62']").unwrap();
    page.wait("outplay.moves.join() === 'g1g8'", "the dragged queen").unwrap();
    page.wait("document.querySelector(\"[data-spot='62'] .stone.slides\")", "a man that slides").unwrap();
    page.wait("document.querySelectorAll('.spot.last').length === 2", "where it came from and went").unwrap();
    // Black men stay black and white men white, also in the dark.
    for scheme in ["light", "dark"] {
        page.colours(scheme).unwrap();
        let fill = |page: &mut Page, side: &str| {
            told(page, &format!("getComputedStyle(document.querySelector('.man.{side}')).fill"))
        };
        assert_eq!(fill(&mut page, "second"), "rgb(35, 39, 45)", "{scheme}");
        assert_eq!(fill(&mut page, "first"), "rgb(255, 253, 247)", "{scheme}");
    }
    page.colours("light").unwrap();

    // Connect Four: seven buttons, a ghost of the stone to be, a word for a full column.
    page.go(&stage.address("?game=connect4&first=human&second=human&moves=444444")).unwrap();
    page.wait("outplay.live", "a turn").unwrap();
    assert_eq!(page.eval("document.querySelectorAll('#board svg [role=button]').length").unwrap(), 7);
    page.hover("#board [data-spot='5']").unwrap();
    page.wait("document.querySelector('.hover-man .disc.first')", "a ghost").unwrap();
    page.click("#board [data-spot='20']").unwrap();
    assert_eq!(told(&mut page, word), "Column 4 is full.");
    assert_eq!(page.eval("outplay.moves.length").unwrap(), 6);
    page.click("#board [data-spot='5']").unwrap();
    page.wait("document.querySelector(\"[data-spot='0'] .stone.falls\")", "a stone that falls").unwrap();

    // EinStein: only the cube that the die allows.
    page.go(&stage.address("?game=einstein:5x5&first=human&second=human&moves=5")).unwrap();
    page.wait("outplay.live", "a turn").unwrap();
    assert_eq!(
        told(&mut page, "[...document.querySelectorAll('.spot.can')].map((spot) => spot.textContent).join()"),
        "5"
    );
    page.click("#board [data-spot='0']").unwrap();
    assert_eq!(told(&mut page, word), "The die shows 5: only cube 5 may move.");
    assert!(
        page.eval("document.querySelectorAll('.facts .pip').length").unwrap() == 5,
        "a die with its face"
    );
    assert_eq!(page.eval("document.querySelectorAll('.goal').length").unwrap(), 2);

    // Nobody but the player to move may touch the board, and it says so.
    page.go(&stage.address("?game=tictactoe&first=human&second=human&moves=a1,b1,a2,b2,a3")).unwrap();
    page.wait("outplay.over", "the end").unwrap();
    page.click("#board [data-spot='8']").unwrap();
    assert_eq!(told(&mut page, word), "The game is over.");
    // No two of what is read aloud overwrite each other.
    page.eval("import('/dom.js').then(({ announce }) => { announce('one'); announce('two'); })").unwrap();
    let heard = told(&mut page, "document.querySelector('#live').innerText");
    assert!(heard.contains("one") && heard.contains("two"), "{heard}");
    stage::silent(&mut page);
}

#[test]
fn hypergammon_is_played_step_by_step_to_the_end() {
    let Some(stage) = Stage::set() else { return };
    let mut page = quick(&stage, "?game=hypergammon&first=human&second=human&moves=6-5");
    page.wait("outplay.live", "a turn").unwrap();
    assert_eq!(
        page.eval("document.querySelectorAll('#board .die .pip').length").unwrap(),
        11,
        "six and five"
    );
    page.click("#board [data-spot='24']").unwrap();
    page.wait("document.querySelectorAll('.spot.target').length === 3", "18, 19 and 13").unwrap();
    page.click("#board [data-spot='18']").unwrap();
    page.wait("document.querySelectorAll('.die.used').length === 1 && document.querySelector(\"[data-spot='18'] .disc\")", "half a move")
        .unwrap();
    assert_eq!(page.eval("outplay.moves.length").unwrap(), 1, "the turn goes on");
    page.click("[data-step-back]").unwrap();
    page.wait("document.querySelectorAll('.die.used').length === 0 && document.querySelector(\"[data-spot='24'] .disc\")", "the step taken back")
        .unwrap();
    for spot in [24, 18, 18, 13] {
        page.click(&format!("#board [data-spot='{spot}']")).unwrap();
    }
    page.wait("outplay.moves[1] === '24/13'", "the whole move").unwrap();
    // A hop over a point is two steps in one.
    page.go(&stage.address("?game=hypergammon&first=human&second=human&moves=6-5")).unwrap();
    page.wait("outplay.live", "a turn").unwrap();
    page.drag("#board [data-spot='24']", "#board [data-spot='13']").unwrap();
    page.wait("outplay.moves[1] === '24/13'", "the hop").unwrap();
    // Checkers of one point stand on each other.
    page.go(
        &stage.address("?game=hypergammon&position=6%2B6%2B6+24%2B24%2B23+A+3-1&first=human&second=human")
    )
    .unwrap();
    page.wait("document.querySelectorAll(\"[data-spot='6'] .disc\").length === 3", "a stack of three")
        .unwrap();
    page.go(&stage.address("?game=hypergammon&first=human&second=random")).unwrap();
    page.eval("outplay.turns.pace = 0").unwrap();
    play_out(&mut page, 400);
    assert!(told(&mut page, "document.querySelector('h1').textContent").starts_with("You "));
    stage::silent(&mut page);
}

#[test]
fn einstein_and_pig_are_played_to_the_end_by_mouse() {
    let Some(stage) = Stage::set() else { return };
    let mut page = quick(&stage, "?game=einstein:4x4&first=human&second=random");
    play_out(&mut page, 200);
    page.go(&stage.address("?game=pig:20&first=human&second=greedy")).unwrap();
    page.eval("outplay.turns.pace = 0").unwrap();
    play_out(&mut page, 400);
    // Every step of a turn stands in the log, and the list of moves has a row for each turn.
    assert!(page.eval("document.querySelectorAll('#turns p').length").unwrap().as_u64().unwrap() >= 2);
    assert!(page.eval("document.querySelectorAll('.sheet .roll').length").unwrap().as_u64().unwrap() >= 2);

    // A computer's turn with dice is paced: between two of its steps there is a pause.
    page.go(&stage.address("?game=pig:50&first=human&second=perfect&moves=roll,5")).unwrap();
    page.wait("outplay.live", "a turn").unwrap();
    page.eval("(() => { window.waits = []; const wait = setTimeout; window.setTimeout = (act, ms, ...rest) => { window.waits.push(ms); return wait(act, Math.min(ms, 30), ...rest); }; })()")
        .unwrap();
    page.click(".moves-beside [data-move=hold]").unwrap();
    page.wait(
        "outplay.live && outplay.toMove === 'first' && outplay.moves.length > 4",
        "the computer's turn",
    )
    .unwrap();
    assert!(
        page.eval("window.waits.filter((ms) => ms === 900).length").unwrap().as_u64().unwrap() >= 2,
        "paced"
    );
    let log = told(&mut page, "document.querySelector('#turns').innerText");
    assert!(log.contains("Red"), "{log}");
    stage::silent(&mut page);
}

#[test]
fn morris_and_a_chess_ending_are_played_to_the_end_by_mouse() {
    let Some(stage) = Stage::set() else { return };
    let mut page = quick(&stage, "?game=morris:six,men=3&first=human&second=perfect");
    play_out(&mut page, 200);
    // A closed line asks for a man to be taken.
    page.go(&stage.address("?game=morris:six,men=4&first=human&second=human&moves=a1,e5,c1,e3")).unwrap();
    page.wait("outplay.live", "a turn").unwrap();
    page.click("#board [data-spot='2']").unwrap();
    page.wait("document.querySelector('#board .word').textContent.includes('take one')", "a man to take")
        .unwrap();
    let taken = page.eval("document.querySelectorAll('.hint-taking').length").unwrap();
    assert!(taken.as_u64().unwrap() >= 1, "men to be taken have a ring");
    page.click("#board .spot.target").unwrap();
    page.wait("outplay.moves.length === 5 && outplay.moves[4].includes('x')", "the man taken").unwrap();
    page.go(
        &stage.address("?game=chess:KQK&position=8/8/8/3k4/8/8/8/KQ6+w+-+-+0+1&first=perfect&second=human")
    )
    .unwrap();
    page.eval("outplay.turns.pace = 0").unwrap();
    play_out(&mut page, 30);
    page.wait("document.querySelector('h1').textContent === 'You lose'", "the mate").unwrap();
    page.wait("document.querySelector('.spot.decisive')", "the king that is mated").unwrap();
    stage::silent(&mut page);
}

/// Piles keep their places, the matches that would go are marked, and those that went leave a shadow.
#[test]
fn matches_stay_where_they_lie() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.open("?game=nim:3%2B4%2B5&first=human&second=human");
    page.wait("outplay.live", "a turn").unwrap();
    // The third match of the pile of five: three go.
    let fifth = "`#board [data-spot='${outplay.board.scene.spots.findIndex((spot) => spot.x === 2 && spot.y === 2)}']`";
    let spot = told(&mut page, fifth);
    page.hover(&spot).unwrap();
    page.wait("document.querySelectorAll('.spot.going').length === 3", "three matches that would go")
        .unwrap();
    assert_eq!(told(&mut page, "document.querySelector('#board .word').textContent"), "Take 3.");
    page.click(&spot).unwrap();
    page.wait("outplay.moves.join() === '5-3'", "three taken").unwrap();
    let counts = "[...document.querySelectorAll('.count-below')].map((text) => text.textContent).join()";
    page.wait(&format!("{counts} === '3,4,2'"), "piles in their places").unwrap();
    assert_eq!(
        page.eval("document.querySelectorAll('.spot.gone').length").unwrap(),
        3,
        "what was taken is still seen"
    );
    stage::silent(&mut page);
}

/// Moves are listed with signs, branches are kept, and all of it can be taken along.
#[test]
fn moves_are_listed_with_signs_and_branches() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.open("?game=tictactoe&view=explore&moves=a1,b1,b2,c3");
    page.wait(
        "[...document.querySelectorAll('.sheet .glyph')].some((sign) => sign.textContent === '?')",
        "a mistake",
    )
    .unwrap();
    let mistake =
        told(&mut page, "document.querySelector('.sheet .glyph.bad').closest('button').dataset.ply");
    assert_eq!(mistake, "2", "the edge is the mistake");
    page.click(".sheet [data-ply='2']").unwrap();
    page.wait("outplay.moves.join() === 'a1,b1' && !outplay.stale && outplay.live", "the list leads there")
        .unwrap();
    page.click("#board [data-spot='8']").unwrap();
    page.wait("outplay.moves.length === 3 && document.querySelector('.sheet .branch')", "a branch").unwrap();
    assert!(told(&mut page, "document.querySelector('.sheet .branch').textContent").contains("b2 c3"));
    // What arrives above the list has arrived, so that it stays under the pointer.
    page.wait(
        "outplay.answer && !outplay.stale && !document.querySelector('#history .note').textContent.includes('Analysing')",
        "values",
    )
    .unwrap();
    page.click(".sheet .branch button").unwrap();
    page.wait("outplay.state.moves.join() === 'a1,b1,b2,c3' && outplay.moves.length === 3", "the branch")
        .unwrap();
    page.eval("(() => { window.kept = null; const make = URL.createObjectURL; URL.createObjectURL = (blob) => { blob.text().then((text) => (window.kept = JSON.parse(text))); return make.call(URL, blob); }; })()")
        .unwrap();
    page.click("#save-record").unwrap();
    page.wait("window.kept?.moves.join() === 'a1,b1,b2,c3' && window.kept.branches.length === 1 && window.kept.game === 'tictactoe'", "the record")
        .unwrap();
    page.eval(
        "navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }",
    )
    .unwrap();
    page.click("#copy-text").unwrap();
    page.wait("window.copied?.includes('1. a1 b1 2. b2 c3')", "the text").unwrap();

    // After a game one sentence says where it was decided, and how well it was played.
    page.go(&stage.address("?game=tictactoe&first=perfect&second=human&moves=a1,b1,b2,c3,a2,a3,c2")).unwrap();
    page.wait(
        "document.querySelector('#after').textContent.includes('turning point was move 1 (b1)')",
        "the turning point",
    )
    .unwrap();
    let story = told(&mut page, "document.querySelector('#after').textContent");
    assert!(
        story.contains("You lost.") && story.contains("Your accuracy: 67 %. 2 of 3 moves kept the value."),
        "{story}"
    );
    page.click("#rematch").unwrap();
    page.wait(
        "outplay.state.moves.length <= 1 && outplay.state.second === 'human' && outplay.live",
        "another game",
    )
    .unwrap();
    stage::silent(&mut page);
}

/// Links that are half wrong show what is right; players that do not exist do not stop the game.
#[test]
fn mistakes_of_others_do_not_stop_the_game() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.open("?game=tictactoe&view=explore&moves=a1,b2,z9,c3");
    page.wait("outplay.moves.join() === 'a1,b2' && outplay.live", "the moves that are legal").unwrap();
    assert!(
        told(&mut page, "document.querySelector('#trouble').textContent")
            .starts_with("Move 3, z9, is not legal here.")
    );
    page.go(&stage.address("?game=tictactoe&first=perfct&second=human")).unwrap();
    page.wait("outplay.moves.length === 1 && outplay.live", "a move of another player").unwrap();
    assert!(told(&mut page, "document.querySelector('#trouble').textContent").contains("perfct"));
    page.troubles();
    // Why has nothing to say while values are hidden.
    page.go(&stage.address("?game=tictactoe&first=human&second=human&moves=a1")).unwrap();
    page.wait("outplay.live", "a turn").unwrap();
    page.press("w").unwrap();
    page.wait("document.querySelector('#toast').textContent.includes('hidden')", "a word").unwrap();
    assert_eq!(page.eval("document.querySelectorAll('.over .reason, .over .ghost').length").unwrap(), 0);
    // The keyboard's ring lies above all cells.
    page.press("b").unwrap();
    page.press("ArrowRight").unwrap();
    page.wait("document.querySelector('.focus-ring')", "the ring").unwrap();
    let above = "[...document.querySelector('#board svg').children].findIndex((part) => part.querySelector('.focus-ring')) > \
                 [...document.querySelector('#board svg').children].findIndex((part) => part.matches('.spots'))";
    assert_eq!(page.eval(above).unwrap(), true);
    // When all moves tie, none has a ring; where they differ, the best do.
    page.go(&stage.address("?game=tictactoe&view=explore&moves=b2,a1")).unwrap();
    page.wait("outplay.answer && document.querySelectorAll('.mark .pill').length === 7", "values").unwrap();
    assert_eq!(page.eval("document.querySelectorAll('.mark .ring').length").unwrap(), 0);
    page.go(&stage.address("?game=tictactoe&view=explore&moves=b2")).unwrap();
    page.wait("document.querySelectorAll('.mark .ring').length === 4", "rings on the corners").unwrap();
    // A chess ending is put down without a wrong question, and a long history shows its end.
    page.go(&stage.address("?game=chess:KQKR&first=human&second=human")).unwrap();
    page.wait("outplay.live", "men").unwrap();
    let long = ["roll,2"; 12].join(",");
    page.go(&stage.address(&format!("?game=pig:50&view=explore&moves={long}"))).unwrap();
    page.wait("document.querySelectorAll('.ply').length === 25 && document.querySelector('#history .scroll').scrollLeft > 20", "the present")
        .unwrap();
    stage::silent(&mut page);
}

/// Phones, small windows and large letters.
#[test]
fn small_screens_cut_nothing() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.page();
    page.resize(390, 844, true).unwrap();
    page.go(&stage.address("?game=tictactoe&view=explore")).unwrap();
    page.wait("outplay.answer", "values").unwrap();
    let cut = "(() => {
        const board = document.querySelector('#board svg').getBoundingClientRect();
        const cells = [...document.querySelectorAll('#board .cell')].map((cell) => cell.getBoundingClientRect());
        return [...document.querySelectorAll('#board .coordinate')].filter((text) => {
            const box = text.getBoundingClientRect();
            const outside = box.left < board.left || box.right > board.right || box.bottom > board.bottom + 1 || box.top < board.top;
            return outside || cells.some((cell) => box.left < cell.right && box.right > cell.left && box.top < cell.bottom && box.bottom > cell.top);
        }).map((text) => text.textContent).join();
    })()";
    assert_eq!(told(&mut page, cut), "", "coordinates that are cut or covered");
    assert_eq!(page.eval("document.querySelector('#help').checkVisibility()").unwrap(), true);
    for width in [320, 360, 390] {
        page.resize(width, 700, true).unwrap();
        for address in [
            "?game=connect4&view=explore",
            "?game=hypergammon&view=explore&moves=6-5",
            "?game=pig:50&view=explore",
            "",
        ] {
            page.go(&stage.address(address)).unwrap();
            page.wait("outplay.view && (outplay.answer || outplay.values.guesses.length)", address).unwrap();
            let wide = page.eval("document.documentElement.scrollWidth").unwrap().as_u64().unwrap();
            assert!(wide <= width.into(), "{address} at {width}: {wide}");
            let cut = "[...document.querySelectorAll('.moves .value, .headline, h1, .tabs')].filter((text) => text.checkVisibility() && text.scrollWidth > text.clientWidth + 1).map((text) => text.textContent).join()";
            assert_eq!(told(&mut page, cut), "", "{address} at {width}: cut");
        }
    }
    // Cells too small for a thumb are shown larger first.
    page.resize(390, 844, true).unwrap();
    page.go(&stage.address("?game=mnk:19x19,k=5&first=human&second=human")).unwrap();
    page.wait("outplay.live", "a turn").unwrap();
    let tap = |page: &mut Page, spot: u32| {
        let place = page.eval(&format!("(() => {{ const cell = document.querySelector(\"#board [data-spot='{spot}']\"); cell.scrollIntoView({{ block: 'center' }}); const box = cell.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; }})()")).unwrap();
        let point = serde_json::json!([{ "x": place[0], "y": place[1] }]);
        page.call(
            "Input.dispatchTouchEvent",
            serde_json::json!({ "type": "touchStart", "touchPoints": point }),
        )
        .unwrap();
        page.call("Input.dispatchTouchEvent", serde_json::json!({ "type": "touchEnd", "touchPoints": [] }))
            .unwrap();
    };
    tap(&mut page, 180);
    page.wait("outplay.board.zoomed", "a larger board").unwrap();
    let side = page
        .eval("document.querySelector(\"#board [data-spot='180'] .cell\").getBoundingClientRect().width")
        .unwrap();
    assert!(side.as_f64().unwrap() >= 36.0, "{side}");
    tap(&mut page, 180);
    page.wait("outplay.moves.length === 1", "the touched cell").unwrap();
    stage::silent(&mut page);
}

/// Every game can be set up: men dragged, endings named, sides chosen, sizes and kinds picked.
#[test]
fn games_are_set_up_by_hand() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.open("?game=tictactoe");
    page.click("#game").unwrap();
    page.click("[data-card=chess]").unwrap();
    page.click("[data-ending=KRK]").unwrap();
    page.wait("document.querySelector('#spec-input').value === 'chess:KRK'", "an ending by its name")
        .unwrap();
    page.fill("#fen", "8/8/8/3k4/8/8/8/KQ6 w - - 0 1").unwrap();
    page.press("Enter").unwrap();
    page.wait("document.querySelector('#spec-input').value === 'chess:KQK'", "a pasted position").unwrap();
    page.drag("[data-square='1']", "[data-square='9']").unwrap();
    page.wait(
        "document.querySelector('#fen').value.startsWith('8/8/8/3k4/8/8/1Q6/K7 w')",
        "the dragged queen",
    )
    .unwrap();
    page.click("dialog [data-turn=b]").unwrap();
    page.click("#accept").unwrap();
    page.wait("outplay.view?.position === '8/8/8/3k4/8/8/1Q6/K7 b - - 0 1'", "the position").unwrap();
    page.click("#game").unwrap();
    page.click("[data-card=einstein]").unwrap();
    page.eval("[...document.querySelectorAll('.choices-grid button')].find((button) => button.textContent === '3 × 3').click()").unwrap();
    page.click("#accept").unwrap();
    page.wait("outplay.view?.game === 'einstein:3x3'", "EinStein's size").unwrap();
    page.click("#game").unwrap();
    page.click("[data-card=morris]").unwrap();
    page.eval("[...document.querySelectorAll('.choices-grid button')].find((button) => button.textContent.includes('8 lines')).click()").unwrap();
    page.click("#accept").unwrap();
    page.wait("outplay.view?.game === 'morris:three,lines=8'", "a kind of morris").unwrap();
    // Painted boards have a side to move.
    page.click("#game").unwrap();
    page.click("[data-card=mnk]").unwrap();
    page.click("dialog [data-turn=o]").unwrap();
    page.wait("document.querySelector('#spec-input').value.includes('turn=o')", "the side to move").unwrap();
    page.click("#accept").unwrap();
    page.wait("outplay.view?.to_move === 'second'", "the second player's turn").unwrap();
    stage::silent(&mut page);
}

/// Where exact values are out of reach there are opinions, marked; and what somebody waits for comes before them.
#[test]
fn opinions_are_marked_and_hints_come_first() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.open("?game=mnk:15x15,k=5&view=explore&moves=h8,i9");
    page.wait("document.querySelectorAll('.moves .badge.guess').length >= 20", "opinions").unwrap();
    assert!(told(&mut page, "document.querySelector('.moves .value').textContent").starts_with('≈'));
    assert!(told(&mut page, "document.querySelector('.summary').textContent").contains("not known"));
    assert!(
        page.eval("document.querySelectorAll('.moves li').length").unwrap().as_u64().unwrap() <= 60,
        "grouped"
    );
    assert!(page.eval("document.querySelectorAll('.pill.guess').length").unwrap().as_u64().unwrap() >= 3);
    page.press("h").unwrap();
    page.wait("document.querySelector('#toast').textContent.startsWith('Hint:')", "a hint").unwrap();
    page.wait("outplay.progress || outplay.answer", "the analysis goes on").unwrap();
    // Too large a game is not offered to be solved.
    page.wait("document.querySelector('#knowledge').textContent.includes('too many') || document.querySelector('#knowledge').textContent.includes('Too many')", "no offer")
        .unwrap();
    assert_eq!(page.eval("document.querySelector('#solve')").unwrap(), serde_json::Value::Null);
    page.go(&stage.address("?game=hypergammon&view=explore&moves=6-5")).unwrap();
    page.wait("document.querySelectorAll('.moves .badge.guess').length >= 5", "opinions on a race").unwrap();
    page.wait("document.querySelector('.headline').textContent.includes('≈')", "an opinion of the whole")
        .unwrap();
    stage::silent(&mut page);
}

/// A solve that was begun on the page ends with it, unless it was told to stay.
#[test]
fn a_solve_ends_with_its_tab() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.open("?game=connect4:5x5&view=explore");
    page.wait("document.querySelector('#solve')", "the offer").unwrap();
    page.eval(stage::SLOW_SOLVES).unwrap();
    page.eval("document.querySelector('#solve').click()").unwrap();
    page.wait("document.querySelector('#knowledge progress')", "a solve").unwrap();
    page.go(&stage.address("?game=tictactoe")).unwrap();
    let state = "(async () => { for (let id = 1; id < 60; id += 1) { const reply = await fetch(`/api/v1/solve/${id}`); if (!reply.ok) return; const job = await reply.json(); if (job.game === 'connect4:5x5') { window.job = job.state; return; } } })()";
    for _ in 0..300 {
        page.eval(state).unwrap();
        let now = told(&mut page, "window.job ?? ''");
        assert_ne!(now, "done", "it went on without its tab, or was too quick for this test");
        if now == "cancelled" {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("the solve goes on although its tab is gone");
}
