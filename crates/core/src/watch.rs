//! How long work tells where it is and learns that it should stop.

/// Someone who watches long work: a progress bar, a web page, or nobody.
///
/// Calls come from several threads and must be cheap; solvers make them once per block of work, not once
/// per position.
pub trait Watch: Send + Sync {
    /// A new stage begins, with `total` units of work ahead (0 if unknown).
    fn stage(&self, name: &str, total: u64);
    /// `units` more are done.
    fn advance(&self, units: u64);
    /// Whether to give up as soon as possible.
    fn stopped(&self) -> bool;
    /// How things stand, in a few words; the next call replaces them.
    fn status(&self, _words: &str) {}
    /// Something worth knowing before the work begins, such as the memory it will take.
    fn note(&self, _sentence: &str) {}
}

/// Nobody watches, and the work runs to its end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Watch for Quiet {
    fn stage(&self, _name: &str, _total: u64) {}
    fn advance(&self, _units: u64) {}
    fn stopped(&self) -> bool {
        false
    }
}
