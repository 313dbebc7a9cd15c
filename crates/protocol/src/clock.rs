//! Search limits and timeouts of external engines: `@200ms`, `@depth=5` or `@nodes=10000` in a player spec.

use outplay_runtime::Monitor;
use std::time::{Duration, Instant};

/// The search limit of an engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ThinkLimit {
    /// Time for a move.
    Time(Duration),
    /// Depth in plies.
    Depth(u32),
    /// Nodes.
    Nodes(u64),
}

/// Default time of a move.
const DEFAULT_TIME: Duration = Duration::from_secs(1);
/// Tolerated overrun of a move.
const GRACE: Duration = Duration::from_secs(5);
/// Timeout of a move that is limited by depth or nodes.
const UNTIMED_LIMIT: Duration = Duration::from_secs(60);

/// Parses the limit before the colon of a spec: a time as in `200ms`, `depth=5` or `nodes=10000`.
pub(crate) fn parse(text: &str) -> Result<ThinkLimit, String> {
    let bad = || {
        format!("`@{text}` is not a search limit; write a time as in `@200ms`, `@depth=5` or `@nodes=10000`")
    };
    if let Some(depth) = text.strip_prefix("depth=") {
        return depth.parse().ok().filter(|depth| *depth > 0).map(ThinkLimit::Depth).ok_or_else(bad);
    }
    if let Some(nodes) = text.strip_prefix("nodes=") {
        return nodes.parse().ok().filter(|nodes| *nodes > 0).map(ThinkLimit::Nodes).ok_or_else(bad);
    }
    let (digits, unit) = match text.strip_suffix("ms") {
        Some(digits) => (digits, 1e-3),
        None => (text.strip_suffix('s').unwrap_or(text), 1.0),
    };
    let seconds = digits.parse::<f64>().ok().map(|number| number * unit);
    let seconds = seconds.filter(|seconds| (1e-3..=86_400.0).contains(seconds)).ok_or_else(bad)?;
    Ok(ThinkLimit::Time(Duration::from_secs_f64(seconds)))
}

/// Returns the limit to send to an engine for a move, and the timeout of its answer.
///
/// The time left of a match includes a tolerance of 10 %, which is not passed on. A limit of the spec is sent as it is.
pub(crate) fn limit_of_move(wish: Option<ThinkLimit>, monitor: &dyn Monitor) -> (ThinkLimit, Instant) {
    let left = monitor.time_left();
    let limit = wish.unwrap_or_else(|| ThinkLimit::Time(left.map_or(DEFAULT_TIME, |left| left * 10 / 11)));
    let most = match (left, limit) {
        // The monitor stops at the match's own deadline.
        (Some(left), _) => left + GRACE,
        (None, ThinkLimit::Time(time)) => time + GRACE,
        (None, _) => UNTIMED_LIMIT,
    };
    (limit, Instant::now() + most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_runtime::{Deadline, NoMonitor};

    #[test]
    fn limits_are_parsed_and_applied() {
        assert_eq!(parse("200ms"), Ok(ThinkLimit::Time(Duration::from_millis(200))));
        assert_eq!(parse("2"), Ok(ThinkLimit::Time(Duration::from_secs(2))));
        assert_eq!(
            (parse("depth=5"), parse("nodes=7")),
            (Ok(ThinkLimit::Depth(5)), Ok(ThinkLimit::Nodes(7)))
        );
        for bad in ["", "0", "-1s", "depth=0", "fast"] {
            assert!(parse(bad).unwrap_err().contains("write a time"), "{bad}");
        }
        assert_eq!(limit_of_move(None, &NoMonitor).0, ThinkLimit::Time(DEFAULT_TIME));
        let monitor = Deadline::new(Some(Duration::from_secs(11)), &NoMonitor);
        let (ThinkLimit::Time(limit), _) = limit_of_move(None, &monitor) else { panic!("a time is told") };
        assert!(limit <= Duration::from_secs(10) && limit > Duration::from_secs(9), "{limit:?}");
        assert_eq!(limit_of_move(Some(ThinkLimit::Depth(3)), &monitor).0, ThinkLimit::Depth(3));
    }
}
