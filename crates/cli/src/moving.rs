//! `outplay move`: chooses one move for a position.
//!
//! The move is exact if exact values can be proven within a share of the time limit; otherwise a computer player
//! chooses it.

use crate::args::{At, SearchArgs};
use crate::commands::{Failure, KNOWN, Run};
use crate::output;
use clap::Args;
use outplay_core::{Game, Notation, Turn};
use outplay_players::StrengthLevel;
use outplay_runtime::Monitor;
use outplay_workbench::{
    Answer, ChoiceAnswer, ChooseRequest, GameHandle, PositionRef, QueryAnswer, Session, Trouble,
};
use serde::Serialize;
use std::io::Write;
use std::time::{Duration, Instant};

/// Default time for a move.
const TIME: Duration = Duration::from_secs(5);
/// Shares of the time for exact values, where they are expected and where they are not; the player has the rest.
const LIKELY: f64 = 0.8;
const UNLIKELY: f64 = 0.2;
/// Least time of the player.
const LEAST: Duration = Duration::from_millis(100);

/// Print a move: the best one known within the time, or that of a level or a player
#[derive(Args)]
pub(crate) struct MoveArgs {
    /// Game spec, such as connect4 or gomoku
    game: String,
    #[command(flatten)]
    at: At,
    /// Level of strength: a number or a name that `outplay players GAME` lists, such as 4 or casual
    #[arg(long, value_name = "LEVEL", conflicts_with = "player")]
    level: Option<String>,
    /// Player, such as `mcts:playouts=5000` or `perfect`
    #[arg(long, value_name = "PLAYER")]
    player: Option<String>,
    /// Random seed of the player or of the dice
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    effort: SearchArgs,
}

/// A move with what is known or thought of it.
#[derive(Serialize)]
pub(crate) struct MoveReport {
    /// The canonical spec.
    pub(crate) game: String,
    /// The position.
    pub(crate) position: String,
    /// The player to move.
    pub(crate) to_move: Turn,
    /// The move.
    #[serde(rename = "move")]
    pub(crate) mv: String,
    /// The move in the usual notation of the game, where that differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) san: Option<String>,
    /// Its value for the player who makes it; unknown unless it is exact.
    #[serde(flatten)]
    pub(crate) answer: Answer,
    /// The player's estimate of the payoff, where the value is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) opinion: Option<f64>,
    /// Spec of the player that chose the move; null if exact values did.
    pub(crate) player: Option<String>,
    /// The level of that player, if one was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) level: Option<StrengthLevel>,
    /// The source of the move: of its value if that is exact, else `player` or `dice`.
    pub(crate) source: String,
    /// Depth of the player's search in plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) depth: Option<u32>,
    /// The expected continuation, the move included.
    pub(crate) line: Vec<String>,
    /// Time used.
    pub(crate) seconds: f64,
}

pub(crate) fn choose(run: &mut Run<'_, impl Write>, args: &MoveArgs) -> Result<u8, Failure> {
    let entry = run.open_at(&args.game, &args.at)?;
    let mut session = run.query_session(&args.effort);
    session.time = Some(session.time.unwrap_or(TIME));
    let place = PositionRef::At(entry.locate(&args.at.place())?);
    let asked =
        MoveQuery { session: &session, entry: &entry, place: &place, seed: args.seed, watch: run.progress };
    let report = asked.report(args)?;
    run.print(&report, output::chosen_move)?;
    Ok(KNOWN)
}

/// A position that needs a move.
struct MoveQuery<'a> {
    session: &'a Session,
    entry: &'a GameHandle,
    place: &'a PositionRef,
    seed: u64,
    watch: &'a dyn Monitor,
}

impl MoveQuery<'_> {
    fn report(&self, args: &MoveArgs) -> Result<MoveReport, Trouble> {
        let began = Instant::now();
        let view = outplay_workbench::view(self.entry, self.place)?;
        let level = match &args.level {
            Some(word) => {
                let levels = outplay_workbench::players(self.session, self.entry).levels;
                Some(levels.find(word)?.clone())
            }
            None => None,
        };
        let named = level.as_ref().map(|level| level.player.clone()).or_else(|| args.player.clone());
        let mut report = match named {
            Some(player) => {
                outplay_workbench::start_player(self.session, self.entry, &player)?;
                self.played(&player)?
            }
            // The dice, or the error of a finished game.
            None if view.to_move == Turn::Chance || view.outcome.is_some() => self.played("random")?,
            None => match self.exact()? {
                Some(report) => report,
                None => {
                    let kit = outplay_workbench::kit(self.session, self.entry);
                    let rest = self.session.time.unwrap_or(TIME).saturating_sub(began.elapsed()).max(LEAST);
                    self.played(&kit.looking(&format!("time={}ms", rest.as_millis())))?
                }
            },
        };
        report.level = level;
        report.seconds = began.elapsed().as_secs_f64();
        Ok(report)
    }

    /// A best move, if exact values prove it within the time, or within a share of the time where that is unlikely.
    fn exact(&self) -> Result<Option<MoveReport>, Trouble> {
        let mut session = self.session.clone();
        let likely = outplay_workbench::is_tractable(&session, self.entry, self.place)?;
        session.time = session.time.map(|time| time.mul_f64(if likely { LIKELY } else { UNLIKELY }));
        let answer = outplay_workbench::query_best(&session, self.entry, self.place, self.watch)?;
        let Some(mv) = answer.best.first().filter(|_| answer.answer.is_known()).cloned() else {
            return Ok(None);
        };
        let report = self.described(mv, answer.answer, source(&answer), answer.line)?;
        Ok(Some(report))
    }

    /// The move of a player, with its value if that is known without a search.
    fn played(&self, player: &str) -> Result<MoveReport, Trouble> {
        let mut request = ChooseRequest::default();
        request.place = self.place.clone();
        request.player = player.into();
        request.seed = self.seed;
        request.files = true;
        let choice = outplay_workbench::choose(self.session, self.entry, &request, self.watch)?;
        let ChoiceAnswer { mv, player, opinion, depth, line, .. } = choice;
        let dice = player == "dice";
        let (session, entry, place, watch) = (self.session, self.entry, self.place, self.watch);
        let known = if player == "perfect" || player.starts_with("swindler") {
            // A player of exact values has just found them.
            Some(outplay_workbench::query(session, entry, place, watch)?)
        } else if let Some(known) = outplay_workbench::known_answer(session, entry, place, watch)? {
            Some(known)
        } else {
            outplay_workbench::known_verdicts(session, entry, place, watch)?
        };
        let valued = known.as_ref().filter(|_| !dice).and_then(|answer| {
            let known = answer.moves.iter().find(|known| known.mv == mv)?;
            (!matches!(known.answer, Answer::Unknown { .. })).then(|| (known.answer, source(answer)))
        });
        let most = self.entry.game().best_payoff();
        let (answer, from) = valued.unwrap_or_else(|| {
            (Answer::Unknown { low: -most, high: most }, if dice { "dice" } else { "player" }.to_string())
        });
        let mut report = self.described(mv, answer, from, line)?;
        if matches!(answer, Answer::Unknown { .. }) {
            report.opinion = opinion.map(|opinion| opinion / 100.0);
        }
        report.depth = (depth > 0).then_some(depth);
        report.player = Some(player);
        Ok(report)
    }

    fn described(
        &self,
        mv: String,
        answer: Answer,
        source: String,
        line: Vec<String>,
    ) -> Result<MoveReport, Trouble> {
        let game = self.entry.game();
        let pos = self.entry.locate(self.place)?;
        let san = game.spoken(&pos, game.read_move(&pos, &mv)?);
        Ok(MoveReport {
            game: game.spec(),
            position: game.write_position(&pos),
            to_move: game.turn(&pos),
            mv,
            san,
            answer,
            opinion: None,
            player: None,
            level: None,
            source,
            depth: None,
            line,
            seconds: 0.0,
        })
    }
}

/// The word of an answer's source.
fn source(answer: &QueryAnswer) -> String {
    serde_json::to_value(answer.source)
        .ok()
        .and_then(|word| word.as_str().map(str::to_string))
        .unwrap_or_default()
}
