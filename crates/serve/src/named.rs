//! Engines that whoever runs the server registered: visitors choose them by name.
//!
//! Invariant: what stands behind a name is the server's own choice. Neither a spec nor what a program complains of is
//! told to anybody.

use outplay_answer::{Entry, QueryOptions};
use outplay_core::{AnyPosition, Watch};
use outplay_players::{Choice, Fault, Guest, PlayError, Player};
use std::sync::Arc;

/// The engines that play a game, as guests of its matches.
pub(crate) fn registered(engines: &[(String, String)], entry: &Entry, options: &QueryOptions) -> Vec<Guest> {
    let kit = Arc::new(entry.kit(&options.on_threads(1).impartial()));
    let fitting = engines.iter().filter(|(_, spec)| kit.player(spec).is_ok());
    let guest = |(name, spec): &(String, String)| {
        let (kit, own, spec) = (Arc::clone(&kit), name.clone(), spec.clone());
        let make = move || {
            let named: Box<dyn Player> =
                Box::new(Named { name: own.clone(), player: kit.player(&spec).ok() });
            named
        };
        Guest { name: name.clone(), make: Arc::new(make) }
    };
    fitting.map(guest).collect()
}

/// A player under the name that it was registered by.
struct Named {
    name: String,
    /// Nobody if it could be made a moment ago and cannot be made now.
    player: Option<Box<dyn Player>>,
}

impl Player for Named {
    fn spec(&self) -> String {
        self.name.clone()
    }

    fn begin(&mut self, seed: u64) {
        if let Some(player) = &mut self.player {
            player.begin(seed);
        }
    }

    fn choose(&mut self, pos: &AnyPosition, watch: &dyn Watch) -> Result<Choice, PlayError> {
        let player = self.player.as_mut().ok_or(PlayError::NoMove)?;
        player.choose(pos, watch).map_err(|error| match error {
            PlayError::Stopped => PlayError::Stopped,
            PlayError::Fault { fault, .. } => PlayError::Fault { fault, why: wrong(fault).into() },
            _ => PlayError::Source("has no move here".into()),
        })
    }

    fn bytes(&self) -> usize {
        self.player.as_ref().map_or(0, |player| player.bytes())
    }
}

fn wrong(fault: Fault) -> &'static str {
    match fault {
        Fault::Crash => "ended, or cannot be started",
        Fault::Illegal => "made a move that is none",
        Fault::Time => "did not answer in time",
        Fault::Garbage => "said what makes no sense",
    }
}
