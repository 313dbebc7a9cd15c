//! The rungs of the ladder, one file each.

mod board;
mod book;
mod connect;
mod engine;
mod kept;
mod loops;
mod means;
mod memo;
mod planes;
mod proof;
mod rules;
mod solved;
mod table;
mod theory;

pub(crate) use connect::score_of;
pub(crate) use means::EQUAL;
pub(crate) use solved::Whole;

use crate::ladder::Rung;

/// The ladder: whoever knows soonest is asked first.
pub(crate) const LADDER: [&dyn Rung; 14] = [
    &rules::Finished,
    &table::OnDisk,
    &solved::InMemory,
    &book::Openings,
    &planes::Blink,
    &kept::Written,
    &theory::Theorem,
    &connect::Falling,
    &planes::Longer,
    &proof::Proved,
    &means::Settled,
    &memo::Remembering,
    &loops::Backwards,
    &engine::Looking,
];
