//! Value source `engine` (see `ladder`): alpha-beta search of any game, which probes tables and solved subgames.

use super::board::empty_cells;
use crate::kernels::EngineRequest;
use crate::{Cost, ProvenValue, Question, Source, SourceResult, Trouble, ValueSource};
use outplay_core::{AnyMove, AnyPosition, Game, ProbeError, Value};
use outplay_runtime::Monitor;
use outplay_search::{SearchLimits, SearchResult};

/// Number of empty cells of a board from which a search to the end is hopeless.
const HOPELESS: usize = 40;

/// Alpha-beta to the end of the game.
pub(crate) struct EngineSource;

/// The result of a search to the end of the game.
pub(crate) struct EngineSearch {
    pub(crate) proven: ProvenValue,
    /// A move that was proved best.
    pub(crate) best: Vec<AnyMove>,
    pub(crate) report: SearchResult<AnyMove>,
    /// Whether it had known values to probe.
    pub(crate) informed: bool,
}

impl EngineSearch {
    /// Number of positions answered by known values, if there were any to probe.
    pub(crate) fn probe_hits(&self) -> Option<u64> {
        self.informed.then_some(self.report.counts.probe_hits)
    }
}

impl ValueSource for EngineSource {
    fn cost(&self, ask: &Question<'_>) -> Cost {
        let game = ask.handle.game();
        let vast = game.board(ask.pos).is_some_and(|board| empty_cells(&board) > HOPELESS);
        // For any other game, only trying shows whether the search finishes.
        if game.has_dice() || vast { Cost::Never } else { Cost::Open { likely: false } }
    }

    fn value(&self, ask: &Question<'_>) -> Result<Option<SourceResult>, Trouble> {
        let table = ask.unless_late(ask.session.table(ask.handle, ask.clock))?.flatten();
        let subgames = ask.session.subgames(ask.handle);
        let known = |pos: &AnyPosition| -> Result<Option<Value>, Trouble> {
            if let Some(table) = &table
                && let Some(value) = table.value(pos)?
            {
                return Ok(Some(value));
            }
            for subgame in &subgames {
                if let Some(ProvenValue::Exact(value)) = subgame.proven(ask.handle.game(), pos)? {
                    return Ok(Some(value));
                }
            }
            Ok(None)
        };
        let informed = table.is_some() || !subgames.is_empty();
        let Some(found) = search(ask, informed.then_some(&known))? else { return Ok(None) };
        let finding = SourceResult::new(found.proven, Source::Search);
        let (nodes, probe_hits) = (found.report.counts.nodes, found.probe_hits());
        Ok(Some(SourceResult { best: found.best, nodes, probe_hits, ..finding }))
    }
}

/// Exact values that a search may probe.
pub(crate) type KnownValues<'a> = dyn Fn(&AnyPosition) -> Result<Option<Value>, Trouble> + Sync + 'a;

/// Searches a position to the end of the game and probes `known`; `None` for games with chance.
pub(crate) fn search(
    ask: &Question<'_>,
    known: Option<&KnownValues<'_>>,
) -> Result<Option<EngineSearch>, Trouble> {
    ask.clock.stage("searching", 0);
    let probe = known
        .map(|known| move |pos: &AnyPosition| known(pos).map_err(|trouble| ProbeError(trouble.to_string())));
    let seek = EngineRequest {
        hash: ask.session.hash,
        threads: ask.session.threads,
        limits: SearchLimits { time: ask.clock.rest(), ..SearchLimits::NONE },
        known: probe.as_ref().map(|probe| probe as _),
    };
    let Some(report) = ask.handle.kernels().search(ask.pos, seek, ask.clock) else { return Ok(None) };
    let report = report?;
    let proven = ProvenValue::found(report.answer, ask.handle.game().best_payoff());
    // A move that was not proved best is not reported.
    let best = report.best.filter(|_| proven.is_settled()).into_iter().collect();
    Ok(Some(EngineSearch { proven, best, report, informed: known.is_some() }))
}
