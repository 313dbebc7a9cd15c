//! Bit-parallel retrograde analysis of k-in-a-row boards: 512 positions per instruction.
//!
//! The positions of a board are split by *shape* (the set of occupied cells) and *colouring* (the owner of each
//! stone). The values of all colourings of a shape are Boolean functions of the colours, stored as bit-planes.
//! Tiers are solved by backward induction from the full board, each from the tier with one stone more:
//!
//! 1. Only *balanced* colourings have a bit: those with the stone counts that alternating turns produce. In the layout
//!    of `tight`, a move is nevertheless a copy of whole blocks of bits.
//! 2. Distances are levels on an absolute scale, so minimax is the min and max of bit-sliced numbers.
//! 3. If the player to move wins at once in every colouring of a block, the block's successors are not read.
//!
//! | file | contents |
//! |---|---|
//! | `field` | board geometry: stacks, variables and line masks |
//! | `tight` | layout of a plane: colex ranking of balanced colourings |
//! | `lane`, `x86`, `kernel` | 512-bit SIMD abstraction with run-time dispatch |
//! | `terms` | line detection for a whole block |
//! | `back`, `forth` | backward pass: values; forward pass: reachability |
//! | `mirror`, `shapes` | mirror symmetry |
//! | `plan`, `arena`, `context`, `engine` | memory plan, huge-page arenas, threads, in-memory solver |
//! | `slabs`, `schedule`, `slabwise` | out-of-core solver, slab by slab |
//! | `neighbours`, `prefetch`, `slab_store`, `plane_codec`, `compress` | cache, I/O and compression of slabs |
//! | `distributed` | slabs distributed over the ranks of a communicator |
//! | `answer`, `dense` | values of single positions |
//! | `export` | slots of the tight index for a table writer |
//!
//! This crate writes no tables: a [`Sink`] receives the values, tier by tier.
//!
//! ```
//! use outplay_core::{LineBoard, Value};
//! use outplay_runtime::NoMonitor;
//! use outplay_bitplane::{BitplaneOptions, Dense};
//!
//! let dense = Dense::new(&LineBoard::empty(3, 3, 3), &BitplaneOptions::distance(), &NoMonitor)?;
//! // After the corner, everything but the centre loses.
//! let corner = LineBoard::empty(3, 3, 3).after(0);
//! assert_eq!(dense.value(&corner), Some(Value::TIE));
//! assert_eq!(dense.value(&corner.after(1)).map(Value::payoff), Some(1));
//! # Ok::<(), outplay_bitplane::DenseError>(())
//! ```

mod answer;
mod arena;
mod back;
mod census;
mod compress;
mod context;
mod counts;
mod dense;
mod distributed;
mod engine;
mod error;
mod export;
mod field;
mod forth;
mod kernel;
mod lane;
mod mirror;
mod neighbours;
mod plan;
mod plane_codec;
mod prefetch;
mod schedule;
mod shapes;
mod slab_store;
mod slabs;
mod slabwise;
mod solve;
mod stages;
mod terms;
mod tight;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use counts::{Counts, PlyCounts};
pub use dense::Dense;
pub use error::DenseError;
pub use export::{Sink, Slots};
pub use lane::Level;
pub use plan::{Plan, TierPlan, plan};
pub use slab_store::{Part, SlabBytes, SlabKey, SlabStore};
pub use solve::{Balance, BitplaneOptions, PlaneValues, Solution, solve};
pub use stages::VALUES;

pub(crate) use field::BoardGeometry;
