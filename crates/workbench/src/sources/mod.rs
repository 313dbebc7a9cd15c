//! The sources of the ladder, one file each; the type is named like the file.

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
mod theory;
mod value_iteration;

pub(crate) use board::falling;
pub(crate) use connect::score_of;
pub(crate) use solved::SolvedSubgame;
pub(crate) use value_iteration::EQUAL;

use crate::ValueSource;

/// The ladder, in the order in which sources are asked.
pub(crate) const LADDER: [&dyn ValueSource; 14] = [
    &rules::Rules,
    &table::Table,
    &solved::Solved,
    &book::Book,
    &bitplane::Bitplane::EARLY,
    &cached::Cached,
    &theory::Theory,
    &connect::Connect,
    &bitplane::Bitplane::LATE,
    &proof::Proof,
    &value_iteration::ValueIteration,
    &memo::Memo,
    &retrograde::Retrograde,
    &engine::Engine,
];
