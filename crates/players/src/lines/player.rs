//! The player `alphabeta` on k-in-a-row bitboards, with the specialised search of `search.rs`.

use super::field::BoardGeometry;
use super::judge::BitLines;
use super::search::{BoardSearch, PROVEN, SearchRequest};
use crate::alphabeta::format_limits;
use crate::distribution::determined;
use crate::judge::squeezed;
use crate::punctual::Punctual;
use crate::techniques::Techniques;
use crate::words::format_spec;
use crate::{Choice, Distribution, Judge, PlayError, Player, Weights};
use outplay_core::{AnyGame, AnyPosition, Game, Native};
use outplay_games::mnk::Mnk;
use outplay_index::Bits;
use outplay_runtime::Monitor;
use outplay_search::SearchLimits;
use std::sync::Arc;
use std::time::Instant;

/// A player with the bitboard search.
struct BoardPlayer<B: Bits> {
    native: Native<Mnk<B>>,
    field: BoardGeometry<B>,
    judge: Option<Arc<BitLines<B>>>,
    limits: SearchLimits,
    keep: bool,
    entries: usize,
    search: Option<BoardSearch<B>>,
    punctual: Punctual,
}

impl<B: Bits> BoardPlayer<B> {
    /// `None` for a misère game.
    fn new(
        game: &Mnk<B>,
        weights: Option<Weights>,
        limits: SearchLimits,
        keep: bool,
    ) -> Option<BoardPlayer<B>> {
        let start = game.rules().start();
        let field = BoardGeometry::new(start).filter(|_| !start.misere)?;
        let judge = match weights {
            Some(weights) => Some(Arc::new(BitLines::new(game, weights)?)),
            None => None,
        };
        // A shallow search fills a small table only, and a small one stays in the CPU cache.
        let shallow = limits.depth.is_some_and(|depth| depth <= 8);
        let entries = if shallow { 1 << 14 } else { 1 << 20 };
        Some(BoardPlayer {
            native: Native::new(game.clone()),
            field,
            judge,
            limits,
            keep,
            entries,
            search: None,
            punctual: Punctual::default(),
        })
    }
}

impl<B: Bits> Player for BoardPlayer<B> {
    fn spec(&self) -> String {
        let mut options = format_limits(&self.limits);
        options.extend(Techniques { keep: self.keep, ..Techniques::default() }.to_options());
        let eval = self.judge.as_ref().map_or("zero".into(), |judge| judge.spec());
        options.push(("eval", eval));
        format_spec("alphabeta", &options)
    }

    fn begin(&mut self, _seed: u64) {
        match &mut self.search {
            Some(search) => search.clear(),
            // Allocating the table here keeps it out of a move's time.
            None => {
                self.search = Some(BoardSearch::new(self.field.clone(), self.judge.clone(), self.entries))
            }
        }
    }

    fn choose(&mut self, any: &AnyPosition, monitor: &dyn Monitor) -> Result<Choice, PlayError> {
        let began = Instant::now();
        let pos = self.native.pos(any);
        if self.native.game.outcome(pos).is_some() {
            return Err(PlayError::NoMove);
        }
        let named = |cell: u8| self.native.any_move(any, cell).ok_or(PlayError::NoMove);
        let [first, second] = pos.stones;
        let (own, other) = if pos.second_to_move { (second, first) } else { (first, second) };
        let open = self.field.open(own | other);
        let won = self.field.threats(own, other) & open;
        if won != B::NONE {
            return Ok(Choice::won(named(won.lowest() as u8)?));
        }
        let threats = self.field.threats(other, own);
        let averted = threats & open;
        let safe = if self.field.gravity { open & !(threats >> 1) } else { open };
        let among = [averted, safe, open].into_iter().find(|cells| *cells != B::NONE).unwrap_or(open);
        if among.count() == 1 {
            let mv = named(among.lowest() as u8)?;
            return Ok(Choice { line: vec![mv], depth: 1, ..Choice::plain(mv) }.after_sight(1));
        }
        let search = self
            .search
            .get_or_insert_with(|| BoardSearch::new(self.field.clone(), self.judge.clone(), self.entries));
        if !self.keep {
            search.clear();
        }
        let end = self.limits.time.map(|time| self.punctual.end(began, time));
        let request =
            SearchRequest { own, other, first: !pos.second_to_move, among, limits: self.limits, end };
        let outcome = search.search(&request, monitor);
        if let Some(end) = end {
            self.punctual.made(end);
        }
        if outcome.stopped && outcome.depth == 0 {
            return Err(PlayError::Stopped);
        }
        let opinion = match outcome.score {
            score if score > PROVEN => 100.0,
            score if score < -PROVEN => -100.0,
            score => squeezed(score, self.judge.as_ref().map_or(100, |judge| judge.unit())),
        };
        let choice = Choice {
            depth: outcome.depth,
            opinion: Some(opinion),
            line: self.native.any_line(any, &outcome.line),
            stopped: outcome.stopped,
            ..Choice::plain(named(outcome.cell as u8)?)
        };
        Ok(choice.after(outcome.counters))
    }

    fn distribution(
        &mut self,
        pos: &AnyPosition,
        monitor: &dyn Monitor,
    ) -> Result<Option<Distribution>, PlayError> {
        if self.limits.time.is_some() || self.keep { Ok(None) } else { determined(self, pos, monitor) }
    }

    fn bytes(&self) -> usize {
        self.search.as_ref().map_or(0, BoardSearch::bytes)
    }
}

/// The bitboard player, if the game is k in a row on a bitboard and not misère.
pub(crate) fn player(
    game: &AnyGame,
    weights: Option<Weights>,
    limits: SearchLimits,
    keep: bool,
) -> Option<Box<dyn Player>> {
    if let Some(game) = game.get::<Mnk<u64>>() {
        return Some(Box::new(BoardPlayer::new(game, weights, limits, keep)?));
    }
    Some(Box::new(BoardPlayer::new(game.get::<Mnk<u128>>()?, weights, limits, keep)?))
}
