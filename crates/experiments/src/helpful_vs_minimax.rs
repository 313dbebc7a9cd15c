//! `helpful-vs-minimax`: the heuristic against perfect play, as in the paper and beyond it.

use crate::duel::{Score, duel, opening};
use crate::{Bench, Findings, Grid};
use outplay_answer::Trouble;
use outplay_core::{AnyMove, AnyPosition, Game, Turn, Verdict};
use outplay_players::{Form, Kit, Merit, helpful_choices};
use rustc_hash::FxHashMap;

/// A board, an opponent, and how the games begin.
struct Setting {
    game: &'static str,
    opponent: &'static str,
    plies: u32,
    games: u32,
    theirs: Option<&'static str>,
}

const SETTINGS: [Setting; 7] = [
    Setting { game: "tictactoe", opponent: "perfect", plies: 2, games: 1000, theirs: Some("0/0/1000") },
    Setting { game: "mnk:4x4,k=4", opponent: "perfect", plies: 4, games: 1000, theirs: Some("11/0/989") },
    Setting { game: "mnk:4x4,k=3", opponent: "perfect", plies: 4, games: 200, theirs: None },
    Setting {
        game: "mnk:6x6,k=4",
        opponent: "alphabeta:depth=4,eval=lines",
        plies: 4,
        games: 200,
        theirs: None,
    },
    Setting {
        game: "mnk:7x7,k=5",
        opponent: "alphabeta:depth=4,eval=lines",
        plies: 4,
        games: 200,
        theirs: None,
    },
    Setting { game: "connect4:5x4", opponent: "perfect", plies: 4, games: 100, theirs: None },
    Setting {
        game: "connect4",
        opponent: "alphabeta:depth=7,eval=lines",
        plies: 4,
        games: 200,
        theirs: None,
    },
];

pub(crate) fn run(bench: &Bench<'_>) -> Result<Findings, Trouble> {
    let setting = format!(
        "openings of two or four random plies, seed {}; `perfect` is a table or exact solver, which chooses among equally fast best moves at random",
        bench.seed
    );
    let mut findings = Findings::new("helpful-vs-minimax", "Hayes and Loge, table 2", setting);
    let mut grid = Grid::new(
        "helpful: wins/losses/draws",
        &[
            "board",
            "opponent",
            "theirs (helpful first)",
            "ours (helpful first)",
            "helpful second",
            "games each",
        ],
    );
    for Setting { game, opponent, plies, games, theirs } in SETTINGS {
        let games = bench.games.unwrap_or(games).max(1);
        bench.watch.stage(game, u64::from(2 * games));
        let kit = bench.kit(game)?;
        let mut scores = [Score::default(); 2];
        for (side, score) in scores.iter_mut().enumerate() {
            let mut helpful = kit.player("helpful")?;
            let mut other = kit.player(opponent)?;
            for number in 0..games {
                let seed = bench.seed.wrapping_mul(1_000_003) + u64::from(number);
                let Some(from) = opening(&kit.game, plies, seed) else { continue };
                let payoff = if side == 0 {
                    duel(&kit.game, [&mut *helpful, &mut *other], &from, seed, bench.watch)?
                } else {
                    -duel(&kit.game, [&mut *other, &mut *helpful], &from, seed, bench.watch)?
                };
                score.add(payoff);
                bench.watch.advance(1);
            }
        }
        grid.row(vec![
            game.into(),
            opponent.into(),
            theirs.unwrap_or("").into(),
            scores[0].text(),
            scores[1].text(),
            games.to_string(),
        ]);
    }
    findings.tables.push(grid);

    let kit = bench.kit("tictactoe")?;
    let exact = Openings::of(&kit, bench)?;
    findings.tables.push(exact.grid());
    findings.remark(format!(
        "Of the 72 openings of 3x3, {} are won for the player who moves first and {} lost, by force, so 0/0/1000 cannot be exact: perfect play decides every one of those, and the heuristic some of them.",
        exact.won, exact.lost
    ));
    Ok(findings)
}

/// All openings of 3x3 of one ply each, exactly.
struct Openings {
    won: u32,
    drawn: u32,
    lost: u32,
    /// How likely `helpful` wins, draws and loses, over all openings.
    first: [f64; 3],
    second: [f64; 3],
}

type Known = FxHashMap<(AnyPosition, bool), [f64; 3]>;

impl Openings {
    fn of(kit: &Kit, bench: &Bench<'_>) -> Result<Openings, Trouble> {
        let mut all = Openings { won: 0, drawn: 0, lost: 0, first: [0.0; 3], second: [0.0; 3] };
        let mut known = Known::default();
        let Some(start) = kit.game.start() else { return Ok(all) };
        let Some(truth) = kit.truth.clone() else { return Ok(all) };
        let mut count = 0.0;
        for one in kit.game.list(&start) {
            let middle = kit.game.play(&start, one);
            for two in kit.game.list(&middle) {
                let pos = kit.game.play(&middle, two);
                match truth.value(&pos, bench.watch)? {
                    Some(Merit::Value(value)) if value.verdict() == Verdict::Win => all.won += 1,
                    Some(Merit::Value(value)) if value.verdict() == Verdict::Loss => all.lost += 1,
                    _ => all.drawn += 1,
                }
                for (helpful_first, sum) in [(true, &mut all.first), (false, &mut all.second)] {
                    let chances = outcomes(kit, &pos, helpful_first, &mut known, bench)?;
                    sum.iter_mut().zip(chances).for_each(|(sum, chance)| *sum += chance);
                }
                count += 1.0;
            }
        }
        for sum in all.first.iter_mut().chain(&mut all.second) {
            *sum /= count;
        }
        Ok(all)
    }

    fn grid(&self) -> Grid {
        let mut grid = Grid::new(
            "3x3, all 72 openings, exactly: ties of the heuristic and equally good replies are equally likely",
            &["who", "wins", "loses", "draws"],
        );
        let percent = |part: f64| format!("{:.2} %", 100.0 * part);
        for (who, [won, drawn, lost]) in
            [("helpful, moving first", self.first), ("helpful, moving second", self.second)]
        {
            grid.row(vec![who.into(), percent(won), percent(lost), percent(drawn)]);
        }
        let share = |part: u32| format!("{part} of 72");
        grid.row(vec![
            "first player, both perfect".into(),
            share(self.won),
            share(self.lost),
            share(self.drawn),
        ]);
        grid
    }
}

/// How likely `helpful` wins, draws and loses from here against perfect play.
fn outcomes(
    kit: &Kit,
    pos: &AnyPosition,
    helpful_first: bool,
    known: &mut Known,
    bench: &Bench<'_>,
) -> Result<[f64; 3], Trouble> {
    if let Some(payoff) = kit.game.outcome(pos) {
        let mine = if helpful_first { payoff } else { -payoff };
        return Ok([
            f64::from(u8::from(mine > 0)),
            f64::from(u8::from(mine == 0)),
            f64::from(u8::from(mine < 0)),
        ]);
    }
    if let Some(chances) = known.get(&(pos.clone(), helpful_first)) {
        return Ok(*chances);
    }
    let chosen: Vec<AnyMove> = if (kit.game.turn(pos) == Turn::First) == helpful_first {
        let Some(board) = kit.game.board(pos) else { return Ok([0.0; 3]) };
        let all: Vec<AnyMove> = kit.game.list(pos).collect();
        helpful_choices(&board, Form::Revised).into_iter().map(|place| all[place]).collect()
    } else {
        let merits = kit.truth.as_ref().map(|truth| truth.moves(pos, bench.watch)).transpose()?.flatten();
        let merits = merits.unwrap_or_default();
        let best = merits.iter().map(|(_, merit)| *merit).max_by(|a, b| a.compare(*b));
        merits
            .iter()
            .filter(|(_, merit)| best.is_some_and(|best| merit.equals(best)))
            .map(|(mv, _)| *mv)
            .collect()
    };
    let mut sum = [0.0; 3];
    for &mv in &chosen {
        let chances = outcomes(kit, &kit.game.play(pos, mv), helpful_first, known, bench)?;
        sum.iter_mut().zip(chances).for_each(|(sum, chance)| *sum += chance / chosen.len() as f64);
    }
    known.insert((pos.clone(), helpful_first), sum);
    Ok(sum)
}
