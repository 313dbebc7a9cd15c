//! Progress stages of a solve: the forward pass, then the backward pass.

use outplay_runtime::Monitor;

/// Name of the forward stage.
const REACH: &str = "finding the reachable positions";
/// Name of the backward stage.
pub const VALUES: &str = "computing their values";
/// The forward stage's portion of the time, roughly: 26 % on mnk:5x4,k=4, 35 % on connect4:6x5.
const FORWARD: f64 = 0.3;

pub(crate) fn begin_reach(monitor: &dyn Monitor, units: u64) {
    monitor.portion(0.0..FORWARD);
    monitor.stage(REACH, units);
}

/// Begins the backward stage; a solve without counts has no forward stage before it.
pub(crate) fn begin_values(monitor: &dyn Monitor, units: u64, counting: bool) {
    monitor.portion(if counting { FORWARD } else { 0.0 }..1.0);
    monitor.stage(VALUES, units);
}
