//! The program `outplay-mpi`: the command line on several processes, as in `mpirun -n 4 outplay-mpi solve
//! connect4:6x5`.

use outplay_catalog::Catalog;
use std::process::ExitCode;

fn main() -> ExitCode {
    outplay_cluster::main(&Catalog::standard())
}
