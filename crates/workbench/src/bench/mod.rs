//! Benchmarks of solvers and searches: the commands of `outplay bench`.

mod classic;
mod dice;
mod engine;
mod searches;

pub use classic::{ClassicReport, ClassicRow, classic_speed};
pub use dice::chance_speed;
pub use engine::engine_speed;
pub use searches::{position_speed, search_speed};
