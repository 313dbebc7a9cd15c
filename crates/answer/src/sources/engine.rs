//! The generic engine: alpha-beta that asks whoever knows about the positions it meets.

use super::board::empty_cells;
use crate::Trouble;
use crate::answers::Source;
use crate::kernels::Seek;
use crate::ladder::{Ask, Cost, Known, Rung, Worth};
use outplay_core::{AnyPosition, Game, ProbeError, Value, Watch};
use outplay_search::Limits;

/// Empty cells of a board with which a search to the end is hopeless.
const HOPELESS: usize = 40;

/// Alpha-beta to the end of the game.
pub(super) struct Looking;

impl Rung for Looking {
    fn cost(&self, ask: &Ask<'_>) -> Cost {
        let game = ask.entry.game();
        let vast = game.board(ask.pos).is_some_and(|board| empty_cells(&board) > HOPELESS);
        // Whether a search of any other game comes to an end shows only when it is tried.
        if game.has_dice() || vast { Cost::Never } else { Cost::Open { likely: false } }
    }

    fn value(&self, ask: &Ask<'_>) -> Result<Option<Known>, Trouble> {
        let table = match &ask.options.data {
            Some(data) => ask.unless_late(ask.entry.kept_table(data, ask.clock))?.flatten(),
            None => None,
        };
        let wholes = ask.entry.wholes();
        let known = |pos: &AnyPosition| -> Result<Option<Value>, ProbeError> {
            let told = |trouble: Trouble| ProbeError(trouble.to_string());
            if let Some(value) =
                table.as_ref().map(|table| table.value(pos)).transpose().map_err(told)?.flatten()
            {
                return Ok(Some(value));
            }
            for whole in &wholes {
                if let Some(Worth::Exact(value)) = whole.worth(ask.entry.game(), pos).map_err(told)? {
                    return Ok(Some(value));
                }
            }
            Ok(None)
        };
        let informed = table.is_some() || !wholes.is_empty();
        ask.clock.stage("searching", 0);
        let seek = Seek {
            hash: ask.options.hash,
            threads: ask.options.threads,
            limits: Limits { time: ask.clock.rest(), ..Limits::NONE },
            known: informed.then_some(&known),
        };
        let Some(report) = ask.entry.kernels().search(ask.pos, seek, ask.clock) else { return Ok(None) };
        let report = report?;
        let worth = Worth::found(report.answer, ask.entry.game().best_payoff());
        // A move that was not proved best is no advice.
        let best = report.best.filter(|_| worth.is_settled()).into_iter().collect();
        Ok(Some(Known {
            best,
            nodes: report.counts.nodes,
            probe_hits: informed.then_some(report.counts.probe_hits),
            ..Known::new(worth, Source::Search)
        }))
    }
}
