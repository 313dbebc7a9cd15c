//! What a position looks like, who can play it, and what a player would do.

use crate::Trouble;
use crate::answers::{Answer, ChoiceAnswer, QueryAnswer, View};
use crate::entry::Entry;
use crate::request::{ChooseRequest, Place, QueryOptions};
use crate::truth::Oracle;
use outplay_core::{
    AnyPosition, Chance, Counters, Game, LineBoard, Mark, Notation, Picture, Tone, Turn, Verdict, Watch,
};
use outplay_players::{About, Kit};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use serde::Serialize;
use std::sync::Arc;
use std::time::Instant;

/// Who can play a game.
#[derive(Clone, Debug, Serialize)]
pub struct PlayerList {
    /// The game's spec.
    pub game: String,
    /// The kinds of players that it can have.
    pub players: Vec<About>,
    /// Specs of players, each stronger than the one before, for somebody who wants to choose a level.
    pub levels: Vec<String>,
}

/// Reads a file that a player's spec names.
fn read_file(name: &str) -> Result<String, String> {
    std::fs::read_to_string(name).map_err(|error| {
        format!(
            "`{name}` is neither a set of weights (paper, extended) nor a file that can be read ({error})"
        )
    })
}

impl Entry {
    /// What a position looks like and which moves it has.
    ///
    /// # Errors
    ///
    /// Bad input.
    pub fn view(&self, place: &Place) -> Result<View, Trouble> {
        let game = self.game();
        let pos = self.locate(place)?;
        Ok(View {
            game: game.spec(),
            position: game.write_position(&pos),
            to_move: game.turn(&pos),
            outcome: game.outcome(&pos),
            scene: game.scene(&pos),
        })
    }

    /// A picture of a position, with the values of its moves if they were found.
    ///
    /// # Errors
    ///
    /// Bad input.
    pub fn draw(&self, place: &Place, values: Option<&QueryAnswer>) -> Result<Picture, Trouble> {
        let pos = self.locate(place)?;
        let mut marks = Vec::new();
        for answer in values.map(|values| values.moves.as_slice()).unwrap_or_default() {
            let Some(verdict) = answer.answer.verdict() else { continue };
            let distance = answer.answer.distance().map(|plies| plies.to_string()).unwrap_or_default();
            let (text, tone) = match verdict {
                Verdict::Win => (format!("+{distance}"), Tone::Win),
                Verdict::Draw => ("=".to_string(), Tone::Draw),
                Verdict::Loss => (format!("-{distance}"), Tone::Loss),
            };
            marks.push(Mark { mv: self.game().read_move(&pos, &answer.mv)?, text, tone });
        }
        Ok(self.game().draw(&pos, &marks))
    }

    /// The board of a position, for games of lines.
    ///
    /// # Errors
    ///
    /// Bad input, or a game of another kind.
    pub fn board(&self, place: &Place) -> Result<LineBoard, Trouble> {
        let pos = self.locate(place)?;
        let why = || Trouble::unable(format!("{} is not a game of lines on a board", self.spec()));
        self.game().board(&pos).ok_or_else(why)
    }

    /// What players of this game are made from, with exact knowledge and leave to read files and start
    /// programs.
    ///
    /// What it learns is kept for the next caller.
    pub fn kit(&self, options: &QueryOptions) -> Kit {
        let truth = Oracle::new(self.clone(), options.clone());
        Kit {
            game: self.game().clone(),
            minds: self.minds(),
            truth: Some(Arc::new(truth)),
            files: Some(read_file),
            threads: 1,
            outside: self.outside(),
            guests: Vec::new(),
        }
    }

    /// The players that this game can have, and an order of strength to choose from.
    pub fn players(&self, options: &QueryOptions) -> PlayerList {
        let kit = self.kit(options);
        let mut levels = kit.levels();
        // A level that cannot make its first move is none.
        if self.exact(&Place::Start, options).is_ok_and(|exact| !exact) {
            levels.retain(|level| level != "perfect");
        }
        PlayerList { game: self.spec(), players: kit.roster(), levels }
    }

    /// Whether this game can have a player.
    ///
    /// # Errors
    ///
    /// A spec that makes no sense, or that makes none here.
    pub fn check_player(&self, spec: &str, options: &QueryOptions) -> Result<(), Trouble> {
        self.kit(options).player(spec)?;
        Ok(())
    }

    /// The move that a player would make. Where the dice have the turn, they roll, whoever is asked.
    ///
    /// # Errors
    ///
    /// Bad input, a player that this game cannot have, or a stop.
    pub fn choose(&self, request: &ChooseRequest, watch: &dyn Watch) -> Result<ChoiceAnswer, Trouble> {
        let game = self.game();
        let pos = self.locate(&request.place)?;
        if let Some(roll) = self.roll(&pos, request.seed) {
            return Ok(roll);
        }
        let mut kit = self.kit(&request.options);
        kit.files = kit.files.filter(|_| request.files);
        kit.threads = request.options.threads;
        kit.outside = kit.outside.filter(|_| request.files);
        let mut player = kit.player(&request.player)?;
        player.begin(request.seed);
        let began = Instant::now();
        let choice = player.choose(&pos, watch)?;
        let mut line = Vec::new();
        let mut at = pos.clone();
        for &mv in &choice.line {
            line.push(game.write_move(&at, mv));
            at = game.play(&at, mv);
        }
        Ok(ChoiceAnswer {
            game: game.spec(),
            position: game.write_position(&pos),
            player: player.spec(),
            mv: game.write_move(&pos, choice.mv),
            nodes: choice.nodes,
            depth: choice.depth,
            opinion: choice.opinion,
            line,
            seconds: began.elapsed().as_secs_f64(),
            counters: choice.counters,
        })
    }

    /// A roll, each outcome as likely as the rules say; `None` if it is a player's turn.
    fn roll(&self, pos: &AnyPosition, seed: u64) -> Option<ChoiceAnswer> {
        let game = self.game();
        if game.turn(pos) != Turn::Chance || game.outcome(pos).is_some() {
            return None;
        }
        let mut outcomes = Vec::new();
        game.outcomes(pos, &mut outcomes);
        let mut left: f64 = SmallRng::seed_from_u64(seed).random();
        let mut rolled = outcomes.last()?.0;
        for &(mv, probability) in &outcomes {
            left -= probability;
            if left < 0.0 {
                rolled = mv;
                break;
            }
        }
        let mv = game.write_move(pos, rolled);
        Some(ChoiceAnswer {
            game: game.spec(),
            position: game.write_position(pos),
            player: "dice".into(),
            line: vec![mv.clone()],
            mv,
            nodes: 0,
            depth: 0,
            opinion: None,
            seconds: 0.0,
            counters: Counters::default(),
        })
    }
}

/// Whether nothing is left to find out about a position and its moves.
pub fn is_complete(answer: &QueryAnswer) -> bool {
    answer.answer.is_known() && answer.moves.iter().all(|mv| !matches!(mv.answer, Answer::Unknown { .. }))
}
