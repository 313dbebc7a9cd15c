//! Error messages of terminal play: the error and its remedy as one sentence.

use outplay_workbench::{Cure, Trouble};

/// Formats an error and its cure as one sentence.
pub(crate) fn sentence(trouble: &Trouble) -> String {
    match trouble.cure() {
        Some(cure) => format!("error: {trouble}; {}", words(cure)),
        None => format!("error: {trouble}"),
    }
}

fn words(cure: Cure) -> String {
    match cure {
        Cure::MoreMemory => "restart with more memory or a smaller game".into(),
        Cure::Use(method) => format!("use the method `{method}`"),
        Cure::Solve { spec, .. } => format!("solve {spec} first, then play"),
        Cure::SolveOrAsk => "solve the game first, or choose a player that needs no exact values".into(),
        Cure::GivePosition => "start from a position".into(),
        Cure::Table(cure) => cure.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cure_follows_its_error() {
        let memory = Trouble::Memory { needed: 3_000_000_000, allowed: 1_000_000_000 };
        assert_eq!(
            sentence(&memory),
            "error: this needs 3.00 GB of memory and 1.00 GB are allowed; restart with more memory or a smaller game"
        );
        assert_eq!(sentence(&Trouble::unable("no")), "error: no");
    }
}
