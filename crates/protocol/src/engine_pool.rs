//! Pool of idle engine processes, and the launcher of engine players.
//!
//! An engine is started when a game begins, and returns to the pool when its player is dropped, for the next player
//! with the same command and game. An engine that committed a fault is terminated instead.

use crate::child::EngineProcess;
use crate::clock::{self, ThinkLimit};
use crate::command::split;
use crate::engine_player::EnginePlayer;
use crate::gomocup_host::{self, Gomocup};
use crate::ugi_host::Ugi;
use outplay_core::{AnyGame, InputError};
use outplay_players::{EngineLauncher, PlayError, Player};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Maximal number of idle engines.
const MAX_IDLE: usize = 4;

/// A shared pool of idle engine processes. Clones share the pool; dropping the last clone terminates the engines.
#[derive(Clone, Default)]
pub struct EnginePool(Arc<Mutex<Vec<(String, EngineProcess)>>>);

impl EnginePool {
    /// Takes an idle engine with this key.
    pub(crate) fn take(&self, key: &str) -> Option<EngineProcess> {
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = idle.iter().position(|(known, _)| known == key)?;
        Some(idle.remove(at).1)
    }

    /// Returns an engine to the pool; ends the oldest one if the pool is full.
    pub(crate) fn keep(&self, key: &str, child: EngineProcess) {
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push((key.to_string(), child));
        let oldest = (idle.len() > MAX_IDLE).then(|| idle.remove(0));
        // Ending an engine takes up to 300 ms; it happens outside the lock.
        drop(idle);
        drop(oldest);
    }
}

/// A parsed engine spec.
pub(crate) struct EngineSpec {
    pub(crate) spec: String,
    pub(crate) words: Vec<String>,
    pub(crate) think: Option<ThinkLimit>,
}

/// Whether a program exists, as a path or in `PATH`.
fn exists(program: &str) -> bool {
    if program.contains('/') {
        return Path::new(program).is_file();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn parts(spec: &str) -> Result<EngineSpec, InputError> {
    let spec = spec.trim();
    let bad = |why: String| InputError::spec(spec, why);
    let (head, command) = spec.split_once(':').unwrap_or((spec, ""));
    let think = head.split_once('@').map(|(_, think)| clock::parse(think)).transpose().map_err(bad)?;
    let words = split(command).map_err(bad)?;
    if !exists(&words[0]) {
        return Err(bad(format!(
            "there is no program `{}`; give the path of the program, as in `./engine`",
            words[0]
        )));
    }
    Ok(EngineSpec { spec: spec.to_string(), words, think })
}

impl EngineLauncher for EnginePool {
    fn speaks(&self, protocol: &str, game: &AnyGame) -> bool {
        protocol == "ugi" || gomocup_host::size(game).is_ok()
    }

    fn player(&self, spec: &str, game: &AnyGame) -> Result<Box<dyn Player>, PlayError> {
        let protocol = outplay_players::protocol(spec);
        let parts = parts(spec)?;
        if protocol == Some("gomocup") {
            let why = |why| InputError::spec(&parts.spec, why);
            let size = gomocup_host::size(game).map_err(why)?;
            if matches!(parts.think, Some(ThinkLimit::Depth(_) | ThinkLimit::Nodes(_))) {
                let words =
                    "the Gomocup protocol only supports time limits; write one as in `gomocup@200ms:…`";
                return Err(InputError::spec(&parts.spec, words).into());
            }
            let protocol = Gomocup { size, knows: false, mute: false };
            return Ok(Box::new(EnginePlayer::new(self.clone(), game.clone(), parts, protocol)));
        }
        Ok(Box::new(EnginePlayer::new(self.clone(), game.clone(), parts, Ugi)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_core::{Game, Native, Notation};
    use outplay_games::mnk::{Mnk, Rules};
    use outplay_runtime::{Deadline, NoMonitor};
    use std::time::{Duration, Instant};

    /// A second answer to one turn, late or immediate, is not taken for the next turn's.
    #[test]
    fn late_answers_are_not_those_of_the_next_turn() {
        let check = |spec: &str, protocol: &str, script: &str, moves: [&str; 2]| {
            let game: Mnk<u64> = Mnk::new(Rules::parse(spec).unwrap()).unwrap();
            let game = AnyGame::of(Native::new(game).lines());
            let command = format!("{protocol}@500ms:sh -c '{script}'");
            let mut player = EnginePool::default().player(&command, &game).unwrap();
            player.begin(1);
            let mut pos = game.start().unwrap();
            for (turn, mv) in moves.into_iter().enumerate() {
                let choice = player.choose(&pos, &NoMonitor).unwrap();
                assert_eq!(game.write_move(&pos, choice.mv), mv, "{protocol}, turn {turn}");
                pos = game.play(&pos, choice.mv);
                let reply = game.list(&pos).last().unwrap();
                pos = game.play(&pos, reply);
            }
        };
        let ugi = "turn=0; while read -r word rest; do case $word in \
            ugi) echo ugiok;; isready) echo readyok;; quit) exit;; \
            go) turn=$((turn+1)); echo bestmove a$turn; sleep 0.1; echo bestmove c$turn;; esac; done";
        check("mnk:5x5,k=5", "ugi", ugi, ["a1", "a2"]);
        let gomocup = "turn=-1; while read -r word rest; do case $word in \
            START) echo OK;; ABOUT) echo name=late;; END) exit;; \
            BEGIN|TURN) turn=$((turn+1)); echo $turn,4; sleep 0.1; echo $turn,2;; esac; done";
        check("mnk:5x5,k=5", "gomocup", gomocup, ["a1", "b1"]);
    }

    /// Plays two turns of an engine, each stopped after 300 ms, with the expected move of each (`None`: no move). The
    /// scripts count their turns, so that a move shows whether the engine was restarted.
    fn stopped_turns(protocol: &str, script: &str, moves: [Option<&str>; 2]) {
        let game: Mnk<u64> = Mnk::new(Rules::parse("mnk:5x5,k=5").unwrap()).unwrap();
        let game = AnyGame::of(Native::new(game).lines());
        let command = format!("{protocol}@60s:sh -c '{script}'");
        let mut player = EnginePool::default().player(&command, &game).unwrap();
        player.begin(1);
        let mut pos = game.start().unwrap();
        for (turn, mv) in moves.into_iter().enumerate() {
            let began = Instant::now();
            let monitor = Deadline::new(Some(Duration::from_millis(300)), &NoMonitor);
            let choice = player.choose(&pos, &monitor);
            assert!(began.elapsed() < Duration::from_secs(5), "{script}: {:?}", began.elapsed());
            match (choice, mv) {
                (Ok(choice), Some(mv)) => {
                    assert_eq!(game.write_move(&pos, choice.mv), mv, "{script}, turn {turn}");
                    assert!(choice.stopped && (choice.depth == 3 || protocol == "gomocup"), "{choice:?}");
                    pos = game.play(&pos, choice.mv);
                    let reply = game.list(&pos).last().unwrap();
                    pos = game.play(&pos, reply);
                }
                (Err(PlayError::Stopped), None) => {}
                (choice, _) => panic!("{script}, turn {turn}: {choice:?}"),
            }
        }
    }

    /// A UGI engine that searches until `stop`, and then runs a command.
    fn ugi_until_stop(command: &str) -> String {
        format!(
            "turn=0; while read -r word rest; do case $word in ugi) echo ugiok;; isready) echo readyok;; \
             quit) exit;; go) turn=$((turn+1)); echo info depth 3 nodes 9 pv a$turn;; \
             stop) {command};; esac; done"
        )
    }

    /// The same for the Gomocup protocol.
    fn gomocup_until_stop(command: &str) -> String {
        format!(
            "turn=-1; while read -r word rest; do case $word in START) echo OK;; ABOUT) echo name=slow;; \
             END) exit;; BEGIN|TURN|DONE) turn=$((turn+1));; YXSTOP) {command};; esac; done"
        )
    }

    #[test]
    fn stopped_engine_returns_its_move_and_stays() {
        let ugi = ugi_until_stop("echo bestmove a$turn");
        stopped_turns("ugi", &ugi, [Some("a1"), Some("a2")]);
        // Output after its move belongs to the stopped turn.
        let gomocup = gomocup_until_stop("echo $turn,4; sleep 0.1; echo ERROR; echo 4,4");
        stopped_turns("gomocup", &gomocup, [Some("a1"), Some("b1")]);
    }

    #[test]
    fn stopped_engine_without_a_move_stays() {
        let none = "if [ $turn = 1 ]; then echo bestmove 0000; else echo bestmove a$turn; fi";
        stopped_turns("ugi", &ugi_until_stop(none), [None, Some("a2")]);
    }

    /// The next turn begins with a new engine.
    #[test]
    fn engine_that_does_not_stop_is_ended() {
        stopped_turns("ugi", &ugi_until_stop("sleep 20; echo bestmove a1"), [None, None]);
        stopped_turns("gomocup", &gomocup_until_stop("echo UNKNOWN"), [None, None]);
    }

    /// A turn that is stopped before it begins neither queries nor ends the engine.
    #[test]
    fn turn_stopped_before_it_begins_does_not_disturb_the_engine() {
        let game: Mnk<u64> = Mnk::new(Rules::parse("mnk:5x5,k=5").unwrap()).unwrap();
        let game = AnyGame::of(Native::new(game).lines());
        let script = "read a; echo ugiok; read b; read c; echo readyok; \
            read d; read e; echo readyok; read f; echo bestmove a1; read g";
        let mut player = EnginePool::default().player(&format!("ugi@1s:sh -c '{script}'"), &game).unwrap();
        player.begin(1);
        let pos = game.start().unwrap();
        let over = Deadline::new(Some(Duration::ZERO), &NoMonitor);
        assert!(matches!(player.choose(&pos, &over), Err(PlayError::Stopped)));
        let choice = player.choose(&pos, &NoMonitor).unwrap();
        assert_eq!((game.write_move(&pos, choice.mv).as_str(), choice.stopped), ("a1", false));
    }
}
