//! A user-defined dice game on the page: the owner of a ply comes from the rules, not from names.

use crate::serve::ask;
use crate::stage::{self, Stage};
use outplay::catalog::{Catalog, Family};
use outplay::teach::{Ply, follow};
use outplay::workbench::{GameBuilder, PositionRef};
use outplay_core::{Chance, Game, InputError, Notation, Payoff, Turn};
use outplay_runtime::NoMonitor;
use outplay_serve::{Server, Settings};
use serde_json::{Value, json};
use std::net::SocketAddr;

/// A race of seven steps, begun by the second player. Each turn begins with a roll: `low` and `high` let the player step
/// or jump, `miss` ends the turn at once.
#[derive(Clone)]
struct Dash;

/// Steps that are left to each player, whose turn it is, and the roll of this turn.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Track {
    left: [u8; 2],
    second: bool,
    rolled: u8,
}

const ROLLS: [&str; 4] = ["", "low", "high", "miss"];

impl Game for Dash {
    type Position = Track;
    type Move = u8;
    fn start(&self) -> Option<Track> {
        Some(Track { left: [7; 2], second: true, rolled: 0 })
    }
    fn turn(&self, pos: &Track) -> Turn {
        match (pos.rolled, pos.second) {
            (0, _) => Turn::Chance,
            (_, false) => Turn::First,
            (_, true) => Turn::Second,
        }
    }
    fn moves(&self, pos: &Track, out: &mut Vec<u8>) {
        match pos.rolled {
            _ if self.outcome(pos).is_some() => {}
            0 => out.extend([1, 2, 3]),
            rolled => out.extend(1..=rolled),
        }
    }
    fn play(&self, pos: &Track, mv: u8) -> Track {
        let mut next = pos.clone();
        match (pos.rolled, mv) {
            (0, 3) => next.second = !pos.second,
            (0, roll) => next.rolled = roll,
            (_, steps) => {
                let left = &mut next.left[usize::from(pos.second)];
                *left = left.saturating_sub(steps);
                (next.rolled, next.second) = (0, !pos.second);
            }
        }
        next
    }
    fn outcome(&self, pos: &Track) -> Option<Payoff> {
        match pos.left {
            [0, _] => Some(1),
            [_, 0] => Some(-1),
            _ => None,
        }
    }
}

impl Chance for Dash {
    fn outcomes(&self, _pos: &Track, out: &mut Vec<(u8, f64)>) {
        out.extend([1, 2, 3].map(|roll| (roll, 1.0 / 3.0)));
    }
}

impl Notation for Dash {
    fn spec(&self) -> String {
        "dash".to_string()
    }
    fn write_position(&self, pos: &Track) -> String {
        let rolled = if pos.rolled == 0 { "none" } else { ROLLS[usize::from(pos.rolled)] };
        format!("{}-{} {} {rolled}", pos.left[0], pos.left[1], u8::from(pos.second) + 1)
    }
    fn read_position(&self, text: &str) -> Result<Track, InputError> {
        Err(InputError::position(text, "describe the position by the moves that lead to it"))
    }
    fn write_move(&self, pos: &Track, mv: u8) -> String {
        match pos.rolled {
            0 => ROLLS[usize::from(mv)].to_string(),
            _ => ["step", "jump"][usize::from(mv) - 1].to_string(),
        }
    }
}

/// A server of this process whose catalog has the game.
fn serve() -> SocketAddr {
    let mut catalog = Catalog::standard();
    catalog.add(Family::new("dash", "a race with a die", |_| Ok(GameBuilder::new(Dash).chance().build())));
    let data = tempfile::tempdir().unwrap();
    let mut settings = Settings::new(([127, 0, 0, 1], 0).into(), data.path().into());
    settings.threads = 1;
    let server = Server::bind(catalog, settings).unwrap();
    let addr = server.addr().unwrap();
    std::thread::spawn(move || {
        let _data = data;
        server.run(&NoMonitor)
    });
    addr
}

fn answer(addr: SocketAddr, method: &str, path: &str, body: Option<&str>) -> Value {
    let (status, _, body) = ask(addr, "host: localhost", method, path, body).unwrap();
    assert_eq!(status, 200, "{path}: {body}");
    serde_json::from_str(&body).unwrap()
}

const MOVES: &str = "low,step,miss,high,jump";

#[test]
fn plies_are_described_by_the_rules() {
    let addr = serve();
    let view = answer(addr, "GET", &format!("/api/v1/view?game=dash&moves={MOVES}&at=3"), None);
    let plies = json!([
        { "move": "low", "by": "second", "chance": true, "said": "rolls low" },
        { "move": "step", "by": "second", "chance": false, "said": "plays step" },
        // The roll of the first player ends the turn, so the second one rolls next.
        { "move": "miss", "by": "first", "chance": true, "said": "rolls miss" },
        { "move": "high", "by": "second", "chance": true, "said": "rolls high" },
        { "move": "jump", "by": "second", "chance": false, "said": "plays jump" },
    ]);
    assert_eq!(view["plies"], plies);
    assert_eq!((&view["begins"], &view["turn_of"]), (&json!("second"), &json!("second")));
    assert_eq!((&view["at"], &view["to_move"], &view["chance"]), (&json!(3), &json!("chance"), &json!(true)));
    assert_eq!(view["position"], "7-6 2 none", "the position is the one after three of the moves");
    assert_eq!(view["scene"]["moves"][0]["said"], "rolls low");

    let history = answer(addr, "GET", &format!("/api/v1/history?game=dash&moves={MOVES}"), None);
    let steps = history["plies"].as_array().unwrap();
    assert_eq!((&steps[0]["by"], &steps[0]["chance"]), (&Value::Null, &json!(false)));
    for (step, ply) in steps[1..].iter().zip(plies.as_array().unwrap()) {
        assert_eq!((&step["move"], &step["by"], &step["chance"]), (&ply["move"], &ply["by"], &ply["chance"]));
    }

    let wish = r#"{ "game": "dash", "moves": "low", "player": "random" }"#;
    assert_eq!(answer(addr, "POST", "/api/v1/move", Some(wish))["said"], "plays step", "there is one move");
}

/// The plies of a standard game.
fn plies(game: &str, moves: &str) -> Vec<Ply> {
    let handle = Catalog::standard().open(game).unwrap();
    let mut plies = Vec::new();
    follow(&handle, &PositionRef::Moves(moves.into()), &mut |reached| plies.extend(reached.made)).unwrap();
    plies
}

/// Checks the plies of a standard game, written as `by` and `chance`: `1` and `2` are players, `*` is a roll.
fn check(game: &str, moves: &str, expected: &str) {
    let words = plies(game, moves).into_iter().map(|ply| {
        let by = if ply.by == Turn::First { "1" } else { "2" };
        if ply.chance { format!("{by}*") } else { by.to_string() }
    });
    assert_eq!(words.collect::<Vec<String>>().join(" "), expected, "{game} {moves}");
}

#[test]
fn plies_of_standard_games() {
    check("connect4", "445", "1 2 1");
    check("mnk:3x3,k=3,x=a1,turn=o", "b2 c3", "2 1");
    check("einstein:3x3", "1 1-b2 2", "1* 1 2*");
    // A 1 ends the turn and is the roll of the player who loses the points.
    check("pig:50", "roll 4 roll 1 roll 5 hold roll", "1 1* 1 1* 2 2* 2 1");
    check("piglet:5", "roll tails roll", "1 1* 2");
    check("hypergammon", "2-1", "1*");
}

#[test]
fn moves_are_reported_in_words() {
    let said = |game: &str, moves: &str| plies(game, moves).pop().unwrap().said;
    assert_eq!(said("connect4", "4"), "plays 4");
    assert_eq!(said("nim:3+4+5", "5-2"), "takes 2 of 5");
    assert_eq!(said("nim:3+4+5", "5-5"), "takes the pile of 5");
    assert_eq!(said("hypergammon", "2-1"), "rolls 2 and 1");
    assert_eq!(said("einstein:3x3", "2"), "rolls 2");
    assert_eq!(said("pig:50", "roll"), "", "the roll itself is reported");
    assert_eq!(said("pig:50", "roll 1"), "rolls 1: the turn is over");
    assert_eq!(said("pig:50", "roll 5 roll 1"), "rolls 1 and loses 5");
    assert_eq!(said("piglet:5", "roll heads hold"), "holds");
}

#[test]
fn the_page_plays_a_dice_game_that_it_does_not_know() {
    let Some(stage) = Stage::set() else { return };
    let base = format!("http://{}", serve());
    let mut page = stage.page();
    page.go(&format!("{base}/?game=dash&moves={MOVES}&at=3&first=human&second=random")).unwrap();
    page.wait("document.querySelectorAll('.sheet li').length === 3", "a row for each turn").unwrap();
    let rows = "[...document.querySelectorAll('.sheet li')].map((row) => row.querySelector('.number').textContent + ': ' + \
        [...row.querySelectorAll('button')].map((move) => move.textContent + (move.classList.contains('roll') ? '*' : '')).join(' ')).join(' | ')";
    assert_eq!(page.eval(rows).unwrap(), "1 ✚: low* step | 2 ●: miss* | 3 ✚: high* jump");
    page.wait("document.querySelector('#status').textContent === 'Red rolls'", "whose roll it is").unwrap();
    // Undo takes back a decision of one's own; the first player has made none.
    page.click("[data-do=undo]").unwrap();
    page.wait("outplay.moves.length === 0 && outplay.view.at === 0", "the start").unwrap();
    // The computer begins, and its rolls and moves are reported.
    page.go(&format!("{base}/?game=dash&first=human&second=random")).unwrap();
    page.eval("outplay.turns.pace = 0").unwrap();
    page.wait("outplay.live && outplay.toMove === 'first'", "a turn of one's own").unwrap();
    let log = page.eval("document.querySelector('#turns').innerText").unwrap();
    assert!(log.as_str().unwrap().contains("You roll "), "{log}");
    stage::silent(&mut page);
}
