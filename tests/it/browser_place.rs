//! The places beside the board in a real browser: statistics, arena, experiments, puzzles, sharing.

use crate::serve::Server;
use crate::stage::{self, Stage};
use serde_json::json;

/// A script that asks the server and hands on what it says.
fn asked(path: &str) -> String {
    format!("fetch('{path}').then((reply) => reply.json())")
}

#[test]
fn statistics_lead_to_positions() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.open("?game=mnk:4x3,k=3&view=statistics");
    // Without a table there is something to do rather than a dead end.
    page.wait("document.querySelector('.stats-body button.main')", "what to do without a table").unwrap();
    page.eval("fetch('/api/v1/solve', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ game: 'mnk:4x3,k=3' }) }).then(() => 1)").unwrap();
    let solved =
        format!("{}.then((known) => known.statistics !== null)", asked("/api/v1/knowledge?game=mnk:4x3,k=3"));
    while page.eval(&solved).unwrap() != json!(true) {}
    page.go(&stage.address("?game=mnk:4x3,k=3&view=statistics")).unwrap();
    page.wait("document.querySelectorAll('.stats-picture [data-tier]').length > 8", "the picture").unwrap();
    let told = page.eval("document.querySelector('.tallies strong').textContent").unwrap();
    let counted = page
        .eval(&format!(
            "{}.then((stats) => stats.positions.legal.toLocaleString('en'))",
            asked("/api/v1/stats?game=mnk:4x3,k=3")
        ))
        .unwrap();
    assert_eq!(told, counted);
    page.wait("document.querySelectorAll('.example svg.board').length > 2", "records with boards").unwrap();
    page.click(".stats-picture [data-tier][data-value=loss]").unwrap();
    page.wait(
        "document.querySelectorAll('#examples .example svg.board').length > 0",
        "positions behind a bar",
    )
    .unwrap();
    assert!(page.eval("new URLSearchParams(location.search).get('value')").unwrap() == "loss");
    // The keyboard goes from bar to bar.
    page.eval("document.querySelector('.stats-picture [tabindex=\"0\"]').focus()").unwrap();
    page.press("ArrowRight").unwrap();
    page.press("Enter").unwrap();
    page.wait("document.activeElement.dataset.tier && document.activeElement.getAttribute('aria-pressed') === 'true'", "a bar by key").unwrap();
    page.wait("document.querySelectorAll('#examples .example svg.board').length > 0", "its positions")
        .unwrap();
    let csv = page.eval("fetch([...document.querySelectorAll('a[download]')].find((link) => link.download.endsWith('.csv')).href).then((reply) => reply.text())").unwrap();
    assert!(csv.as_str().unwrap().starts_with("tier,positions,win,draw,loss"));
    page.click("#examples .example").unwrap();
    page.wait(
        "outplay.state.view === 'explore' && outplay.state.position && outplay.view",
        "the position in Explore",
    )
    .unwrap();
    stage::silent(&mut page);
}

#[test]
fn a_league_and_a_match_are_watched() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.open("?game=connect4:5x4&view=arena");
    page.wait("document.querySelector('#add-player')", "the form").unwrap();
    page.click("#add-player").unwrap();
    page.wait("document.querySelectorAll('.player-row').length === 3", "a third player").unwrap();
    page.eval("document.querySelector('#pace').value = '0'").unwrap();
    assert_eq!(page.eval("document.querySelector('#games').value").unwrap(), "20");
    page.click("#begin").unwrap();
    page.wait("document.querySelectorAll('.live-board svg.board').length >= 2", "boards of several games")
        .unwrap();
    page.wait("document.querySelector('.chip.done')", "the end of the league").unwrap();
    assert_eq!(page.eval("document.querySelectorAll('.standings:not(.cross) tbody tr').length").unwrap(), 3);
    let line = page.eval("document.querySelector('.contest-line').textContent").unwrap();
    assert!(line.as_str().unwrap().contains("60 of 60 games"), "{line}");
    assert!(page.eval("document.querySelectorAll('#course .chart-line').length").unwrap() == 3);
    // The table on the page says what the server says.
    let own = page.eval("[...document.querySelectorAll('.standings:not(.cross) tbody tr')].map((row) => row.cells[2].textContent).join()").unwrap();
    let id = page.eval("new URLSearchParams(location.search).get('match')").unwrap();
    let theirs = format!(
        "{}.then((match) => [...match.standings.players].sort((a, b) => b.score - a.score).map((row) => row.wins).join())",
        asked(&format!("/api/v1/match/{}", id.as_str().unwrap()))
    );
    assert_eq!(own, page.eval(&theirs).unwrap());

    // A match with a test, slowly, stopped and resumed.
    page.go(&stage.address("?game=tictactoe&view=arena")).unwrap();
    page.wait("document.querySelector('.match-item')", "the league among the recent ones").unwrap();
    page.eval("document.querySelector('#games').value = '200'; document.querySelector('#pace').value = '120'; document.querySelector('#sprt').click()").unwrap();
    page.eval("(() => { const [weak, strong] = document.querySelectorAll('.player-row select'); strong.value = strong.options[strong.options.length - 2].value; strong.dispatchEvent(new Event('change')); })()").unwrap();
    page.wait(
        "document.querySelector('#elo1') && !document.querySelector('.claims').hidden",
        "the claims of the test",
    )
    .unwrap();
    page.eval("(() => { const weak = document.querySelector('.player-row select'); weak.value = weak.options[0].value; weak.dispatchEvent(new Event('change')); })()").unwrap();
    page.click("#begin").unwrap();
    page.wait(
        "document.querySelector('#stop') && document.querySelector('.live-board svg.board')",
        "a match under way",
    )
    .unwrap();
    page.click("#stop").unwrap();
    page.wait(
        "document.querySelector('.chip.stopped') && document.querySelector('#resume')",
        "a match that stands still",
    )
    .unwrap();
    page.click("#resume").unwrap();
    page.wait("document.querySelector('.chip.running')", "the match goes on").unwrap();
    page.wait("document.querySelectorAll('#course .course-chart').length === 2", "score and test as lines")
        .unwrap();
    page.wait("document.querySelector('.share-bar')", "the score with its bounds").unwrap();
    page.click("#stop").unwrap();
    page.wait("document.querySelector('.chip.stopped')", "stopped").unwrap();
    page.click(".live-board").unwrap();
    page.wait("outplay.state.view === 'explore' && outplay.view", "a board opens in Explore").unwrap();
    stage::silent(&mut page);
}

#[test]
fn an_experiment_is_run_again_on_the_page() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.open("?view=arena&experiment=");
    page.wait("document.querySelectorAll('.experiment').length > 8", "the experiments").unwrap();
    page.eval("[...document.querySelectorAll('.experiment')].find((card) => card.textContent.includes('alpha-beta leave out')).click()").unwrap();
    page.wait("document.querySelector('#run')", "one of them").unwrap();
    page.click("#run").unwrap();
    page.wait("document.querySelector('#found') && [...document.querySelectorAll('.plot img')].some((plot) => plot.complete && plot.naturalWidth > 100)", "its plots").unwrap();
    assert!(
        page.eval("document.querySelectorAll('.findings table tbody tr').length > 2").unwrap() == json!(true)
    );
    // What was found stays for the next reader.
    page.go(&stage.address("?view=arena&experiment=alphabeta-savings")).unwrap();
    page.wait("document.querySelector('#found')", "the same findings").unwrap();
    stage::silent(&mut page);
}

/// Plays the moves of the puzzle on the screen.
fn solve(page: &mut outplay_browser::Page) {
    while page.eval("outplay.puzzle.solved").unwrap() == json!(false) {
        let at = page.eval("outplay.puzzle.at").unwrap();
        page.wait("outplay.live && !outplay.puzzle.waiting", "the reader's turn").unwrap();
        let word = page.eval("outplay.puzzle.steps[outplay.puzzle.at].move").unwrap();
        page.eval(&format!("outplay.playWord({word})")).unwrap();
        page.wait(&format!("outplay.puzzle.at > {at} && !outplay.puzzle.waiting"), "the move is right")
            .unwrap();
    }
    // The card grows by what it tells now, and only then do its buttons keep their places.
    page.wait("document.querySelector('#explore-puzzle')", "the card of a solved puzzle").unwrap();
}

#[test]
fn puzzles_are_lines_with_a_memory() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.open("?game=chess:KPK&view=puzzle");
    page.wait("outplay.puzzle && outplay.live", "a puzzle of the set").unwrap();
    page.eval("localStorage.removeItem('puzzles')").unwrap();
    let long = format!(
        "{}.then(({{ sets }}) => sets.find(({{ game }}) => game === 'chess:KPK').puzzles.find(({{ moves }}) => moves > 2).number)",
        asked("/api/v1/puzzles")
    );
    let number = page.eval(&long).unwrap();
    page.go(&stage.address(&format!("?game=chess:KPK&view=puzzle&seed=set-{number}"))).unwrap();
    page.wait("outplay.puzzle && outplay.live", "a long one").unwrap();
    // Nothing looks solved before it is, and the solution's value is not told by a tick.
    assert_eq!(page.eval("document.querySelectorAll('#puzzle h2 svg').length").unwrap(), 0);
    assert_eq!(page.eval("document.querySelectorAll('#board .mark .pill').length").unwrap(), 0);
    assert!(page.eval("outplay.puzzle.steps.length > 1").unwrap() == json!(true));
    // By mouse: the right man to the right square, and the opponent answers.
    let first = "outplay.view.scene.moves.find((known) => known.move === outplay.puzzle.solution).path";
    let path = page.eval(first).unwrap();
    for spot in path.as_array().unwrap() {
        page.click(&format!("[data-spot='{spot}']")).unwrap();
    }
    page.wait("outplay.puzzle.at === 1 && outplay.puzzle.tried.length === 2 && outplay.live", "the answer")
        .unwrap();
    assert_eq!(page.eval("document.querySelectorAll('.puzzle-steps .found').length").unwrap(), 1);
    solve(&mut page);
    page.wait(
        "document.querySelector('#puzzle h2 svg') && document.querySelector('.theme')",
        "a tick and the themes",
    )
    .unwrap();
    assert_eq!(page.eval("JSON.parse(localStorage.getItem('puzzles')).streak").unwrap(), 1);
    // Another one of a theme; a wrong move ends the streak and is told what it is worth.
    page.eval("(() => { const themes = document.querySelector('#puzzle-theme'); themes.value = 'zugzwang'; themes.dispatchEvent(new Event('change')); })()").unwrap();
    page.wait("outplay.puzzle?.themes.includes('zugzwang') && outplay.live", "a puzzle about zugzwang")
        .unwrap();
    page.eval("outplay.playWord(outplay.view.scene.moves.find((known) => known.move !== outplay.puzzle.solution).move)").unwrap();
    page.wait(
        "document.querySelector('#puzzle .wrong').textContent.includes('is not the solution:')",
        "why not",
    )
    .unwrap();
    assert_eq!(page.eval("JSON.parse(localStorage.getItem('puzzles')).streak").unwrap(), 0);
    // Pig has puzzles too, and the day has one for everybody.
    page.go(&stage.address("?game=pig:100&view=puzzle")).unwrap();
    page.wait("outplay.puzzle && outplay.live && outplay.state.seed.startsWith('set-')", "a puzzle of pig")
        .unwrap();
    solve(&mut page);
    page.click("#daily").unwrap();
    page.wait(
        "outplay.puzzle?.date && outplay.live && document.querySelector('.puzzle-day')",
        "the puzzle of the day",
    )
    .unwrap();
    let date = page.eval("outplay.puzzle.date").unwrap();
    let same = page
        .eval(&format!(
            "{}.then((puzzle) => puzzle.position === outplay.puzzle.position)",
            asked(&format!("/api/v1/puzzle/daily?date={}", date.as_str().unwrap()))
        ))
        .unwrap();
    assert_eq!(same, json!(true));
    solve(&mut page);
    assert_eq!(page.eval("JSON.parse(localStorage.getItem('puzzles')).days").unwrap(), 1);
    page.wait("document.querySelector('#explore-puzzle')", "on to Explore").unwrap();
    page.click("#explore-puzzle").unwrap();
    page.wait("outplay.state.view === 'explore' && outplay.view", "the position in Explore").unwrap();
    stage::silent(&mut page);
}

#[test]
fn pictures_codes_and_boards_are_shared() {
    let Some(stage) = Stage::set() else { return };
    let mut page = stage.open("?game=tictactoe&moves=b2,a1&view=explore");
    page.wait("outplay.answer && document.querySelectorAll('.mark .pill').length > 3", "values on the board")
        .unwrap();
    page.press("c").unwrap();
    page.wait(
        "document.querySelector('#qr')?.complete && document.querySelector('#qr').naturalWidth > 0",
        "a code of the link",
    )
    .unwrap();
    let svg = "import('/picture.js').then(({ boardSvg }) => boardSvg(undefined, 'Tic-tac-toe'))";
    let picture = page.eval(svg).unwrap();
    let picture = picture.as_str().unwrap();
    assert!(picture.contains("xmlns=\"http://www.w3.org/2000/svg\"") && picture.contains("Tic-tac-toe"));
    assert!(picture.contains("✓") || picture.contains("="), "the values are in the picture");
    assert!(!picture.contains("var(--"), "colours stand alone");
    // As PNG it has pixels of more than one colour: nothing was lost on the way.
    let png = format!("{svg}.then((svg) => import('/picture.js').then(({{ boardPng }}) => boardPng(svg, 300))).then(async (blob) => {{
        const image = await createImageBitmap(blob);
        const canvas = document.createElement('canvas');
        [canvas.width, canvas.height] = [image.width, image.height];
        const context = canvas.getContext('2d');
        context.drawImage(image, 0, 0);
        const {{ data }} = context.getImageData(0, 0, image.width, image.height);
        const colours = new Set();
        for (let at = 0; at < data.length; at += 4) colours.add(`${{data[at]}},${{data[at + 1]}},${{data[at + 2]}}`);
        return [blob.type, image.width, colours.size > 8];
    }})");
    assert_eq!(page.eval(&png).unwrap(), json!(["image/png", 300, true]));
    // The command can be pasted into a shell as it is.
    let quoted = "import('/link.js').then(({ command }) => [command({ game: 'connect4', position: '' }, ['4', '4']), command({ game: 'hypergammon', position: \"24+23 it's A\" }, ['24/21*']), command({ game: 'nim:3+4', position: '-1' }, [])])";
    assert_eq!(
        page.eval(quoted).unwrap(),
        json!([
            "outplay query connect4 --moves 4,4",
            "outplay query hypergammon --position '24+23 it'\\''s A' --moves '24/21*'",
            "outplay query nim:3+4 --position=-1"
        ])
    );
    let snippet = page.eval("document.querySelector('#share-embed').value").unwrap();
    let snippet = snippet.as_str().unwrap().to_string();
    stage::silent(&mut page);

    // In somebody else's page the frame is filled, and the board can be played on.
    page.go(&format!(
        "data:text/html,<body>{}</body>",
        snippet
            .replace("<iframe", "<iframe onload=document.body.dataset.ready='yes'")
            .replace('"', "'")
            .replace('%', "%25")
            .replace('&', "%26")
            .replace('#', "%23")
    ))
    .unwrap();
    // A frame that may not be shown would be complained of.
    stage::silent(&mut page);
    let framed = snippet.split('"').nth(1).unwrap().replace("&amp;", "&");
    assert!(framed.contains("/embed?"), "{framed}");
    page.go(&framed).unwrap();
    page.wait(
        "document.body.dataset.ready && document.querySelectorAll('svg.board .mark .pill').length > 3",
        "the board with values",
    )
    .unwrap();
    let spot = page.eval("[...document.querySelectorAll('.spot.open')][0].dataset.spot").unwrap();
    page.click(&format!("[data-spot='{}']", spot.as_str().unwrap())).unwrap();
    page.wait("document.querySelector('#whole').href.includes('moves=b2,a1,')", "a move on it").unwrap();
    page.click("#back").unwrap();
    page.wait("document.querySelector('#back').disabled", "back to what was shared").unwrap();
    stage::silent(&mut page);
}

#[test]
fn the_page_opens_without_its_server_and_says_so() {
    let Some(stage) = Stage::set() else { return };
    let server = Server::start(&[]);
    let address = format!("http://{}/?game=tictactoe", server.addr);
    let mut page = stage.page();
    page.go(&address).unwrap();
    page.wait("document.body.dataset.ready === 'yes'", "the page").unwrap();
    let manifest = page.eval("fetch(document.querySelector('link[rel=manifest]').href).then((reply) => reply.json()).then((told) => told.display)").unwrap();
    assert_eq!(manifest, "standalone");
    let kept = "navigator.serviceWorker.ready.then(() => caches.open('outplay-shell')).then((cache) => cache.keys()).then((keys) => keys.length)";
    assert!(page.eval(kept).unwrap().as_u64() > Some(20), "the shell is kept");
    page.go(&address).unwrap();
    page.wait(
        "navigator.serviceWorker.controller && document.body.dataset.ready === 'yes'",
        "the worker is at work",
    )
    .unwrap();
    stage::silent(&mut page);
    drop(server);
    page.call("Page.navigate", json!({ "url": address })).unwrap();
    page.wait("document.querySelector('#reach') && !document.querySelector('#reach').hidden && document.querySelector('#reach').textContent.includes('Cannot reach')", "that the server is away").unwrap();
    // Requests to a server that is not there are complained of by the browser itself.
    page.troubles();
}
