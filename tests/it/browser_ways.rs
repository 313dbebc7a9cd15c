//! Every way to use the page: keys alone, every shape of screen, sound, pace, motion, signs, links, jobs that stay.

use crate::serve::Server;
use crate::stage::{self, Stage};
use outplay_browser::Page;
use serde_json::json;

const SETTLED: &str = "outplay.view && !outplay.stale && !outplay.thinking && (outplay.over || outplay.live)";

/// A move of a person who knows the rules and nothing else, as spots to press Enter on and then perhaps a button.
const NEXT: &str = "(() => {
    const list = outplay.view.scene.moves;
    const gesture = list[(outplay.moves.length * 7 + 3) % list.length];
    const way = gesture.ways?.length ? gesture.ways[gesture.ways.length - 1] : gesture.path;
    const twins = gesture.ways?.length ? [] : list.filter((other) => other.path.join() === gesture.path.join());
    return { way, button: way.length && twins.length < 2 ? null : gesture.move };
})()";

/// The arrow keys that lead from where the keyboard is to a spot, or null: as somebody would find them who tries all.
const KEYS: &str = "(spot) => {
    const { board } = outplay;
    const { hand, spots } = board;
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const found = new Map([[hand.focus, []]]);
    for (const [at, keys] of found) {
        if (spots[at].handle === spots[spot].handle) return keys;
        for (const [key, way] of Object.entries(ways)) {
            const near = hand.neighbour(at, way);
            if (near !== null && !found.has(near)) found.set(near, [...keys, key]);
        }
    }
    return null;
}";

fn told(page: &mut Page, script: &str) -> String {
    page.eval(script).unwrap().as_str().unwrap_or_default().to_string()
}

fn count(page: &mut Page, script: &str) -> u64 {
    page.eval(script).unwrap().as_u64().unwrap_or_default()
}

/// Goes to a button of a move by Tab, and presses it.
fn tab_to(page: &mut Page, mv: &str) {
    let there = format!("document.activeElement?.dataset.move === {}", json!(mv));
    for _ in 0..40 {
        if page.eval(&there).unwrap() == true {
            page.press("Enter").unwrap();
            return;
        }
        page.press("Tab").unwrap();
    }
    panic!("Tab does not lead to the button of {mv}");
}

/// Plays with the keyboard alone until the game is over.
fn play_by_keys(page: &mut Page, name: &str, most: usize) {
    for ply in 0..=most {
        page.wait(SETTLED, "a turn").unwrap();
        if page.eval("outplay.over").unwrap() == true {
            return;
        }
        let before = page.eval("outplay.moves.length").unwrap();
        let next = page.eval(NEXT).unwrap();
        for spot in next["way"].as_array().unwrap() {
            page.press("b").unwrap();
            let keys = page.eval(&format!("({KEYS})({spot})")).unwrap();
            let keys = keys.as_array().unwrap_or_else(|| panic!("{name}: no arrows lead to spot {spot}"));
            for key in keys {
                page.press(key.as_str().unwrap()).unwrap();
            }
            let there = format!("document.activeElement === outplay.board.spots[{spot}].handle");
            page.wait(&there, &format!("{name}: the keyboard on spot {spot} by {keys:?}")).unwrap();
            page.press("Enter").unwrap();
        }
        if let Some(mv) = next["button"].as_str() {
            if next["way"] == json!([]) {
                page.press("b").unwrap();
            }
            tab_to(page, mv);
        }
        page.wait(&format!("outplay.moves.length > {before}"), &format!("{name}: move {ply} ({next})"))
            .unwrap();
    }
    panic!("{name} did not end within {most} plies");
}

/// A game of every family is played to its end without a mouse, steps, choices and buttons included.
#[test]
fn every_family_is_played_by_keys_alone() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.page();
    for (address, most) in [
        ("?game=mnk:4x4,k=3,obstacles=b2&first=human&second=perfect", 16),
        ("?game=connect4:5x4&first=human&second=perfect", 20),
        ("?game=nim:2%2B3%2B3&first=human&second=perfect", 8),
        ("?game=morris:six,men=3&first=human&second=perfect", 200),
        ("?game=chess:KQK&position=8/8/8/3k4/8/8/8/KQ6+w+-+-+0+1&first=perfect&second=human", 24),
        ("?game=pig:12&first=human&second=greedy", 300),
        ("?game=einstein:3x3&first=human&second=random", 80),
        ("?game=hypergammon&position=9%2B8%2B7+9%2B8%2B7+A+2-1&first=human&second=random", 100),
    ] {
        page.go(&stage.address(address)).unwrap();
        page.eval("outplay.turns.pace = 0").unwrap();
        play_by_keys(&mut page, address, most);
        let end = told(&mut page, "document.querySelector('h1').textContent");
        // Some wins count double and say so.
        assert!(
            ["You win", "You lose", "A draw"].iter().any(|words| end.starts_with(words)),
            "{address}: {end}"
        );
    }
    // A pawn that arrives asks what it becomes, and the answer has the keyboard.
    page.go(
        &stage.address("?game=chess:KPK&position=8/4P3/8/8/8/1k6/8/K7+w+-+-+0+1&first=human&second=human")
    )
    .unwrap();
    page.wait("outplay.live", "a turn").unwrap();
    for spot in [52, 60] {
        page.press("b").unwrap();
        for key in page.eval(&format!("({KEYS})({spot})")).unwrap().as_array().unwrap() {
            page.press(key.as_str().unwrap()).unwrap();
        }
        page.press("Enter").unwrap();
    }
    page.wait("document.activeElement?.closest('.choices')", "what it becomes").unwrap();
    tab_to(&mut page, "e7e8r");
    page.wait("outplay.moves.join() === 'e7e8r'", "a rook").unwrap();
    stage::silent(&mut page);
}

/// Everything of every family is seen on every screen, by day and by night.
#[test]
fn every_family_fits_every_screen() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.page();
    const FAULTS: &str = "(() => {
        const faults = [];
        const seen = (list) => [...document.querySelectorAll(list)].filter((one) => one.checkVisibility());
        if (document.documentElement.scrollWidth > innerWidth) faults.push(`${document.documentElement.scrollWidth} wide`);
        if (seen('h1').length !== 1) faults.push(`${seen('h1').length} main headings`);
        for (const one of seen('h1, h2, button:not(#game), .note, strong, label, .level-name')) {
            const box = one.getBoundingClientRect();
            const cut = one.clientWidth && one.scrollWidth > one.clientWidth + 1;
            const card = one.closest('.card')?.getBoundingClientRect();
            if (cut || (card && (box.right > card.right + 1 || box.left < card.left - 1))) faults.push(`cut: ${one.textContent.slice(0, 20)}`);
        }
        for (const tab of innerWidth >= 390 ? seen('.tabs button') : []) {
            const { left, right } = tab.getBoundingClientRect();
            const { left: from, right: to } = tab.parentElement.getBoundingClientRect();
            if (left < from - 1 || right > to + 1) faults.push(`hidden: ${tab.textContent}`);
        }
        const svg = document.querySelector('#board svg');
        if (svg?.checkVisibility()) {
            const box = svg.getBoundingClientRect();
            if (box.right > innerWidth || box.left < 0 || box.height > innerHeight) faults.push('the board is cut');
            if (innerHeight < 500 && box.bottom > innerHeight) faults.push(`the board ends at ${Math.round(box.bottom)} of ${innerHeight}`);
        }
        return faults.join('; ');
    })()";
    // Ink of a face: the colour itself, or the middle of its gradient.
    const INK: &str = "(side) => {
        const man = document.querySelector(`#board .stone .${side}`);
        if (!man) return '';
        const { fill, stroke } = getComputedStyle(man);
        const face = /#([\\w-]+)/.exec(fill)?.[1];
        return face ? getComputedStyle(document.querySelector(`#${face} stop`)).stopColor : fill === 'none' ? stroke : fill;
    }";
    for address in [
        "?game=tictactoe&moves=b2,a1&view=explore",
        "?game=connect4:5x4&moves=3,3&first=human&second=perfect",
        "?game=nim:3%2B4%2B5&first=human&second=perfect",
        "?game=morris:six,men=3&moves=a1,c1&first=human&second=human",
        "?game=chess:KQKR&position=8/8/8/3k4/8/1r6/8/K5Q1+w+-+-+0+1&first=human&second=human",
        "?game=pig:20&first=human&second=human",
        "?game=einstein:3x3&moves=2&first=human&second=human",
        "?game=hypergammon&position=bar%2B6%2B5+4%2B3%2Boff+A+2-1&first=human&second=human",
    ] {
        page.resize(1280, 800, false).unwrap();
        page.go(&stage.address(address)).unwrap();
        page.wait(&format!("{SETTLED} && document.querySelector('#board svg')"), address).unwrap();
        // A window at 200 % has half the pixels each way.
        for (look, (width, height, phone)) in [
            ("light", (1280, 800, false)),
            ("dark", (1280, 800, false)),
            ("dark", (390, 844, true)),
            ("light", (844, 390, true)),
            ("dark", (640, 400, false)),
            ("light", (320, 640, true)),
        ] {
            page.colours(look).unwrap();
            page.resize(width, height, phone).unwrap();
            page.eval(
                "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))",
            )
            .unwrap();
            let here = format!("{address} at {width}x{height}, {look}");
            assert_eq!(told(&mut page, FAULTS), "", "{here}");
            let [first, second] =
                ["first", "second"].map(|side| told(&mut page, &format!("({INK})('{side}')")));
            assert!(first.is_empty() || first != second, "{here}: {first}");
            if address.contains("chess") {
                assert_eq!((first.as_str(), second.as_str()), ("rgb(255, 253, 247)", "rgb(35, 39, 45)"));
            }
        }
    }
    stage::silent(&mut page);
}

/// Sound is off until somebody asks for it; the pace has a switch; motion is short, and none for who asked for less.
#[test]
fn sound_pace_and_motion_are_as_asked() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.open("?game=tictactoe&first=human&second=human");
    const LISTEN: &str = "(() => { window.heard = 0; const start = AudioScheduledSourceNode.prototype.start;
        AudioScheduledSourceNode.prototype.start = function (...args) { window.heard += 1; return start.apply(this, args); }; })()";
    page.eval(LISTEN).unwrap();
    page.wait("outplay.live", "a turn").unwrap();
    let play = |page: &mut Page, spot: u32, moves: u32| {
        page.click(&format!("#board [data-spot='{spot}']")).unwrap();
        page.wait(&format!("outplay.moves.length === {moves} && outplay.live"), "a move").unwrap();
    };
    play(&mut page, 4, 1);
    assert_eq!(count(&mut page, "window.heard"), 0, "quiet unless asked");
    assert_eq!(page.eval("document.querySelector('.advanced').open").unwrap(), false, "specs are put away");
    assert_eq!(page.eval("document.querySelector('#first-spec').checkVisibility()").unwrap(), false);
    page.click(".advanced summary").unwrap();
    page.wait("document.querySelector('.advanced').open", "the switches").unwrap();
    page.click("#sound").unwrap();
    page.wait("window.heard === 1", "what it sounds like").unwrap();
    play(&mut page, 0, 2);
    assert_eq!(count(&mut page, "window.heard"), 2, "a stone is heard");
    // The end of a game has two tones.
    page.go(&stage.address("?game=tictactoe&first=human&second=human&moves=a1,b1,a2,b2")).unwrap();
    page.eval(LISTEN).unwrap();
    page.wait("outplay.live", "a turn").unwrap();
    page.click(&format!("#board [data-spot='{}']", spot("a3"))).unwrap();
    page.wait("outplay.over && window.heard === 3", "a stone and the end").unwrap();
    // The wish is remembered, and can be taken back.
    page.go(&stage.address("?game=tictactoe&first=human&second=human")).unwrap();
    page.eval(LISTEN).unwrap();
    page.wait("outplay.live", "a turn").unwrap();
    page.click(".advanced summary").unwrap();
    page.wait(
        "document.querySelector('.advanced').open && document.querySelector('#sound').checked",
        "the wish",
    )
    .unwrap();
    page.click("#sound").unwrap();
    page.wait("!document.querySelector('#sound').checked", "no sound any more").unwrap();
    play(&mut page, 4, 1);
    assert_eq!(count(&mut page, "window.heard"), 0, "quiet again");

    // A computer's turn with dice takes its time, or less of it.
    const WAITS: &str = "(() => { window.waits = []; const wait = setTimeout;
        window.setTimeout = (act, ms, ...rest) => { window.waits.push(ms); return wait(act, Math.min(ms, 20), ...rest); }; })()";
    for (pace, other, turn) in [(900, 300, "calm"), (300, 900, "quick")] {
        page.go(&stage.address("?game=pig:50&first=human&second=perfect&moves=roll,5")).unwrap();
        page.wait("outplay.live", "a turn").unwrap();
        if turn == "quick" {
            page.click(".advanced summary").unwrap();
            page.wait("document.querySelector('.advanced').open", "the switches").unwrap();
            page.click("#quick").unwrap();
            page.wait("document.querySelector('#quick').checked", "the switch").unwrap();
        }
        page.eval(WAITS).unwrap();
        page.click(".moves-beside [data-move=hold]").unwrap();
        page.wait("outplay.live && outplay.toMove === 'first' && outplay.moves.length > 4", "its turn")
            .unwrap();
        assert!(
            count(&mut page, &format!("window.waits.filter((ms) => ms === {pace}).length")) >= 2,
            "{turn}"
        );
        assert_eq!(count(&mut page, &format!("window.waits.filter((ms) => ms === {other}).length")), 0);
    }

    // A stone falls within a quarter of a second; for who asked for less it just lies there.
    for (wish, moves) in [("no-preference", true), ("reduce", false)] {
        let features = json!({ "features": [{ "name": "prefers-reduced-motion", "value": wish }] });
        page.call("Emulation.setEmulatedMedia", features).unwrap();
        for (address, spot, class) in [
            ("?game=connect4:5x4&first=human&second=human", 9, ".falls"),
            ("?game=chess:KQK&position=8/8/8/3k4/8/8/8/KQ6+w+-+-+0+1&first=human&second=human", 9, ".slides"),
        ] {
            page.go(&stage.address(address)).unwrap();
            page.wait("outplay.live", "a turn").unwrap();
            if class == ".slides" {
                page.click("#board [data-spot='1']").unwrap();
            }
            page.click(&format!("#board [data-spot='{spot}']")).unwrap();
            page.wait(&format!("document.querySelector('.stone{class}')"), class).unwrap();
            let style = format!("getComputedStyle(document.querySelector('.stone{class}'))");
            let name = told(&mut page, &format!("{style}.animationName"));
            assert_eq!(name != "none", moves, "{wish}: {name}");
            let seconds = page.eval(&format!("parseFloat({style}.animationDuration)")).unwrap();
            assert!(seconds.as_f64().unwrap() <= 0.25, "{seconds}");
        }
    }
    stage::silent(&mut page);
}

/// The old signs: ! the only move, ? a mistake, ?? a win thrown away; and the link that leads here.
#[test]
fn signs_of_moves_and_copied_links() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.open("?game=tictactoe&view=explore&moves=b2,a1");
    page.wait("outplay.answer", "values").unwrap();
    let sign =
        |ply: u32| format!("document.querySelector(\".sheet [data-ply='{ply}'] .glyph\")?.textContent");
    let play = |page: &mut Page, spot: u32, moves: u32| {
        page.click(&format!("#board [data-spot='{spot}']")).unwrap();
        page.wait(&format!("outplay.moves.length === {moves} && !outplay.stale && outplay.answer"), "values")
            .unwrap();
    };
    // b3 threatens b1, which alone holds.
    play(&mut page, spot("b3"), 3);
    play(&mut page, spot("b1"), 4);
    page.wait(&format!("{} === '!'", sign(4)), "the only move").unwrap();
    assert!(
        told(&mut page, "document.querySelector(\".sheet [data-ply='4']\").ariaLabel").contains("only move")
    );
    page.go(&stage.address("?game=nim:3%2B4%2B5&view=explore&moves=3-1,5-1")).unwrap();
    // Only 3-2 wins: all else throws the game away.
    page.wait(&format!("{} === '??'", sign(1)), "a blunder").unwrap();
    assert!(
        told(&mut page, "document.querySelector(\".sheet [data-ply='1']\").ariaLabel").contains("a blunder")
    );
    page.wait("outplay.answer", "values").unwrap();
    page.eval(
        "navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }",
    )
    .unwrap();
    page.click("#copy-link").unwrap();
    page.wait("window.copied === location.href", "the link").unwrap();
    page.wait("document.querySelector('#toast').textContent === 'Link copied'", "a word").unwrap();
    let link = told(&mut page, "window.copied");
    let mut other = stage.page();
    other.go(&link).unwrap();
    other.wait("outplay.moves.join() === '3-1,5-1' && outplay.state.view === 'explore'", "the same").unwrap();
    stage::silent(&mut page);
    stage::silent(&mut other);
}

/// The spot of a cell of tic-tac-toe, by columns.
fn spot(cell: &str) -> u32 {
    let bytes = cell.as_bytes();
    u32::from(bytes[0] - b'a') * 3 + u32::from(bytes[1] - b'1')
}

/// A solve that was told to stay goes on when its tab is gone.
#[test]
fn a_solve_that_stays_outlives_its_tab() {
    let Some(stage) = Stage::set() else { return };
    let server = Server::start(&[]);
    let mut page = stage.page();
    page.go(&format!("http://{}/?game=connect4:5x5&view=explore", server.addr)).unwrap();
    page.wait("document.querySelector('#solve')", "the offer").unwrap();
    page.eval(stage::SLOW_SOLVES).unwrap();
    // Rows that are still found above would move the buttons from under a mouse.
    page.eval("document.querySelector('#solve-stays').click(), document.querySelector('#solve').click()")
        .unwrap();
    page.wait("document.querySelector('#knowledge progress')", "a solve").unwrap();
    page.go(&format!("http://{}/?game=tictactoe", server.addr)).unwrap();
    page.wait("outplay.live", "another game").unwrap();
    let mut heard = server.listen("/api/v1/solve/1/stream");
    for _ in 0..4 {
        assert_eq!(heard.next().as_deref(), Some("progress"), "it ended with its tab");
    }
    server.ask("DELETE", "/api/v1/solve/1", None);
}

/// Engines that the server registers are chosen in the arena by name, and nothing else of them is told.
#[test]
fn engines_play_in_the_arena_by_name() {
    let Some(stage) = Stage::set() else { return };
    let folder = tempfile::tempdir().unwrap();
    let gone = format!("gone={}", crate::shell::failing_engine(folder.path()));
    let server = Server::start(&["--engine", "house=noisy:p=0.25,inner=greedy", "--engine", &gone]);
    let mut page = stage.page();
    page.go(&format!("http://{}/?game=tictactoe&view=arena", server.addr)).unwrap();
    page.wait("document.querySelector('#player-1 optgroup option[value=house]')", "the engine").unwrap();
    page.eval("(() => { const choice = document.querySelector('#player-1'); choice.value = 'house'; choice.dispatchEvent(new Event('change')); })()").unwrap();
    page.wait("document.querySelector('#player-1').value === 'house'", "the engine is chosen").unwrap();
    assert_eq!(page.eval("document.querySelector('#player-spec-1')").unwrap(), json!(null), "it has no spec");
    page.eval("document.querySelector('#pace').value = '0'; document.querySelector('#games').value = '4'")
        .unwrap();
    page.click("#begin").unwrap();
    page.wait("document.querySelector('.chip.done')", "the end of the match").unwrap();
    assert!(
        told(&mut page, "document.querySelector('main:not([hidden])').innerText.toLowerCase()")
            .contains("house")
    );
    let record = server.ask("GET", "/api/v1/match/1/record", None).2;
    assert!(record.contains("\"house\"") && !record.contains("0.25"), "{record}");
    assert_eq!(record.lines().count(), 5, "{record}");
    // One that cannot play loses its games, and what stands behind it is not told.
    let wish = json!({ "game": "tictactoe", "players": ["gone", "random"], "games": 2 });
    let (status, begun) = server.post("/api/v1/match", &wish);
    assert_eq!(status, 202, "{begun}");
    let path = format!("/api/v1/match/{}", begun["id"]);
    server.until("the match goes on and on", |server| server.get(&path)["state"] == "done");
    assert_eq!(server.get(&path)["standings"]["players"][1]["wins"], 2);
    assert!(!server.ask("GET", &format!("{path}/record"), None).2.contains("ugi"));
    // Nobody starts a program of their own.
    let wish = json!({ "game": "tictactoe", "players": ["ugi:true", "random"], "games": 2 });
    assert_eq!(server.post("/api/v1/match", &wish).0, 400);
    stage::silent(&mut page);
}

/// Small things that were wrong once.
#[test]
fn small_things_are_right() {
    let Some(stage) = Stage::set() else { return };
    // Backgammon's table has a bar, a tray and numbers on both sides, and men lie in them.
    let mut page =
        stage.open("?game=hypergammon&position=bar%2B6%2B5+4%2B3%2Boff+A+2-1&first=human&second=human");
    page.wait("outplay.live", "a turn").unwrap();
    let written = told(
        &mut page,
        "[...document.querySelectorAll('#board .coordinate')].map((text) => text.textContent).sort().join()",
    );
    let mut all: Vec<String> =
        (1..=24).map(|point| point.to_string()).chain(["bar".into(), "off".into()]).collect();
    all.sort();
    assert_eq!(written, all.join(","));
    let on = |name: &str| {
        format!(
            "outplay.board.scene.spots.some((spot, i) => spot.name.includes('{name}') && document.querySelector(`[data-spot='${{i}}'] .disc`))"
        )
    };
    assert_eq!(page.eval(&on("bar")).unwrap(), true, "a man on the bar");
    assert_eq!(page.eval(&on("off")).unwrap(), true, "a man that is off");
    // A morris with eight lines has its diagonals.
    let oblique = "[...document.querySelectorAll('#board .ground line')].filter((line) => line.x1.baseVal.value !== line.x2.baseVal.value && line.y1.baseVal.value !== line.y2.baseVal.value).length";
    for (kind, diagonals) in [("morris:three,lines=8", true), ("morris:three,lines=6", false)] {
        page.go(&stage.address(&format!("?game={kind}&first=human&second=human"))).unwrap();
        page.wait("outplay.live && document.querySelector('#board .ground line')", kind).unwrap();
        assert_eq!(count(&mut page, oblique) > 0, diagonals, "{kind}");
    }
    // What the computer takes is seen and said.
    page.go(&stage.address("?game=nim:3%2B4%2B5&first=perfect&second=human")).unwrap();
    page.wait("outplay.moves.join() === '3-2' && outplay.live", "its move").unwrap();
    page.wait("document.querySelectorAll('.spot.gone').length === 2", "the matches that went").unwrap();
    page.wait("document.querySelector('#turns').textContent.includes('takes 2 of 3')", "and words").unwrap();
    // What cannot end is not offered, and dice are no error.
    for (game, offered) in
        [("connect4", false), ("mnk:50x50,k=5", false), ("hypergammon", true), ("tictactoe", true)]
    {
        page.go(&stage.address(&format!("?game={game}&view=explore"))).unwrap();
        page.wait("document.querySelector('#knowledge div')?.textContent", game).unwrap();
        assert_eq!(page.eval("Boolean(document.querySelector('#solve'))").unwrap(), offered, "{game}");
        assert_eq!(count(&mut page, "document.querySelectorAll('#knowledge .wrong').length"), 0, "{game}");
    }
    // A painted board is made larger at its corner.
    page.go(&stage.address("?game=mnk:4x4,k=3")).unwrap();
    page.press("g").unwrap();
    page.wait("document.querySelector('.painter .corner')", "the corner").unwrap();
    page.drag(".painter .corner", ".paint [data-cell=b2]").unwrap();
    page.wait("/^mnk:[123]x[123],/.test(document.querySelector('#spec-input').value)", "another size")
        .unwrap();
    stage::silent(&mut page);
}
