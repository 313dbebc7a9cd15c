//! What a position looks like, what can be done there, and what a player would do.

use crate::Trouble;
use crate::answers::{ChoiceAnswer, View};
use crate::entry::Entry;
use crate::handle::{ChooseRequest, Place};
use outplay_core::{Game, Notation, Turn, Watch};
use outplay_players::Kit;
use std::time::Instant;

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

    /// What players of this game are made from.
    pub(crate) fn kit(&self) -> Kit<G> {
        Kit { game: self.game.clone(), board: self.board, truth: None }
    }

    pub(crate) fn choose_move(
        &self,
        request: &ChooseRequest,
        watch: &dyn Watch,
    ) -> Result<ChoiceAnswer, Trouble> {
        let pos = self.locate(&request.place)?;
        let mut player = self.kit().player(&request.player)?;
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
