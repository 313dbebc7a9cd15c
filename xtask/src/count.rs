//! Counts of passed and failed tests, read from the output of cargo, pytest and node.

/// Tests of all programs together.
#[derive(Default)]
pub(crate) struct Count {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) ignored: u64,
    /// Names of the tests that failed in the step under way.
    pub(crate) names: Vec<String>,
    /// How many held only at the second try.
    pub(crate) late: u64,
}

impl Count {
    /// Adds the figures of a line such as `test result: ok. 3 passed; 0 failed; 1 ignored; …`, or the name in one such as
    /// `test serve::pages ... FAILED`.
    pub(crate) fn add(&mut self, line: &str) {
        if let Some(name) = line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED")) {
            self.names.push(name.to_string());
        }
        let Some((_, figures)) = line.strip_prefix("test result: ").and_then(|rest| rest.split_once(". "))
        else {
            return;
        };
        for figure in figures.split("; ") {
            match figure.split_once(' ') {
                Some((number, "passed")) => self.passed += number.parse().unwrap_or(0),
                Some((number, "failed")) => self.failed += number.parse().unwrap_or(0),
                Some((number, "ignored")) => self.ignored += number.parse().unwrap_or(0),
                _ => {}
            }
        }
    }

    /// Adds the figures of pytest's last line, such as `3 failed, 97 passed, 1 skipped in 45.12s`.
    pub(crate) fn add_pytest(&mut self, line: &str) {
        let Some((figures, _)) = line.trim_matches(['=', ' ']).rsplit_once(" in ") else { return };
        let figures: Vec<_> = figures.split(", ").filter_map(|figure| figure.split_once(' ')).collect();
        for (number, word) in figures {
            let Ok(number) = number.parse::<u64>() else { return };
            match word {
                "passed" => self.passed += number,
                "failed" | "error" | "errors" => self.failed += number,
                "skipped" => self.ignored += number,
                _ => {}
            }
        }
    }

    /// Adds the figure of one of the last lines of node's tests, such as `ℹ pass 54`.
    pub(crate) fn add_node(&mut self, line: &str) {
        let figure = line.strip_prefix("ℹ ").and_then(|rest| rest.split_once(' '));
        let Some((word, Ok(number))) = figure.map(|(word, number)| (word, number.parse::<u64>())) else {
            return;
        };
        match word {
            "pass" => self.passed += number,
            "fail" | "cancelled" => self.failed += number,
            "skipped" | "todo" => self.ignored += number,
            _ => {}
        }
    }

    /// The closing line.
    pub(crate) fn print(&self) {
        if self.passed + self.failed > 0 {
            let late =
                if self.late > 0 { format!(", {} at the second try", self.late) } else { String::new() };
            println!("{} passed, {} failed, {} ignored{late}", self.passed, self.failed, self.ignored);
        }
    }
}
