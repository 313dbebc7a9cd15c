//! The connect-k search against the values of every position, on boards of other sizes, other k and with
//! obstacles: two solvers that share no code.

use outplay::bitplane::{BitplaneOptions, Dense};
use outplay::connect::{Depth, Solver, SolverLimits};
use outplay::core::LineGame;
use outplay::core::laws::random_play;
use outplay::games::mnk::{Mnk, Rules};
use outplay::runtime::NoMonitor;

fn check(spec: &str, games: usize) {
    let game: Mnk<u64> = Mnk::new(Rules::parse(spec).unwrap()).unwrap();
    let start = game.rules().start().clone();
    let dense = Dense::new(&start, &BitplaneOptions::distance(), &NoMonitor).unwrap();
    let mut solver = Solver::new(1 << 18);
    let mut asked = 0;
    random_play(&game, games, 5, |pos| {
        let board = game.board(pos);
        let found = solver.solve(&board, Depth::Score, SolverLimits::default(), &NoMonitor, 1).unwrap();
        assert_eq!(found.value(), dense.value(&board), "{spec}: {board:?}");
        asked += 1;
    });
    assert!(asked > games);
}

#[test]
fn five_in_a_row() {
    check("connect:5x5,k=5", 60);
    check("connect:6x3,k=5", 60);
}

#[test]
fn three_in_a_row() {
    check("connect:5x4,k=3", 60);
}

#[test]
fn obstacles_and_presets() {
    check("connect4:5x5,obstacles=c1+b3", 60);
    check("connect4:6x4,obstacles=a2+f1+d4", 60);
    check("connect4:5x4,x=c1,o=c2+b1,turn=x", 60);
}
