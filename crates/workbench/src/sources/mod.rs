//! The value sources, in the order in which a query tries them (the ladder, see `ladder`). Each has a file of its own,
//! such as `table.rs` for `TableSource`.

mod bitplane;
mod board;
mod book;
mod cached;
pub(crate) mod connect;
pub(crate) mod engine;
mod memo;
pub(crate) mod proof;
pub(crate) mod retrograde;
mod rules;
mod solved;
mod table;
pub(crate) mod theory;
mod value_iteration;

pub(crate) use board::falling;
pub(crate) use connect::score_of;
pub(crate) use solved::SolvedSubgame;
pub(crate) use value_iteration::EQUAL;

use crate::ValueSource;

/// The ladder, in the order in which sources are asked.
pub(crate) const LADDER: [&dyn ValueSource; 14] = [
    &rules::RulesSource,
    &table::TableSource,
    &solved::SolvedSource,
    &book::BookSource,
    &bitplane::BitplaneSource::EARLY,
    &cached::CachedSource,
    &theory::TheorySource,
    &connect::ConnectSource,
    &bitplane::BitplaneSource::LATE,
    &proof::ProofSource,
    &value_iteration::ValueIterationSource,
    &memo::MemoSource,
    &retrograde::RetrogradeSource,
    &engine::EngineSource,
];
