//! Accessibility: axe (npm) checks every view of the page.

use crate::stage::{self, Stage};
use std::path::Path;
use std::process::Command;

/// The views, each with a script that is true once there is something to judge.
const VIEWS: [(&str, &str); 24] = [
    ("", "document.querySelector('svg.board')"),
    ("?game=tictactoe&view=explore&moves=b2,a1", "document.querySelector('.moves .value')?.textContent"),
    ("?game=mnk:9x9,k=5&moves=e5", "document.querySelector('svg.board')"),
    ("?game=chess:KQK", "document.querySelector('svg.board')"),
    ("?game=morris:three", "document.querySelector('svg.board')"),
    ("?game=nim:3%2B4%2B5", "document.querySelector('svg.board')"),
    ("?game=pig:20", "document.querySelector('svg.board')"),
    ("?game=einstein:3x3", "document.querySelector('svg.board')"),
    ("?game=hypergammon", "document.querySelector('svg.board')"),
    ("?game=tictactoe&view=puzzle", "document.querySelector('svg.board')"),
    ("?view=rules", "document.querySelector('main h1, main h2')"),
    ("?view=tree&game=tictactoe&depth=2", "document.querySelector('main svg')"),
    ("?view=proof&of=mnk:4x3,k=3", "document.querySelector('main svg')"),
    ("?view=arena", "document.querySelector('main form, main button')"),
    ("?view=learn", "document.querySelector('.lesson-card')"),
    ("?view=learn&lesson=game", "document.querySelector('main svg')"),
    ("?view=learn&lesson=minimax", "document.querySelector('main svg')"),
    ("?view=learn&lesson=alphabeta", "document.querySelector('main svg')"),
    ("?view=learn&lesson=order", "document.querySelector('main svg')"),
    ("?view=learn&lesson=horizon", "document.querySelector('main svg')"),
    ("?view=learn&lesson=tables", "document.querySelector('.rank-board')"),
    ("?view=learn&lesson=loops", "document.querySelector('main svg')"),
    ("?view=learn&lesson=chance", "document.querySelector('main svg')"),
    ("?view=learn&lesson=proof", "document.querySelector('.proof-lines li')"),
];

/// What axe finds that is serious, in words.
const FINDINGS: &str = "axe.run(document, { resultTypes: ['violations'] }).then((found) => found.violations
    .filter((rule) => ['serious', 'critical'].includes(rule.impact))
    .map((rule) => `${rule.id}: ${rule.nodes.map((node) => node.target.join(' ')).slice(0, 3).join(', ')}`))";

/// axe's own script, fetched once.
fn axe() -> Option<String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("axe");
    let script = folder.join("package/axe.min.js");
    if !script.exists() {
        if Command::new("npm").arg("--version").output().is_err() {
            eprintln!("left out: axe comes by npm, which is not here");
            return None;
        }
        std::fs::create_dir_all(&folder).unwrap();
        let fetch = "npm pack axe-core@4 --silent >/dev/null && tar -xzf axe-core-*.tgz package/axe.min.js";
        let fetched = Command::new("sh").args(["-c", fetch]).current_dir(&folder).status().unwrap();
        assert!(fetched.success(), "npm does not bring axe-core");
    }
    Some(std::fs::read_to_string(script).unwrap())
}

#[test]
fn nothing_keeps_anybody_out() {
    let Some(stage) = Stage::set() else { return };
    let Some(axe) = axe() else { return };
    let mut page = stage.page();
    let mut found = Vec::new();
    for (look, size) in [("light", (1280, 800, false)), ("dark", (390, 844, true))] {
        page.colours(look).unwrap();
        page.resize(size.0, size.1, size.2).unwrap();
        for (view, ready) in VIEWS {
            page.go(&stage.address(view)).unwrap();
            page.wait(ready, view).unwrap();
            page.eval(&format!("{axe}; 0")).unwrap();
            let findings = page.eval(FINDINGS).unwrap();
            found.extend(
                findings.as_array().unwrap().iter().map(|finding| format!("{look} {view}: {finding}")),
            );
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    stage::silent(&mut page);
}
