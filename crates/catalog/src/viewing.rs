//! What a position looks like, what can be done there, and what a player would do.

use crate::Trouble;
use crate::answers::{ChoiceAnswer, View};
use crate::entry::Entry;
use crate::handle::{ChooseRequest, Place, QueryOptions};
use outplay_core::{Game, Notation, Turn, Watch};
use outplay_players::{About, Kit, Truth};
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

impl<G: Game + Notation> Entry<G> {
    pub(crate) fn view_position(&self, place: &Place) -> Result<View, Trouble> {
        let pos = self.locate(place)?;
        let outcome = self.game.outcome(&pos);
        Ok(View {
            game: self.game.spec(),
            position: self.game.write_position(&pos),
            to_move: match self.game.turn(&pos) {
                Turn::First => "first",
                Turn::Second => "second",
                Turn::Chance => "chance",
            },
            outcome,
            scene: self.game.scene(&pos),
        })
    }

    /// What players of this game are made from, exact knowledge left out.
    pub(crate) fn kit(&self) -> Kit<G> {
        Kit { board: self.board, dice: self.falls, ..Kit::new(self.game.clone()) }
    }

    /// The same with exact knowledge, as far as there can be any, and leave to read files.
    ///
    /// What it learns is kept for the next caller.
    pub(crate) fn kit_with(&self, options: &QueryOptions) -> Result<Kit<G>, Trouble> {
        let truth: Arc<dyn Truth<G>> = self.oracle(options)?;
        Ok(Kit { truth: Some(truth), files: Some(read_file), ..self.kit() })
    }

    pub(crate) fn list_players(&self, options: &QueryOptions) -> PlayerList {
        let kit = self.kit_with(options).unwrap_or_else(|_| self.kit());
        let mut levels = kit.levels();
        // A level that cannot make its first move is none.
        if self.is_exact(&Place::Start, options).is_ok_and(|exact| !exact) {
            levels.retain(|level| level != "perfect");
        }
        PlayerList { game: self.game.spec(), players: kit.roster(), levels }
    }

    pub(crate) fn choose_move(
        &self,
        request: &ChooseRequest,
        watch: &dyn Watch,
    ) -> Result<ChoiceAnswer, Trouble> {
        let pos = self.locate(&request.place)?;
        let mut kit = self.kit_with(&request.options)?;
        kit.files = kit.files.filter(|_| request.files);
        let mut player = kit.player(&request.player)?;
        player.begin(request.seed);
        let began = Instant::now();
        let choice = player.choose(&pos, watch)?;
        let mut line = Vec::new();
        let mut at = pos.clone();
        for &mv in &choice.line {
            line.push(self.game.write_move(&at, mv));
            at = self.game.play(&at, mv);
        }
        Ok(ChoiceAnswer {
            game: self.game.spec(),
            position: self.game.write_position(&pos),
            player: player.spec(),
            mv: self.game.write_move(&pos, choice.mv),
            nodes: choice.nodes,
            depth: choice.depth,
            opinion: choice.opinion,
            line,
            seconds: began.elapsed().as_secs_f64(),
        })
    }
}
