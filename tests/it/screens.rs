//! The pictures of the page under docs/screens, made anew by `cargo xtask screens`.

use crate::stage;

use outplay_browser::Page;
use stage::Stage;
use std::path::Path;

/// A picture larger than this does not belong in a repository.
const MOST_BYTES: usize = 220_000;

fn keep(page: &mut Page, name: &str) {
    // Fonts and the last transition settle.
    page.eval("document.fonts.ready.then(() => new Promise((done) => setTimeout(done, 400)))").unwrap();
    let picture = page.screenshot().unwrap();
    assert!(picture.len() <= MOST_BYTES, "{name} has {} bytes", picture.len());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/screens");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(format!("{name}.png")), picture).unwrap();
}

#[test]
#[ignore = "writes docs/screens; run by `cargo xtask screens`"]
fn screens() {
    let stage = Stage::set().expect("Chromium is needed for screenshots");
    let mut page = stage.page();
    let mut shot = |size: (u32, u32), scheme: &str, search: &str, ready: &str, name: &str| {
        page.resize(size.0, size.1, size.0 < 600).unwrap();
        page.colours(scheme).unwrap();
        page.go(&stage.address(search)).unwrap();
        page.wait(ready, name).unwrap();
        keep(&mut page, name);
    };
    let wide = (1100, 780);
    let valued = "outplay.answer && document.querySelectorAll('.mark .pill, .badge:not(.unknown)').length";
    let told =
        "outplay.answer && !document.querySelector('#history .note').textContent.includes('Analysing')";
    shot(wide, "light", "?game=connect4&view=explore", valued, "explore");
    shot(wide, "dark", "?game=connect4:6x5&view=explore&moves=3,3,3,4,2,2,5,4", told, "dark");
    shot(
        wide,
        "light",
        "?game=tictactoe&first=human&second=perfect&moves=b2,a1,c1,a3",
        "outplay.live",
        "play",
    );
    shot(wide, "light", "?game=connect4:5x4&view=puzzle&seed=11", "outplay.puzzle && outplay.view", "puzzle");
    shot((360, 720), "light", "?game=connect4&view=explore&moves=4,4", valued, "phone");
    let chess = "?game=chess:KQKR&position=8/8/8/3k4/8/1r6/8/K5Q1+w+-+-+0+1&view=explore";
    page.resize(wide.0, wide.1, false).unwrap();
    page.colours("light").unwrap();
    page.go(&stage.address(chess)).unwrap();
    page.wait(valued, "the ending").unwrap();
    page.click("[data-spot='6']").unwrap();
    page.eval("document.activeElement.blur()").unwrap();
    page.hover(".brand").unwrap();
    keep(&mut page, "chess");
    page.go(&stage.address("?game=tictactoe&view=explore&moves=b2,a1,c3,a2")).unwrap();
    page.wait(told, "the history").unwrap();
    page.press("w").unwrap();
    page.wait("document.querySelector('.reason-words:not([hidden])')", "the reason").unwrap();
    keep(&mut page, "why");
    page.go(&stage.address("?game=mnk:6x5,k=4,obstacles=b2%2Be4,x=c3,o=d3")).unwrap();
    page.press("g").unwrap();
    page.wait("document.querySelector('.painter')", "the painter").unwrap();
    keep(&mut page, "setup");
}

/// Every family as it is played, light and dark; the first screen, the end of a game, and a phone on its side.
#[test]
#[ignore = "writes docs/screens; run by `cargo xtask screens`"]
fn screens_of_play() {
    let stage = Stage::set().expect("Chromium is needed for screenshots");
    let mut page = stage.page();
    let known =
        "[...document.querySelectorAll('.game-card .result')].filter((text) => text.textContent).length >= 3";
    let live = "outplay.live";
    let told = "document.querySelector('#after').textContent.includes('turning point')";
    for (scheme, after) in [("light", ""), ("dark", "-dark")] {
        for (search, ready, name) in [
            ("", known, "home"),
            ("?game=hypergammon&first=human&second=human&moves=6-5", live, "hypergammon"),
            ("?game=morris:six,men=4&first=human&second=human&moves=a1,e5,c1,e3", live, "morris"),
            ("?game=einstein:5x5&first=human&second=human&moves=5", live, "einstein"),
            ("?game=pig:50&first=human&second=human&moves=roll,5,roll,3", live, "pig"),
            ("?game=nim:3%2B4%2B5&first=human&second=human&moves=5-3", live, "nim"),
            ("?game=mnk:15x15,k=5&first=human&second=human&moves=h8,i9,h7,h9,g9,j9", live, "gomoku"),
            ("?game=tictactoe&first=perfect&second=human&moves=a1,b1,b2,c3,a2,a3,c2", told, "after"),
        ] {
            page.resize(1100, 780, false).unwrap();
            page.colours(scheme).unwrap();
            page.go(&stage.address(search)).unwrap();
            page.wait(ready, name).unwrap();
            match name {
                "hypergammon" => ["24", "18", "22"]
                    .iter()
                    .for_each(|spot| page.click(&format!("#board [data-spot='{spot}']")).unwrap()),
                "morris" => page.click("#board [data-spot='2']").unwrap(),
                _ => {}
            }
            page.hover(".brand").unwrap();
            keep(&mut page, &format!("{name}{after}"));
        }
    }
    page.resize(844, 390, true).unwrap();
    page.colours("light").unwrap();
    page.go(&stage.address("?game=connect4&view=explore&moves=4,4,4,4")).unwrap();
    page.wait("outplay.answer", "values").unwrap();
    keep(&mut page, "phone-aside");
}

/// Lessons, rules, a tree and a proof, light and dark.
#[test]
#[ignore = "writes docs/screens; run by `cargo xtask screens`"]
fn screens_of_learn() {
    let stage = Stage::set().expect("Chromium is needed for screenshots");
    let mut page = stage.page();
    let lesson = "document.querySelector('.lesson-page[data-ready=yes]')";
    let placed = "document.querySelector('#place[data-ready=yes]')";
    for (scheme, after) in [("light", ""), ("dark", "-dark")] {
        for (search, ready, name) in [
            ("?view=learn", "document.querySelectorAll('.lesson-card').length", "learn"),
            ("?view=learn&lesson=alphabeta&step=22", lesson, "lesson-alphabeta"),
            ("?view=learn&lesson=loops&step=20", lesson, "lesson-loops"),
            ("?view=rules&of=morris", placed, "rules"),
            ("?view=tree&game=nim:2%2B3", placed, "tree"),
            ("?view=proof&of=mnk:4x3,k=3", placed, "proof"),
        ] {
            page.resize(1100, 780, false).unwrap();
            page.colours(scheme).unwrap();
            page.go(&stage.address(search)).unwrap();
            page.wait(ready, name).unwrap();
            keep(&mut page, &format!("{name}{after}"));
        }
    }
    page.resize(390, 844, true).unwrap();
    page.colours("light").unwrap();
    page.go(&stage.address("?view=learn&lesson=minimax&step=9")).unwrap();
    page.wait(lesson, "a lesson on a phone").unwrap();
    keep(&mut page, "lesson-phone");
}

/// The places beside the board, light and dark: statistics, a league that was played, an experiment, a puzzle.
#[test]
#[ignore = "writes docs/screens; run by `cargo xtask screens`"]
fn screens_of_places() {
    let stage = Stage::set().expect("Chromium is needed for screenshots");
    let mut page = stage.open("?game=connect4:4x4&view=arena");
    let post = |path: &str, body: &str| {
        format!(
            "fetch('/api/v1/{path}', {{ method: 'POST', headers: {{ 'Content-Type': 'application/json' }}, body: JSON.stringify({body}) }}).then((reply) => reply.json()).then(({{ id }}) => id)"
        )
    };
    page.eval(&post("solve", "{ game: 'connect4:4x4' }")).unwrap();
    let league = "{ game: 'connect4:5x4', players: ['random', 'greedy', 'alphabeta:depth=6'], games: 20 }";
    let id = page.eval(&post("match", league)).unwrap();
    page.eval(&post("experiments/run", "{ name: 'alphabeta-savings' }")).unwrap();
    for (scheme, after) in [("light", ""), ("dark", "-dark")] {
        for (search, ready, name) in [
            ("?game=connect4:5x4&view=arena", "document.querySelector('.match-item')", "arena"),
            (
                &format!("?game=connect4:5x4&view=arena&match={id}"),
                "document.querySelector('.chip.done')",
                "league",
            ),
            (
                "?view=arena&experiment=alphabeta-savings",
                "document.querySelector('.plot img')?.naturalWidth",
                "experiment",
            ),
            (
                "?game=connect4:4x4&view=statistics",
                "document.querySelector('.example svg.board')",
                "statistics",
            ),
            ("?game=mnk:15x15,k=5&view=puzzle&seed=set-5", "outplay.puzzle && outplay.live", "puzzle-fours"),
        ] {
            page.resize(900, 640, false).unwrap();
            page.colours(scheme).unwrap();
            page.go(&stage.address(search)).unwrap();
            page.wait(ready, name).unwrap();
            keep(&mut page, &format!("{name}{after}"));
        }
    }
}
