//! The player `alphabeta` on bitboards of lines.

use super::field::Field;
use super::judge::BitLines;
use super::search::{BoardSearch, Question, SURE};
use crate::alphabeta::spelled_limits;
use crate::judge::squeezed;
use crate::punctual::Punctual;
use crate::words::spelled;
use crate::{Choice, Judge, PlayError, Player, Weights};
use outplay_core::{Game, LineBoard, Watch};
use outplay_games::mnk::{Board, Mnk};
use outplay_index::Bits;
use outplay_search::Limits;
use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

/// Looks ahead on a bitboard.
struct BoardPlayer<B> {
    game: Mnk<B>,
    field: Field<B>,
    judge: Option<Arc<BitLines<B>>>,
    limits: Limits,
    entries: usize,
    search: Option<BoardSearch<B>>,
    punctual: Punctual,
}

impl<B: Bits> BoardPlayer<B> {
    fn new(
        game: &Mnk<B>,
        start: &LineBoard,
        weights: Option<Weights>,
        limits: Limits,
    ) -> Option<BoardPlayer<B>> {
        let field = Field::new(start)?;
        let judge = match weights {
            Some(weights) => Some(Arc::new(BitLines::new(start, weights)?)),
            None => None,
        };
        // A shallow search fills a small table only, and a small one stays in the cache.
        let shallow = limits.depth.is_some_and(|depth| depth <= 8);
        let entries = if shallow { 1 << 14 } else { 1 << 20 };
        Some(BoardPlayer {
            game: game.clone(),
            field,
            judge,
            limits,
            entries,
            search: None,
            punctual: Punctual::default(),
        })
    }
}

impl<B: Bits> Player<Mnk<B>> for BoardPlayer<B> {
    fn spec(&self) -> String {
        let mut options = spelled_limits(&self.limits);
        let eval = self.judge.as_ref().map_or("zero".into(), |judge| Judge::<Mnk<B>>::spec(&**judge));
        options.push(("eval", eval));
        spelled("alphabeta", &options)
    }

    fn begin(&mut self, _seed: u64) {
        match &mut self.search {
            Some(search) => search.clear(),
            // Making the table is no part of a move's time.
            None => {
                self.search = Some(BoardSearch::new(self.field.clone(), self.judge.clone(), self.entries))
            }
        }
    }

    fn choose(&mut self, pos: &Board<B>, watch: &dyn Watch) -> Result<Choice<u8>, PlayError> {
        let began = Instant::now();
        if self.game.outcome(pos).is_some() {
            return Err(PlayError::NoMove);
        }
        let [first, second] = pos.stones;
        let (own, other) = if pos.second_to_move { (second, first) } else { (first, second) };
        let open = self.field.open(own | other);
        let won = self.field.threats(own, other) & open;
        if won != B::NONE {
            return Ok(Choice::won(won.lowest() as u8));
        }
        let threats = self.field.threats(other, own);
        let averted = threats & open;
        let safe = if self.field.gravity { open & !(threats >> 1) } else { open };
        let among = [averted, safe, open].into_iter().find(|cells| *cells != B::NONE).unwrap_or(open);
        if among.count() == 1 {
            let mv = among.lowest() as u8;
            return Ok(Choice { line: vec![mv], depth: 1, nodes: 1, ..Choice::plain(mv) });
        }
        let search = self
            .search
            .get_or_insert_with(|| BoardSearch::new(self.field.clone(), self.judge.clone(), self.entries));
        let end = self.limits.time.map(|time| self.punctual.end(began, time));
        let question = Question { own, other, first: !pos.second_to_move, among, limits: self.limits, end };
        let sought = search.search(&question, watch);
        if let Some(end) = end {
            self.punctual.made(end);
        }
        if watch.stopped() {
            return Err(PlayError::Stopped);
        }
        let opinion = match sought.score {
            score if score > SURE => 100.0,
            score if score < -SURE => -100.0,
            score => {
                squeezed(score, self.judge.as_ref().map_or(100, |judge| Judge::<Mnk<B>>::unit(&**judge)))
            }
        };
        Ok(Choice {
            mv: sought.cell as u8,
            nodes: sought.nodes,
            depth: sought.depth,
            opinion: Some(opinion),
            line: sought.line,
        })
    }

    fn bytes(&self) -> usize {
        self.search.as_ref().map_or(0, BoardSearch::bytes)
    }
}

/// A player of one type as that of another, if the types are the same.
fn same<G: Game, H: Game>(player: Box<dyn Player<H>>) -> Option<Box<dyn Player<G>>> {
    (Box::new(player) as Box<dyn Any>).downcast::<Box<dyn Player<G>>>().ok().map(|player| *player)
}

/// The fast player, if the game is one of lines on a bitboard in which lines win.
pub(crate) fn player<G: Game>(
    game: &G,
    weights: Option<Weights>,
    limits: Limits,
) -> Option<Box<dyn Player<G>>> {
    let any = game as &dyn Any;
    if let Some(game) = any.downcast_ref::<Mnk<u64>>() {
        let start = game.rules().start();
        let player = BoardPlayer::new(game, start, weights, limits).filter(|_| !start.misere)?;
        return same::<G, Mnk<u64>>(Box::new(player));
    }
    let game = any.downcast_ref::<Mnk<u128>>()?;
    let start = game.rules().start();
    let player = BoardPlayer::new(game, start, weights, limits).filter(|_| !start.misere)?;
    same::<G, Mnk<u128>>(Box::new(player))
}
