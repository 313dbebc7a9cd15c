//! How long a program outside may think, and how it is said.

use outplay_core::Watch;
use std::time::{Duration, Instant};

/// What a program is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Think {
    /// So much time.
    Time(Duration),
    /// So many plies.
    Depth(u32),
    /// So many positions.
    Nodes(u64),
}

/// How long a program thinks if nobody says.
const USUAL: Duration = Duration::from_secs(1);
/// How much longer than it should a program may take where no match counts its time.
const GRACE: Duration = Duration::from_secs(5);
/// How long one may take that is asked for plies or positions.
const OPEN: Duration = Duration::from_secs(60);

/// What a spec says before its colon: a time as in `200ms`, `depth=5` or `nodes=10000`.
pub(crate) fn parse(text: &str) -> Result<Think, String> {
    let bad = || {
        format!(
            "`@{text}` is not how long to think; write a time as in `@200ms`, `@depth=5` or `@nodes=10000`"
        )
    };
    if let Some(depth) = text.strip_prefix("depth=") {
        return depth.parse().ok().filter(|depth| *depth > 0).map(Think::Depth).ok_or_else(bad);
    }
    if let Some(nodes) = text.strip_prefix("nodes=") {
        return nodes.parse().ok().filter(|nodes| *nodes > 0).map(Think::Nodes).ok_or_else(bad);
    }
    let (digits, unit) = match text.strip_suffix("ms") {
        Some(digits) => (digits, 1e-3),
        None => (text.strip_suffix('s').unwrap_or(text), 1.0),
    };
    let seconds = digits.parse::<f64>().ok().map(|number| number * unit);
    let seconds = seconds.filter(|seconds| (1e-3..=86_400.0).contains(seconds)).ok_or_else(bad)?;
    Ok(Think::Time(Duration::from_secs_f64(seconds)))
}

/// What a program is asked for at a move, and how long it is waited for.
///
/// A match that counts time grants a tenth; what is told is without it. What a spec says is told as it is.
pub(crate) fn at_move(wish: Option<Think>, watch: &dyn Watch) -> (Think, Instant) {
    let left = watch.time_left();
    let told = wish.unwrap_or_else(|| Think::Time(left.map_or(USUAL, |left| left * 10 / 11)));
    let most = match (left, told) {
        // The watch says when it is over.
        (Some(left), _) => left + GRACE,
        (None, Think::Time(time)) => time + GRACE,
        (None, _) => OPEN,
    };
    (told, Instant::now() + most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_core::{Deadline, Quiet};

    #[test]
    fn times_are_read_and_told() {
        assert_eq!(parse("200ms"), Ok(Think::Time(Duration::from_millis(200))));
        assert_eq!(parse("2"), Ok(Think::Time(Duration::from_secs(2))));
        assert_eq!((parse("depth=5"), parse("nodes=7")), (Ok(Think::Depth(5)), Ok(Think::Nodes(7))));
        for bad in ["", "0", "-1s", "depth=0", "fast"] {
            assert!(parse(bad).unwrap_err().contains("write a time"), "{bad}");
        }
        assert_eq!(at_move(None, &Quiet).0, Think::Time(USUAL));
        let watch = Deadline::new(Some(Duration::from_secs(11)), &Quiet);
        let (Think::Time(told), _) = at_move(None, &watch) else { panic!("a time is told") };
        assert!(told <= Duration::from_secs(10) && told > Duration::from_secs(9), "{told:?}");
        assert_eq!(at_move(Some(Think::Depth(3)), &watch).0, Think::Depth(3));
    }
}
