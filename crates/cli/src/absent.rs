//! Replacements for `serve`, `play` and `experiment` in a program that is built without these features: each returns an
//! error that says how to build a program with the command.

use outplay_workbench::Trouble;

/// Returns the error that names the missing feature and how to build it.
fn absent(command: &str) -> Trouble {
    Trouble::unable(format!(
        "this program was built without `{command}`; build it with `cargo build --release --features {command}`"
    ))
}

#[cfg(not(feature = "experiments"))]
pub(crate) fn experiment(
    _: &mut crate::commands::Run<'_, impl std::io::Write>,
    _: &crate::args::ExperimentArgs,
) -> Result<u8, crate::commands::Failure> {
    Err(absent("experiments").into())
}

#[cfg(not(feature = "play"))]
pub(crate) mod playing {
    use crate::args::PlayArgs;
    use crate::commands::{Failure, Run};
    use std::io::Write;

    pub(crate) fn play(_: &mut Run<'_, impl Write>, _: &PlayArgs) -> Result<u8, Failure> {
        Err(super::absent("play").into())
    }
}

#[cfg(not(feature = "serve"))]
pub(crate) mod serving {
    use crate::args::ServeArgs;
    use crate::commands::{Failure, Run};
    use std::io::Write;

    pub(crate) fn serve(_: &mut Run<'_, impl Write>, _: &ServeArgs) -> Result<u8, Failure> {
        Err(super::absent("serve").into())
    }
}
