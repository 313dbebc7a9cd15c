//! Every position of a k-in-a-row board at once.
//!
//! The values of all colourings of one *shape* (where stones lie) are Boolean functions of the colours, so
//! bit-planes hold them and one instruction works on up to 512 positions. Three ideas make it fast:
//!
//! 1. Only *balanced* colourings get a bit, those in which the players have as many stones as alternating
//!    turns give them; see `tight` for the layout that keeps them and still makes moves plain copies.
//! 2. Distances are levels on an absolute scale, so best play is min and max of bit-sliced numbers.
//! 3. A block of colourings in which the mover wins at once looks at no child at all.
//!
//! | file | noun |
//! |---|---|
//! | `field` | the board as stacks, variables and lines |
//! | `tight` | the layout of a plane |
//! | `lane`, `x86`, `kernel` | 512 bits on each kind of processor, chosen at run time |
//! | `terms` | "there is a line" for a whole block |
//! | `back`, `forth` | values from children, legal positions from parents |
//! | `relay`, `shapes` | mirror symmetry |
//! | `plan`, `arena`, `workshop`, `engine` | memory, threads, the order of things |
//! | `slabs`, `neighbours`, `porter`, `depot`, `squeeze`, `slabwise` | the same for boards beyond memory, slab by slab |
//! | `dealt` | the same on several machines, each with its slabs |
//! | `answer`, `dense` | values of single positions |
//! | `export` | slots of the tight index for a table writer |
//!
//! Nothing here writes tables: a [`Sink`] takes the values, tier by tier.
//!
//! ```
//! use outplay_core::{LineBoard, Quiet, Value};
//! use outplay_dense::{Dense, Options};
//!
//! let dense = Dense::new(&LineBoard::empty(3, 3, 3), &Options::distance(), &Quiet)?;
//! // After the corner, everything but the centre loses.
//! let corner = LineBoard::empty(3, 3, 3).after(0);
//! assert_eq!(dense.value(&corner), Some(Value::TIE));
//! assert_eq!(dense.value(&corner.after(1)).map(Value::payoff), Some(1));
//! # Ok::<(), outplay_dense::DenseError>(())
//! ```

mod answer;
mod arena;
mod back;
mod census;
mod counts;
mod dealt;
mod dense;
mod depot;
mod engine;
mod error;
mod export;
mod field;
mod forth;
mod kernel;
mod lane;
mod neighbours;
mod plan;
mod porter;
mod press;
mod relay;
mod shapes;
mod slabs;
mod slabwise;
mod solve;
mod squeeze;
mod terms;
mod tight;
mod workshop;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use counts::{Counts, PlyCounts};
pub use dense::Dense;
pub use depot::{Depot, Key, Packed, Part};
pub use error::DenseError;
pub use export::{Sink, Slots};
pub use lane::Level;
pub use plan::{Plan, TierPlan, plan};
pub use solve::{Balance, Options, Solution, Values, solve};

pub(crate) use field::Field;
