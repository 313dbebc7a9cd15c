//! A visit to the page: the first minute, the words, what is kept and asked, phones, hints, slow and missing networks,
//! paper and projectors.

use crate::serve::Server;
use crate::stage::{self, Stage};
use outplay_browser::Page;
use serde_json::json;

fn text(page: &mut Page, script: &str) -> String {
    page.eval(script).unwrap().as_str().unwrap_or_default().to_string()
}

fn number(page: &mut Page, script: &str) -> f64 {
    page.eval(script).unwrap().as_f64().unwrap_or_else(|| panic!("no number: {script}"))
}

/// Where an element is: left, top, right, bottom, in pixels of the window.
fn edges(page: &mut Page, selector: &str) -> [f64; 4] {
    let quoted = json!(selector);
    let script = format!(
        "(() => {{ const {{ left, top, right, bottom }} = document.querySelector({quoted}).getBoundingClientRect(); \
         return [left, top, right, bottom]; }})()"
    );
    let found = page.eval(&script).unwrap();
    [0, 1, 2, 3].map(|i| found[i].as_f64().unwrap())
}

/// Words that players do not use, as far as they are visible on the screen.
const STRANGE: &str = "(document.querySelector('#screen').innerText.match(/\\b(?:plies|ply|First|Second|first player|second player)\\b/g) ?? []).join()";

/// A touch of the middle of an element, as a thumb does it, without scrolling to it.
fn tap(page: &mut Page, selector: &str) {
    let [left, top, right, bottom] = edges(page, selector);
    let point = json!([{ "x": f64::midpoint(left, right), "y": f64::midpoint(top, bottom) }]);
    page.call("Input.dispatchTouchEvent", json!({ "type": "touchStart", "touchPoints": point })).unwrap();
    page.call("Input.dispatchTouchEvent", json!({ "type": "touchEnd", "touchPoints": [] })).unwrap();
}

fn slow(page: &mut Page, latency: u32, bytes: i64) {
    let wire = json!({ "offline": false, "latency": latency, "downloadThroughput": bytes, "uploadThroughput": bytes });
    page.call("Network.emulateNetworkConditions", wire).unwrap();
}

/// The first screen says what the site is, what the numbers mean and how to begin, and shows other games at once.
#[test]
fn the_first_minute_explains_itself() {
    let Some(stage) = Stage::set() else { return };
    for look in ["light", "dark"] {
        let mut page = stage.page();
        page.colours(look).unwrap();
        page.resize(1920, 1080, false).unwrap();
        page.go(&stage.address("")).unwrap();
        page.wait("document.querySelectorAll('.score').length === 7", "seven scores").unwrap();
        assert!(text(&mut page, "document.querySelector('.tagline').innerText").contains("Board games"));
        assert_eq!(text(&mut page, "document.querySelector('#play-first').innerText"), "Play yellow");
        assert_eq!(text(&mut page, "document.querySelector('#play-second').innerText"), "Play red");
        let legend = text(&mut page, "document.querySelector('#welcome .value-legend').innerText");
        for words in ["+1", "Yellow wins with its last stone", "−1", "Red wins with its last stone", "a draw"]
        {
            assert!(legend.contains(words), "{words}: {legend}");
        }
        for selector in ["#play-first", "#welcome .value-legend", ".game-card:last-child", "#board svg"] {
            let [left, _, right, bottom] = edges(&mut page, selector);
            assert!(
                bottom <= 1080.0 && left >= 0.0 && right <= 1920.0,
                "{selector} ends at {right}, {bottom}"
            );
        }
        assert_eq!(number(&mut page, "document.querySelectorAll('.game-card').length"), 8.0);
        // One verdict: the headline. The card with the same words, and a second list, are not there.
        assert_eq!(
            text(&mut page, "document.querySelector('h1').innerText"),
            "Solved: Yellow wins. Can you?"
        );
        assert_eq!(page.eval("document.querySelector('#verdict').checkVisibility()").unwrap(), false);
        assert_eq!(text(&mut page, STRANGE), "");
        // The big button starts a game, and the board stays where it is.
        let before = edges(&mut page, "#board svg");
        page.click("#play-first").unwrap();
        page.wait("outplay.state.view === 'play' && outplay.live && !outplay.valuesShown", "a game").unwrap();
        assert_eq!(edges(&mut page, "#board svg"), before, "the board moved");
        assert_eq!(page.eval("document.querySelector('#welcome').hidden").unwrap(), true);
        stage::silent(&mut page);
    }
    // The other side is offered, too: the computer begins.
    let mut page = stage.open("");
    page.click("#play-second").unwrap();
    page.wait("outplay.state.second === 'human' && outplay.moves.length === 1 && outplay.live", "its move")
        .unwrap();
    stage::silent(&mut page);
}

/// Players are called by their colours, and distances are moves.
#[test]
fn words_are_moves_and_colours() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.page();
    for (address, headline) in [
        ("?game=connect4:5x4&view=explore&moves=3", "Draw"),
        ("?game=tictactoe&view=explore&moves=a1,b1", "X wins"),
        ("?game=nim:3%2B4%2B5&view=explore", "Yellow wins in 5 moves"),
        ("?game=morris:tapatan&view=explore&moves=b2,a1,c2", "Yellow"),
        ("?game=chess:KQKR&position=8/8/8/3k4/8/1r6/8/K5Q1+w+-+-+0+1&view=explore", "White wins"),
        ("?game=pig:20&view=explore", "Yellow wins"),
    ] {
        page.go(&stage.address(address)).unwrap();
        page.wait("outplay.answer", address).unwrap();
        let shown = text(&mut page, "document.querySelector('.headline').innerText");
        assert!(shown.starts_with(headline), "{address}: {shown}");
        page.press("w").unwrap();
        page.wait("outplay.reasons", "a reason").unwrap();
        assert_eq!(text(&mut page, STRANGE), "", "{address}");
    }
    // The value of a move stands on the board and in one list, not twice in a row.
    page.go(&stage.address("?game=connect4&view=explore")).unwrap();
    page.wait("document.querySelectorAll('.score').length === 7", "seven scores").unwrap();
    let row = text(&mut page, "document.querySelector('.moves .value').innerText");
    assert_eq!(row, "win in 21 moves");
    page.click(".meaning summary").unwrap();
    page.wait("document.querySelector('.meaning .value-legend').checkVisibility()", "the legend").unwrap();
    stage::silent(&mut page);
}

/// The value bar is as tall as the board and has the colours of the men.
#[test]
fn the_bar_belongs_to_the_board() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.page();
    for (address, upper, lower) in [
        ("?game=connect4&view=explore&moves=4,4", "rgb(214, 69, 93)", "rgb(242, 189, 58)"),
        (
            "?game=chess:KQKR&position=8/8/8/3k4/8/1r6/8/K5Q1+w+-+-+0+1&view=explore",
            "rgb(35, 39, 45)",
            "rgb(255, 253, 247)",
        ),
        ("?game=einstein:3x3&view=explore&moves=2", "rgb(214, 69, 93)", "rgb(242, 189, 58)"),
    ] {
        for (width, phone) in [(1280, false), (390, true)] {
            page.resize(width, 844, phone).unwrap();
            page.go(&stage.address(address)).unwrap();
            page.wait("outplay.answer && !document.querySelector('#bar.absent')", address).unwrap();
            let [_, top, right, bottom] = edges(&mut page, "#bar");
            let board = edges(&mut page, "#board svg");
            assert!((top - board[1]).abs() < 1.0 && (bottom - board[3]).abs() < 1.0, "{address} at {width}");
            assert!(right <= f64::from(width), "{address}: the bar ends at {right} of {width}");
            let colour = |page: &mut Page, part: &str| {
                text(page, &format!("getComputedStyle(document.querySelector('{part}')).backgroundColor"))
            };
            assert_eq!(colour(&mut page, "#bar"), upper, "{address}");
            assert_eq!(colour(&mut page, "#bar .share"), lower, "{address}");
        }
    }
    stage::silent(&mut page);
}

/// Moves of chess are written as players write them, in every list, and may be typed so.
#[test]
fn chess_moves_are_written_in_algebraic_notation() {
    let Some(stage) = Stage::set() else { return };
    let start = "?game=chess:KQKR&position=8/8/8/3k4/8/1r6/8/K5Q1+w+-+-+0+1";
    let mut page = stage.open(&format!("{start}&view=explore&moves=g1g8,d5c5"));
    page.wait("outplay.answer", "values").unwrap();
    let listed = text(&mut page, "document.querySelector('.sheet').innerText");
    assert!(listed.contains("Qg8+") && listed.contains("Kc5") && !listed.contains("g1g8"), "{listed}");
    // The server's own notation agrees with the page's.
    let script = "import('/api.js').then(({ position }) => position(outplay.place)).then(({ moves }) => moves \
        .filter(({ move, san }) => san !== outplay.write([move])[0]).map(({ move, san }) => `${move} ${san}`).join())";
    assert_eq!(text(&mut page, script), "", "moves that the server writes otherwise");
    let rows = text(
        &mut page,
        "[...document.querySelectorAll('.moves .mv')].map((word) => word.innerText).join(' ')",
    );
    assert!(!rows.contains("g8c8") && rows.contains("Qc8+"), "{rows}");
    let line = text(&mut page, "document.querySelector('.line .step').innerText");
    assert!(line.starts_with(['K', 'Q']), "{line}");
    page.go(&stage.address(&format!("{start}&first=human&second=human"))).unwrap();
    page.wait("outplay.live", "a turn").unwrap();
    page.press("m").unwrap();
    page.type_text("Qg8").unwrap();
    page.press("Enter").unwrap();
    page.wait("outplay.moves.join() === 'g1g8'", "the typed queen").unwrap();
    stage::silent(&mut page);
}

/// Controls stay where they are when the computer answers, and numbers of moves are those of the list.
#[test]
fn nothing_jumps_and_numbers_agree() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.open("?game=connect4&first=human&second=random");
    page.wait("outplay.live", "a turn").unwrap();
    let before = edges(&mut page, ".controls");
    page.click("#board [data-spot='21']").unwrap();
    page.wait("outplay.moves.length >= 2 && outplay.live", "a reply").unwrap();
    page.wait("document.querySelector('#turns').textContent.includes('Red')", "its words").unwrap();
    assert_eq!(edges(&mut page, ".controls"), before, "the controls moved");

    // Move 13 of the game is number 7 of the list, wherever it is spoken of.
    let moves = "3,3,3,3,1,1,1,1,2,2,2,2,5,5";
    page.go(&stage.address(&format!("?game=connect4:5x4&view=explore&moves={moves}"))).unwrap();
    page.wait("document.querySelector('#history .note').textContent.includes('Mistake')", "mistakes")
        .unwrap();
    let listed = "(ply) => document.querySelector(`.sheet [data-ply='${ply}']`).closest('li').querySelector('.number').innerText";
    let wrong = format!(
        "outplay.parts.flatMap((part) => part.mistakes ?? []).slice(0, 6).filter((i) => ({listed})(i + 1) !== String(outplay.number(i)) \
         || !document.querySelector('#history .note').textContent.includes(`${{outplay.number(i)}} (${{outplay.written[i]}})`)).join()"
    );
    assert_eq!(text(&mut page, &wrong), "");
    // Numbers with a mark do not wrap.
    page.go(&stage.address(&format!("?game=pig:50&view=explore&moves={}", ["roll,1"; 14].join(","))))
        .unwrap();
    page.wait("document.querySelectorAll('.sheet .number').length === 14", "turns").unwrap();
    let tall = "Math.max(...[...document.querySelectorAll('.sheet .number')].map((number) => number.getBoundingClientRect().height))";
    assert!(number(&mut page, tall) < 30.0, "a number wraps");
    stage::silent(&mut page);
}

/// Puzzles leave the game alone, a running game is not discarded without a question, and letters can be switched off.
#[test]
fn a_running_game_is_kept() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.open("?game=tictactoe&first=human&second=human&moves=b2,a1,c3");
    page.wait("outplay.live", "a game").unwrap();
    let kept = "outplay.state.game === 'tictactoe' && outplay.moves.join() === 'b2,a1,c3' && !outplay.stale";
    for key in ["p", "e"] {
        page.press("z").unwrap();
        page.wait("outplay.state.view === 'puzzle' && outplay.puzzle", "a puzzle").unwrap();
        page.press(key).unwrap();
        page.wait(&format!("outplay.state.view !== 'puzzle' && {kept}"), "the game again").unwrap();
    }
    // Also after a reload, and by way of another place.
    page.press("z").unwrap();
    page.wait("outplay.state.view === 'puzzle' && outplay.puzzle", "a puzzle").unwrap();
    let here = text(&mut page, "location.href");
    page.go(&here).unwrap();
    page.wait("outplay.puzzle", "the puzzle again").unwrap();
    page.click(".tabs [data-view=learn]").unwrap();
    page.wait("document.querySelector('.lesson-card')", "lessons").unwrap();
    page.click(".tabs [data-view=play]").unwrap();
    page.wait(
        &format!("outplay.state.view === 'play' && {kept} && outplay.state.second === 'human'"),
        "the game",
    )
    .unwrap();

    page.press("n").unwrap();
    page.wait("document.querySelector('dialog.ask[open]')", "a question").unwrap();
    page.press("Escape").unwrap();
    page.wait("!document.querySelector('#dialog').open", "no").unwrap();
    assert_eq!(page.eval(kept).unwrap(), true);
    page.press("n").unwrap();
    page.click("#ask-yes").unwrap();
    page.wait("outplay.moves.length === 0 && outplay.live", "a new game").unwrap();
    // Without a move there is nothing to ask.
    page.press("n").unwrap();
    page.wait("!outplay.stale", "another one").unwrap();
    assert_eq!(page.eval("document.querySelector('#dialog').open").unwrap(), false);

    page.press("?").unwrap();
    page.click("#letters").unwrap();
    page.press("Escape").unwrap();
    let here = text(&mut page, "location.href");
    page.go(&here).unwrap();
    page.wait("outplay.live", "a turn").unwrap();
    for key in ["e", "v", "?", "z"] {
        page.press(key).unwrap();
    }
    assert_eq!(
        page.eval("outplay.state.view === 'play' && !document.querySelector('#dialog').open").unwrap(),
        true
    );
    page.click("#help").unwrap();
    page.wait("document.querySelector('#letters')?.checked === false", "the wish is kept").unwrap();
    page.click("#letters").unwrap();
    page.press("Escape").unwrap();
    page.press("e").unwrap();
    page.wait("outplay.state.view === 'explore'", "letters again").unwrap();
    stage::silent(&mut page);
}

/// On a phone, a zoom can be left, a tapped card starts its game, the level is near, and the review comes first.
#[test]
fn a_phone_has_its_own_layout() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.page();
    page.resize(390, 844, true).unwrap();
    page.go(&stage.address("")).unwrap();
    page.wait("document.querySelectorAll('.score').length === 7", "the first screen").unwrap();
    let [_, _, _, bottom] = edges(&mut page, "#play-first");
    assert!(bottom <= 844.0 - 56.0, "the button to begin ends at {bottom}");

    page.go(&stage.address("?game=mnk:15x15,k=5&first=human&second=human")).unwrap();
    page.wait("outplay.live", "a turn").unwrap();
    tap(&mut page, "#board [data-spot='112']");
    page.wait("outplay.board.zoomed", "a larger board").unwrap();
    // A drag moves the board and plays nothing.
    let view = "document.querySelector('#board svg').getAttribute('viewBox')";
    let seen = text(&mut page, view);
    let [left, top, right, bottom] = edges(&mut page, "#board svg");
    let (x, y) = (f64::midpoint(left, right), f64::midpoint(top, bottom));
    let touch = |page: &mut Page, kind: &str, points: serde_json::Value| {
        page.call("Input.dispatchTouchEvent", json!({ "type": kind, "touchPoints": points })).unwrap();
    };
    touch(&mut page, "touchStart", json!([{ "x": x, "y": y }]));
    for step in 1..=6 {
        touch(&mut page, "touchMove", json!([{ "x": x + 12.0 * f64::from(step), "y": y }]));
    }
    touch(&mut page, "touchEnd", json!([]));
    page.wait(&format!("{view} !== {}", json!(seen)), "the board moved").unwrap();
    assert_eq!(page.eval("outplay.moves.length === 0 && outplay.board.zoomed").unwrap(), true);
    // A tap right after a drag would only end its momentum.
    page.eval("new Promise((done) => setTimeout(done, 500))").unwrap();
    tap(&mut page, ".whole-board");
    page.wait(
        "!outplay.board.zoomed && !document.querySelector('.whole-board').checkVisibility()",
        "the whole board",
    )
    .unwrap();
    // After a move the whole board is there for the answer.
    tap(&mut page, "#board [data-spot='112']");
    page.wait("outplay.board.zoomed", "a larger board").unwrap();
    tap(&mut page, "#board [data-spot='112']");
    page.wait("outplay.moves.length === 1 && !outplay.board.zoomed", "a move").unwrap();

    tap(&mut page, "#game");
    page.wait("document.querySelector('dialog.choose[open]')", "the games").unwrap();
    assert_eq!(page.eval("document.querySelector('#accept').checkVisibility()").unwrap(), false);
    page.eval("document.querySelector('[data-card=morris]').scrollIntoView({ block: 'center' })").unwrap();
    tap(&mut page, "[data-card=morris]");
    page.wait(
        "!document.querySelector('#dialog').open && outplay.view?.game.startsWith('morris') && outplay.live",
        "a game",
    )
    .unwrap();
    // Boards can still be set up.
    tap(&mut page, "#game");
    page.wait("document.querySelector('dialog.choose[open]')", "the games").unwrap();
    tap(&mut page, "#set-up");
    page.click("[data-card=nim]").unwrap();
    page.wait("document.querySelector('#spec-input').value.startsWith('nim') && document.querySelector('#accept').checkVisibility()", "a set-up")
        .unwrap();
    page.press("Escape").unwrap();

    page.go(&stage.address("?game=connect4&first=human&second=perfect")).unwrap();
    page.wait("outplay.live", "a turn").unwrap();
    assert_eq!(
        text(&mut page, "document.querySelector('#drawer-handle').innerText.trim()"),
        "Opponent: Perfect"
    );
    tap(&mut page, "#drawer-handle");
    page.wait("document.querySelector('#second-level')?.checkVisibility()", "the sheet").unwrap();
    let [_, top, _, bottom] = edges(&mut page, "#second-level");
    assert!(top >= 0.0 && bottom <= 844.0, "the slider is at {top} to {bottom}");
    page.press("Escape").unwrap();
    page.wait("!document.querySelector('#second-level').checkVisibility()", "the sheet closed").unwrap();

    page.go(&stage.address("?game=tictactoe&first=human&second=human&moves=a1,b1,a2,b2,a3")).unwrap();
    page.wait("outplay.over && document.querySelector('#after').checkVisibility()", "the review").unwrap();
    page.wait("document.querySelector('.game-card')", "other games").unwrap();
    let review = edges(&mut page, "#after")[3];
    let cards = edges(&mut page, ".game-card")[1];
    assert!(review <= cards, "the review ends at {review}, the cards begin at {cards}");
    stage::silent(&mut page);
}

/// A hint to a puzzle points at the man or the region first, and the streak does not count the solution.
#[test]
fn puzzles_give_hints_before_answers() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.page();
    page.go(&stage.address("")).unwrap();
    page.eval("localStorage.setItem('puzzles', JSON.stringify({ streak: 3, best: 3, days: 0, last: '', solved: {} }))")
        .unwrap();
    for (address, words) in [
        ("?game=connect4:5x4&view=puzzle&seed=11", "Look at columns"),
        ("?game=chess:KQK&view=puzzle&seed=2", "Look at the "),
        ("?game=tictactoe&view=puzzle&seed=5", "Look at the "),
    ] {
        page.go(&stage.address(address)).unwrap();
        page.wait("outplay.puzzle && outplay.live", address).unwrap();
        // What has no meaning here is not offered, by button or key.
        for name in ["values", "swap"] {
            assert_eq!(
                page.eval(&format!("document.querySelector('[data-do={name}]').checkVisibility()")).unwrap(),
                false
            );
        }
        page.press("v").unwrap();
        page.press("s").unwrap();
        assert_eq!(page.eval("outplay.state.view === 'puzzle' && outplay.puzzle !== null").unwrap(), true);
        page.press("h").unwrap();
        page.wait("document.querySelector('.over .reason')", "a mark").unwrap();
        let said = text(&mut page, "outplay.puzzle.words");
        let move_word = text(&mut page, "outplay.write([outplay.puzzle.steps[0].move])[0]");
        assert!(said.starts_with(words) && said != format!("The move is {move_word}."), "{said}");
        assert_eq!(number(&mut page, "outplay.puzzle.at"), 0.0, "the hint plays nothing");
        page.press("h").unwrap();
        page.wait("outplay.puzzle.words.startsWith('The move is')", "the answer").unwrap();
        while page.eval("outplay.puzzle.solved").unwrap() == false {
            page.wait("outplay.live && !outplay.puzzle.waiting", "a turn").unwrap();
            let at = page.eval("outplay.puzzle.at").unwrap();
            page.eval("outplay.playWord(outplay.puzzle.steps[outplay.puzzle.at].move)").unwrap();
            page.wait(&format!("outplay.puzzle.at > {at} && !outplay.puzzle.waiting"), "a step").unwrap();
        }
        assert_eq!(text(&mut page, "outplay.puzzle.words"), "Solved, with a hint.");
        assert_eq!(number(&mut page, "JSON.parse(localStorage.getItem('puzzles')).streak"), 3.0);
    }
    stage::silent(&mut page);
}

/// One's own stone is drawn before the server has answered, and taken off again if it is refused.
#[test]
fn ones_own_stone_does_not_wait() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.page();
    for (address, clicks, stone) in [
        ("?game=connect4&first=human&second=human", vec!["18"], "[data-spot='18'] .disc.first"),
        ("?game=tictactoe&first=human&second=human", vec!["4"], "[data-spot='4'] .line.first"),
        (
            "?game=chess:KQKR&position=8/8/8/3k4/8/1r6/8/K5Q1+w+-+-+0+1&first=human&second=human",
            vec!["6", "62"],
            "[data-spot='62'] .man.first",
        ),
        ("?game=morris:six,men=4&first=human&second=human", vec!["2"], "[data-spot='2'] .disc.first"),
    ] {
        page.go(&stage.address(address)).unwrap();
        page.wait("outplay.live", address).unwrap();
        slow(&mut page, 2000, -1);
        for spot in clicks {
            page.click(&format!("#board [data-spot='{spot}']")).unwrap();
        }
        assert_eq!(
            page.eval(&format!("Boolean(document.querySelector(\"#board {stone}\")) && outplay.stale"))
                .unwrap(),
            true,
            "{address}: the move is not on the board yet"
        );
        slow(&mut page, 0, -1);
        page.wait("!outplay.stale && outplay.moves.length === 1", "the server's answer").unwrap();
        assert_eq!(page.eval(&format!("Boolean(document.querySelector(\"#board {stone}\"))")).unwrap(), true);
    }
    // Clicks that come meanwhile are not lost.
    page.go(&stage.address("?game=tictactoe&first=human&second=human")).unwrap();
    page.wait("outplay.live", "a turn").unwrap();
    slow(&mut page, 500, -1);
    page.click("#board [data-spot='4']").unwrap();
    page.click("#board [data-spot='0']").unwrap();
    slow(&mut page, 0, -1);
    page.wait("outplay.moves.join() === 'b2,a1' && !outplay.stale", "both moves").unwrap();
    stage::silent(&mut page);
    // A refused move leaves the board as it was.
    page.go(&stage.address("?game=tictactoe&first=human&second=human")).unwrap();
    page.wait("outplay.live", "a turn").unwrap();
    page.eval(
        "(() => { const plain = window.fetch; window.fetch = (url, wish) => String(url).includes('/view?') \
         ? new Promise((done) => setTimeout(() => done(new Response('{\"error\":\"refused for a test\"}', { status: 400 })), 300)) \
         : plain(url, wish); })()",
    )
    .unwrap();
    page.click("#board [data-spot='4']").unwrap();
    page.wait("document.querySelector(\"#board [data-spot='4'] .line\")", "the stone at once").unwrap();
    page.wait("document.querySelector('#trouble').textContent.includes('refused for a test')", "the reason")
        .unwrap();
    page.wait(
        "!document.querySelector(\"#board [data-spot='4'] .line\") && outplay.moves.length === 0",
        "no stone",
    )
    .unwrap();
}

/// On slow 4G the page is ready within three seconds, and its layout does not shift.
#[test]
fn a_slow_network_is_enough() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.page();
    page.call("Network.setCacheDisabled", json!({ "cacheDisabled": true })).unwrap();
    page.call(
        "Page.addScriptToEvaluateOnNewDocument",
        json!({ "source": "window.shifts = []; new PerformanceObserver((list) => { for (const entry of list.getEntries()) \
            if (!entry.hadRecentInput) window.shifts.push([entry.value, entry.sources.map(({ node }) => node?.id || node?.className || node?.nodeName).join(' ')]); \
            }).observe({ type: 'layout-shift', buffered: true });" }),
    )
    .unwrap();
    for (width, height, phone) in [(1280, 860, false), (390, 844, true)] {
        page.resize(width, height, phone).unwrap();
        slow(&mut page, 150, 200_000);
        page.go(&stage.address("")).unwrap();
        let ready = number(&mut page, "performance.now()");
        assert!(ready < 3000.0, "ready after {ready} ms");
        slow(&mut page, 0, -1);
        page.wait("document.querySelectorAll('.score').length === 7", "seven scores").unwrap();
        let shifts = page.eval("window.shifts").unwrap();
        let sum = number(&mut page, "window.shifts.reduce((sum, [value]) => sum + value, 0)");
        assert!(sum < 0.05, "the layout shifts by {sum}: {shifts}");
    }
    stage::silent(&mut page);
}

/// Without the server the last board stays, and the page says what is wrong; it goes on when the server is back.
#[test]
fn without_a_connection_the_last_board_stays() {
    let Some(stage) = Stage::set() else { return };
    let server = Server::start(&[]);
    let address = format!("http://{}/?game=tictactoe&first=human&second=human&moves=b2,a1", server.addr);
    let mut page = stage.page();
    page.go(&address).unwrap();
    page.wait("outplay.live && navigator.serviceWorker", "a game").unwrap();
    page.eval("navigator.serviceWorker.ready.then(() => caches.open('outplay-shell')).then((cache) => cache.keys()).then((keys) => keys.length)").unwrap();
    page.go(&address).unwrap();
    page.wait("navigator.serviceWorker.controller && outplay.live", "the worker").unwrap();
    stage::silent(&mut page);
    drop(server);
    page.call("Page.navigate", json!({ "url": address })).unwrap();
    page.wait(
        "document.querySelector('#status')?.textContent === 'No connection to the server'",
        "what is wrong",
    )
    .unwrap();
    assert_eq!(
        number(&mut page, "document.querySelectorAll('#board .stone > *').length"),
        2.0,
        "the last board"
    );
    assert!(text(&mut page, "document.querySelector('#sub').innerText").contains("last board, Tic-tac-toe"));
    assert_eq!(
        page.eval(
            "[...document.querySelectorAll('.controls button')].some((button) => button.checkVisibility())"
        )
        .unwrap(),
        false,
        "dead buttons"
    );
    page.troubles();
}

/// Paper has the board, the verdict and the moves in light colours; a projector has large words and tree labels.
#[test]
fn paper_and_projectors() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.open("?game=tictactoe&view=explore&moves=b2,a1,c1");
    page.wait("outplay.answer", "values").unwrap();
    page.press("t").unwrap();
    page.wait("document.documentElement.dataset.theme === 'dark'", "dark").unwrap();
    page.call("Emulation.setEmulatedMedia", json!({ "media": "print" })).unwrap();
    for selector in [".tabs", ".tools", ".controls", ".foot", "#knowledge"] {
        let shown = page.eval(&format!("document.querySelector('{selector}').checkVisibility()")).unwrap();
        assert_eq!(shown, false, "{selector} is printed");
    }
    for selector in ["#board svg", ".headline", ".moves", ".sheet"] {
        let shown = page.eval(&format!("document.querySelector('{selector}').checkVisibility()")).unwrap();
        assert_eq!(shown, true, "{selector} is not printed");
    }
    assert_eq!(
        text(&mut page, "getComputedStyle(document.querySelector('.headline')).color"),
        "rgb(23, 32, 42)"
    );
    page.call("Emulation.setEmulatedMedia", json!({ "media": "" })).unwrap();

    let label = "(() => { const text = document.querySelector('svg.tree .edge-move'); \
        return parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a; })()";
    page.go(&stage.address("?view=tree&game=tictactoe&depth=3")).unwrap();
    page.wait("document.querySelector('svg.tree .edge-move')", "a tree").unwrap();
    let usual = number(&mut page, label);
    assert!(usual >= 12.0, "tree labels have {usual} pixels");
    page.click("#help").unwrap();
    page.click("#projector").unwrap();
    page.press("Escape").unwrap();
    page.wait("document.documentElement.hasAttribute('data-projector')", "large text").unwrap();
    let large = number(&mut page, label);
    assert!(large >= 18.0, "tree labels have {large} pixels on a projector");
    assert!(number(&mut page, "parseFloat(getComputedStyle(document.querySelector('h1')).fontSize)") >= 27.0);
    assert!(number(&mut page, "document.documentElement.scrollWidth - innerWidth") <= 0.0);
    stage::silent(&mut page);
}
