//! The chores of `cargo xtask` and their help text.

/// A chore: its command line and what it does.
struct Chore {
    usage: &'static str,
    about: &'static str,
}

const CHORES: &[Chore] = &[
    Chore {
        usage: "test [--slow] [--no-install]",
        about: "formatting, lints, documentation and all tests, including those of Python and of the page's scripts; \
                --slow adds the heavy ones (minutes to an hour); what is missing (Chromium, node, MPI) is listed and \
                installed, or only listed with --no-install",
    },
    Chore { usage: "test --quick", about: "formatting, lints and unit tests: for every commit" },
    Chore {
        usage: "test --msrv",
        about: "build the workspace with the oldest toolchain that `rust-version` allows",
    },
    Chore {
        usage: "dist [--test]",
        about: "packages for distribution in target/dist; --test tries those in target/dist in a clean Debian root",
    },
    Chore { usage: "cluster [--slow] [--no-install]", about: "only the tests of the program for clusters" },
    Chore { usage: "python [--no-install]", about: "only the tests of the Python package" },
    Chore {
        usage: "page [--no-install]",
        about: "only the page's scripts: formatting, lints, types and unit tests, under node",
    },
    Chore {
        usage: "book",
        about: "the documentation site in target/book; mdBook is compiled into the target directory where missing",
    },
    Chore { usage: "metrics [--json]", about: "counts of the source tree, compared with their limits" },
    Chore {
        usage: "fuzz [--seconds N]",
        about: "random inputs of every kind, 10 seconds for each unless --seconds is given",
    },
    Chore {
        usage: "fuzz --campaign [--scale X]",
        about: "files of every kind under kills, damage and failing disks, malformed inputs, forged proofs and HTTP \
                requests; prints one table (twenty minutes; --scale 0.1 for a tenth)",
    },
    Chore {
        usage: "fuzz --guided [--seconds N] [NAME]...",
        about: "the same inputs under libFuzzer, which looks for those that reach new code",
    },
    Chore {
        usage: "fuzz --keep",
        about: "copy a small part of what `--guided` found to tests/corpus/guided",
    },
    Chore { usage: "screens", about: "pictures of the page, in docs/screens" },
    Chore {
        usage: "experiments [NAME]...",
        about: "figures and plots in docs/experiments, all or the named ones (half an hour)",
    },
    Chore {
        usage: "puzzles [GAME]...",
        about: "sets of puzzles that the page embeds, for all or the named games (minutes)",
    },
];

/// Columns of the help.
const WIDTH: usize = 100;

/// The help text: each chore with its description, indented and wrapped.
pub(crate) fn text() -> String {
    let mut text = String::from("usage: cargo xtask CHORE\n");
    for chore in CHORES {
        text += &format!("\n  {}\n", chore.usage);
        let mut line = String::from("     ");
        for word in chore.about.split_whitespace() {
            if line.chars().count() + 1 + word.chars().count() > WIDTH {
                text += &line;
                text += "\n";
                line = String::from("     ");
            }
            line += " ";
            line += word;
        }
        text += &line;
        text += "\n";
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_chore_is_listed_within_the_width() {
        let text = super::text();
        let wide = text.lines().find(|line| line.chars().count() > super::WIDTH);
        assert_eq!(wide, None);
        for chore in super::CHORES {
            assert!(
                text.contains(&format!("\n  {}\n      {}", chore.usage, &chore.about[..10])),
                "{}",
                chore.usage
            );
        }
    }
}
