//! Value source `proof` (see `ladder`): win, draw or loss of a line board without gravity, by proof search.

use super::board::{empty_cells, moves_to, provable};
use crate::{Cost, ProvenValue, Question, Session, Source, SourceResult, Trouble, ValueSource, between};
use outplay_core::LineBoard;
use outplay_proof::{ProofLimits, ProveError};
use outplay_runtime::{Deadline, Monitor};

/// Number of empty cells up to which the proof search usually answers in seconds.
const PROVED: usize = 30;

/// The proof search.
pub(crate) struct ProofSource;

impl ValueSource for ProofSource {
    fn cost(&self, ask: &Question<'_>) -> Cost {
        match provable(ask.handle, ask.pos) {
            Some(board) => Cost::Open { likely: empty_cells(&board) <= PROVED },
            None => Cost::Never,
        }
    }

    fn value(&self, ask: &Question<'_>) -> Result<Option<SourceResult>, Trouble> {
        let Some(board) = provable(ask.handle, ask.pos) else { return Ok(None) };
        let (proven, found) = prove(ask.session, &board, false, &ask.quiet())?;
        // A best move without an exact value is not reported.
        let best = found.best.filter(|_| proven.is_settled()).into_iter().collect::<Vec<usize>>();
        let best = moves_to(&board, &best);
        Ok(Some(SourceResult { best, nodes: found.positions, ..SourceResult::new(proven, Source::Search) }))
    }
}

/// Proves the value of a board, with a proof file on request.
pub(crate) fn prove(
    session: &Session,
    board: &LineBoard,
    written: bool,
    clock: &Deadline<'_>,
) -> Result<(ProvenValue, outplay_proof::ProofResult), ProveError> {
    clock.stage("proving", 0);
    let limits = ProofLimits {
        time: clock.rest(),
        bytes: session.memory / 2,
        proof: written,
        ..ProofLimits::default()
    };
    let found = outplay_proof::prove(board, &limits, clock)?;
    Ok((between(found.low as i32 - 1, found.high as i32 - 1), found))
}
