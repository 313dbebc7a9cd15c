//! What the commands `serve` and `play` say in a program that was built without them.

use outplay_answer::Trouble;

/// How to have the part that is missing.
fn absent(command: &str) -> Trouble {
    Trouble::unable(format!(
        "this program was built without `{command}`; build it with `cargo build --release --features {command}`"
    ))
}

#[cfg(not(feature = "play"))]
pub(crate) mod playing {
    use crate::args::{Common, PlayArgs};
    use crate::commands::Failure;
    use crate::progress::Progress;
    use outplay_answer::{Entry, QueryOptions};
    use std::io::Write;

    pub(crate) fn play(
        _: Entry,
        _: QueryOptions,
        _: &Common,
        _: &PlayArgs,
        _: &Progress,
        _: &mut impl Write,
    ) -> Result<u8, Failure> {
        Err(super::absent("play").into())
    }
}

#[cfg(not(feature = "serve"))]
pub(crate) mod serving {
    use crate::args::{BenchServeArgs, Common, ServeArgs};
    use outplay_answer::Trouble;
    use outplay_catalog::Catalog;
    use outplay_core::Watch;
    use serde::Serialize;
    use std::io::{self, Write};

    /// There is none.
    #[derive(Serialize)]
    pub(crate) enum BenchReport {}

    impl BenchReport {
        pub(crate) fn holds(&self) -> bool {
            match *self {}
        }

        pub(crate) fn print(&self, _: &mut impl Write) -> io::Result<()> {
            match *self {}
        }
    }

    pub(crate) fn serve(
        _: &Catalog,
        _: &Common,
        _: &ServeArgs,
        _: &dyn Watch,
        _: &mut impl Write,
    ) -> Result<(), Trouble> {
        Err(super::absent("serve"))
    }

    pub(crate) fn bench(
        _: &Catalog,
        _: &Common,
        _: &BenchServeArgs,
        _: &dyn Watch,
    ) -> Result<BenchReport, Trouble> {
        Err(super::absent("serve"))
    }
}
