//! Registered engines: external engines that the operator has given a name, by which clients select them.
//!
//! Invariant: clients see neither an engine's spec nor the error output of its program.

use outplay_core::AnyPosition;
use outplay_players::{Choice, Fault, Guest, PlayError, Player};
use outplay_runtime::Monitor;
use outplay_workbench::{GameHandle, Session};
use std::sync::Arc;

/// Returns the registered engines that play a game, as guests of its matches.
pub(crate) fn registered(engines: &[(String, String)], entry: &GameHandle, session: &Session) -> Vec<Guest> {
    let kit = Arc::new(outplay_workbench::kit(&session.on_threads(1).impartial(), entry));
    let fitting = engines.iter().filter(|(_, spec)| kit.player(spec).is_ok());
    let guest = |(name, spec): &(String, String)| {
        let (kit, own, spec) = (Arc::clone(&kit), name.clone(), spec.clone());
        let make = move || {
            let named: Box<dyn Player> =
                Box::new(RegisteredEngine { name: own.clone(), player: kit.player(&spec).ok() });
            named
        };
        Guest { name: name.clone(), make: Arc::new(make) }
    };
    fitting.map(guest).collect()
}

/// A player under its registered name.
struct RegisteredEngine {
    name: String,
    /// `None` if the engine could be started at registration but not now.
    player: Option<Box<dyn Player>>,
}

impl Player for RegisteredEngine {
    fn spec(&self) -> String {
        self.name.clone()
    }

    fn begin(&mut self, seed: u64) {
        if let Some(player) = &mut self.player {
            player.begin(seed);
        }
    }

    fn choose(&mut self, pos: &AnyPosition, watch: &dyn Monitor) -> Result<Choice, PlayError> {
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
        Fault::Crash => "ended or did not start",
        Fault::Illegal => "made an illegal move",
        Fault::Time => "did not answer within its time limit",
        Fault::Garbage => "sent an invalid reply",
    }
}
