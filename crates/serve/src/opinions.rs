//! What the program thinks of moves whose exact value is out of reach.
//!
//! ```text
//!  round 1   every move, looked at from the position after it, one ply deep
//!  round 2   the better half, two plies deep … until time is up
//! ```
//!
//! An opinion is a payoff of the player who moves, guessed; where the dice come next it is the mean over the rolls.

use crate::ask::Asked;
use crate::refusal::Refusal;
use crate::reply::{Reply, written};
use crate::workers::Attention;
use outplay_answer::{ChooseRequest, Entry, Place, QueryOptions};
use outplay_core::{Game, Turn, Watch};
use serde::Serialize;
use std::time::Duration;

/// How long the rounds go on.
const TIME: Duration = Duration::from_secs(4);
/// How deep the rounds look, and how many moves each looks at.
const ROUNDS: [(u32, usize); 6] = [(1, usize::MAX), (2, 40), (3, 20), (4, 12), (6, 8), (8, 5)];
/// Bytes for the table of one look.
const HASH: u64 = 1 << 20;

/// What the program thinks of a move.
#[derive(Clone, Debug, Serialize)]
struct Opinion {
    #[serde(rename = "move")]
    mv: String,
    /// The payoff that the player who makes it may expect.
    opinion: f64,
    /// Plies looked ahead after it.
    depth: u32,
    /// Whether the game is over after it, so that this is no opinion.
    over: bool,
}

/// All of them.
#[derive(Debug, Serialize)]
struct Opinions {
    game: String,
    position: String,
    to_move: Turn,
    /// The evaluation behind them.
    eval: String,
    /// The most that a game can pay.
    best_payoff: i32,
    /// The better ones first.
    moves: Vec<Opinion>,
}

/// `GET /api/v1/opinions/stream`: `event: move` for every opinion, better ones as they come.
pub(crate) fn opinions_stream(asked: &Asked) -> Result<Reply, Refusal> {
    let (game, place) = asked.place()?;
    let visitor = asked.visitor;
    Ok(asked.quick(move |desk, _| {
        let entry = desk.shelf.open(&game)?;
        entry.view(&place)?;
        let levels = entry.players(&desk.steady_options()).levels;
        let eval = levels.iter().find_map(|level| level.split_once("eval="));
        let Some(eval) = eval.map(|(_, eval)| eval.to_string()) else {
            return Err(Refusal::bad("this game has no evaluation", "ask /api/v1/position for exact values"));
        };
        Ok(desk.stream(visitor, game, TIME, move |study| {
            let mut options = study.desk.steady_options();
            options.hash = options.hash.min(HASH);
            let table = Table { game: study.game, options, eval: &eval, watch: study.watch };
            Ok(written(&table.opinions(&place, &mut |opinion| study.events.send("move", opinion))?))
        }))
    }))
}

/// Where opinions are asked for.
struct Table<'a> {
    game: &'a Entry,
    options: QueryOptions,
    eval: &'a str,
    watch: &'a Attention,
}

impl Table<'_> {
    fn opinions(&self, place: &Place, told: &mut dyn FnMut(&Opinion)) -> Result<Opinions, Refusal> {
        let view = self.game.view(place)?;
        let mut moves: Vec<Opinion> = Vec::new();
        let legal = view.scene.moves.iter().filter(|_| view.to_move != Turn::Chance);
        let mut names: Vec<String> = legal.map(|gesture| gesture.mv.clone()).collect();
        for (depth, most) in ROUNDS {
            names.truncate(most);
            for mv in &names {
                let Some((opinion, over)) = self.worth(&view.position, mv, view.to_move, depth)? else {
                    break;
                };
                let found = Opinion { mv: mv.clone(), opinion, depth: if over { 0 } else { depth }, over };
                told(&found);
                match moves.iter_mut().find(|known| known.mv == *mv) {
                    Some(known) => *known = found,
                    None => moves.push(found),
                }
            }
            // What was looked at deeper is believed before what was not, and what wins or loses at once most of all.
            let rank = |known: &Opinion| {
                if known.over { known.opinion.signum() * f64::MAX } else { known.depth.into() }
            };
            moves.sort_by(|a, b| rank(b).total_cmp(&rank(a)).then(b.opinion.total_cmp(&a.opinion)));
            if self.watch.stopped() || moves.is_empty() {
                break;
            }
            names = moves.iter().filter(|known| !known.over).map(|known| known.mv.clone()).collect();
        }
        Ok(Opinions {
            game: self.game.spec(),
            position: view.position,
            to_move: view.to_move,
            eval: self.eval.to_string(),
            best_payoff: self.game.game().best_payoff(),
            moves,
        })
    }

    /// What a move is worth to the player who makes it, and whether the game is over then; nothing if time is up.
    fn worth(
        &self,
        position: &str,
        mv: &str,
        mover: Turn,
        depth: u32,
    ) -> Result<Option<(f64, bool)>, Refusal> {
        let place = Place::MovesFrom { position: position.to_string(), moves: mv.to_string() };
        let view = self.game.view(&place)?;
        let own = |turn: Turn, payoff: f64| if turn == mover { payoff } else { -payoff };
        if let Some(outcome) = view.outcome {
            return Ok(Some((own(Turn::First, f64::from(outcome)), true)));
        }
        if self.watch.stopped() {
            return Ok(None);
        }
        if view.to_move == Turn::Chance {
            let (mut sum, mut weight) = (0.0, 0.0);
            for roll in &view.scene.moves {
                let Some((worth, _)) = self.worth(&view.position, &roll.mv, mover, depth)? else {
                    return Ok(None);
                };
                sum += worth * f64::from(roll.odds);
                weight += f64::from(roll.odds);
            }
            return Ok((weight > 0.0).then(|| (sum / weight, false)));
        }
        let mut asked = ChooseRequest::default();
        asked.place = Place::Position(view.position);
        asked.player = format!("alphabeta:depth={depth},eval={}", self.eval);
        asked.options = self.options.clone();
        match self.game.choose(&asked, self.watch) {
            Ok(choice) => Ok(choice.opinion.map(|opinion| (own(view.to_move, opinion / 100.0), false))),
            Err(trouble) if trouble.is_stop() => Ok(None),
            Err(trouble) => Err(trouble.into()),
        }
    }
}
