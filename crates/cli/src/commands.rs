//! What each command does, and how it ends: 0 done, 1 the answer is "no" or the work failed, 2 bad input.

use crate::args::{BookCommand, Cli, Command, Common, Effort};
use crate::output;
use crate::progress::Progress;
use crate::usage::{self, Clock};
use clap::Parser;
use outplay_catalog::{
    Catalog, GameHandle, Method, Place, QueryOptions, SolveAnswer, SolveRequest, Trouble, Values,
    default_data_dir,
};
use outplay_core::figures::grouped;
use serde::Serialize;
use std::io::{self, BufRead, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Rules are written out up to this many positions.
const LISTED: u64 = 20_000;
/// `games --check` explores up to this many positions.
const CHECKED: u64 = 5_000_000;
/// `index` counts reachable positions on its own account up to this size; beyond, `--count` asks for it.
const COUNTED: u128 = 20_000_000;

/// How a command can fail.
pub(crate) enum Failure {
    Trouble(Trouble),
    Output(io::Error),
}

impl<T: Into<Trouble>> From<T> for Failure {
    fn from(trouble: T) -> Failure {
        Failure::Trouble(trouble.into())
    }
}

pub(crate) fn output_error(error: io::Error) -> Failure {
    Failure::Output(error)
}

/// Runs the command line for the games of a catalog.
pub fn main(catalog: &Catalog) -> ExitCode {
    let cli = Cli::parse();
    if let Some(threads) = cli.common.threads {
        // Fails only if the pool exists already, and nothing has used it yet.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global();
    }
    let mut out = BufWriter::new(anstream::stdout().lock());
    let progress = Progress::new(cli.common.quiet);
    let result =
        Run { catalog, common: &cli.common, progress: &progress, out: &mut out }.command(&cli.command);
    progress.clear();
    let result = result.and_then(|code| out.flush().map_err(output_error).map(|()| code));
    match result {
        Ok(code) => ExitCode::from(code),
        // Whoever read the output has seen enough.
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Failure::Output(error)) => complain(&format!("cannot write the answer: {error}"), 1),
        Err(Failure::Trouble(trouble)) => {
            let sentence = match trouble.cure() {
                Some(cure) => format!("{trouble}\n  {cure}"),
                None => trouble.to_string(),
            };
            let code = if trouble.is_stop() {
                130
            } else if trouble.is_input() {
                2
            } else {
                1
            };
            complain(&sentence, code)
        }
    }
}

fn complain(sentence: &str, code: u8) -> ExitCode {
    let style = anstyle::Style::new().bold().fg_color(Some(anstyle::AnsiColor::Red.into()));
    // Nobody is left to hear about it if standard error is closed too.
    let _ = writeln!(anstream::stderr(), "{style}error{style:#}: {sentence}");
    ExitCode::from(code)
}

pub(crate) fn write_file(file: &Path, text: &str) -> Result<(), Trouble> {
    std::fs::write(file, text)
        .map_err(|error| Trouble::Unable(format!("cannot write {}: {error}", file.display())))
}

pub(crate) fn read_file(file: &Path) -> Result<String, Trouble> {
    std::fs::read_to_string(file)
        .map_err(|error| Trouble::Unable(format!("cannot read {}: {error}", file.display())))
}

/// The answer of `solve` with what it cost.
#[derive(Serialize)]
struct Solved<'a> {
    #[serde(flatten)]
    answer: &'a SolveAnswer,
    seconds: f64,
    cpu_seconds: f64,
    peak_bytes: u64,
    threads: usize,
}

pub(crate) struct Run<'a, W: Write> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) common: &'a Common,
    pub(crate) progress: &'a Progress,
    pub(crate) out: &'a mut W,
}

impl<W: Write> Run<'_, W> {
    fn command(&mut self, command: &Command) -> Result<u8, Failure> {
        match command {
            Command::Games { check: None } => self.games(),
            Command::Games { check: Some(game) } => self.check(game),
            Command::Players { game } => self.players(game.as_deref()),
            Command::Show { game, at, tree: true, depth, minimax, svg, .. } => {
                self.tree(game, &at.place(), *depth, !minimax, svg.as_deref())
            }
            Command::Show { game, at, all, effort, .. } => self.show(game, &at.place(), *all, effort),
            Command::Solve { game, at, method, values, no_save, effort, proof } => {
                let request = SolveRequest {
                    place: at.place(),
                    method: *method,
                    values: *values,
                    data: (!no_save).then(|| self.data()),
                    proof: proof.clone(),
                    ..self.request(Some(effort))
                };
                if proof.is_some() && *method != Method::Proof {
                    let why = "only the proof search writes proofs; add `--method proof`";
                    return Err(Trouble::Unable(why.into()).into());
                }
                self.solve(game, &request)
            }
            Command::Tune(args) => self.tune(args),
            Command::Match(args) => self.compete(args),
            Command::Experiment(args) => self.experiment(args),
            Command::Verify { game, values } => self.verify(game, *values),
            Command::Stats { game, values, svg } => self.stats(game, *values, svg.as_deref()),
            Command::Tables { remove: None } => self.tables(),
            Command::Tables { remove: Some(name) } => self.remove_table(name),
            Command::Bench(bench) => self.bench(bench),
            Command::Query { game, at, stdin: None, effort } => self.query(game, &at.place(), effort),
            Command::Query { game, stdin: Some(kind), effort, .. } => {
                self.query_lines(game, kind == "position", effort)
            }
            Command::Play(args) => {
                let (handle, options) = (self.open(&args.game)?, self.query_options(&args.effort));
                crate::playing::play(handle, options, self.common, args, self.progress, self.out)
            }
            Command::Serve(args) => {
                crate::serving::serve(self.catalog, self.common, args, self.progress, self.out)?;
                Ok(0)
            }
            Command::Book(command) => self.book(command),
            Command::Check { file } => self.check_proof(file),
            Command::Index { game, count } => self.index(game, *count),
        }
    }

    pub(crate) fn open(&self, game: &str) -> Result<Box<dyn GameHandle>, Failure> {
        let handle = self.catalog.open(game)?;
        if let Some(warning) = handle.warning() {
            let style = anstyle::Style::new().bold().fg_color(Some(anstyle::AnsiColor::Yellow.into()));
            let _ = writeln!(anstream::stderr(), "{style}warning{style:#}: {warning}");
        }
        Ok(handle)
    }

    pub(crate) fn memory(&self) -> u64 {
        // More than the machine has would be promised but not given.
        self.common.memory.unwrap_or_else(|| usage::available_bytes() / 5 * 4).min(usage::total_bytes())
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.common.data.clone().unwrap_or_else(default_data_dir)
    }

    /// A request for the start position by the default method, storing nothing.
    pub(crate) fn request(&self, effort: Option<&Effort>) -> SolveRequest {
        SolveRequest {
            place: Place::Start,
            method: Method::Auto,
            values: Values::Distance,
            counts: true,
            memory: self.memory(),
            threads: rayon::current_num_threads(),
            hash: self.hash(effort),
            time: effort.and_then(|effort| effort.time).map(Duration::from_secs_f64),
            data: None,
            proof: None,
        }
    }

    /// Bytes for the table of a search, within the memory allowed.
    fn hash(&self, effort: Option<&Effort>) -> u64 {
        effort.and_then(|effort| effort.hash).unwrap_or(1 << 30).min(self.memory() / 2)
    }

    pub(crate) fn query_options(&self, effort: &Effort) -> QueryOptions {
        /// Small enough to be made at once.
        const MODEST: u64 = 256 << 20;
        let SolveRequest { memory, hash, threads, time, .. } = self.request(Some(effort));
        let hash = if effort.hash.is_some() { hash } else { hash.min(MODEST) };
        QueryOptions { memory, hash, threads, time, data: Some(self.data()) }
    }

    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        // Every answer is made of maps with string keys and finite numbers, which always serialise.
        let text = serde_json::to_string(value).map_err(|error| Failure::Output(error.into()))?;
        writeln!(self.out, "{text}").map_err(output_error)
    }

    /// Prints an answer in the form that was asked for.
    pub(crate) fn print<T: Serialize>(
        &mut self,
        answer: &T,
        text: impl FnOnce(&mut W, &T) -> io::Result<()>,
    ) -> Result<u8, Failure> {
        self.progress.clear();
        if self.common.json {
            self.json(answer)?;
        } else {
            text(self.out, answer).map_err(output_error)?;
        }
        Ok(0)
    }

    fn games(&mut self) -> Result<u8, Failure> {
        #[derive(Serialize)]
        struct Listed<'a> {
            name: &'a str,
            about: &'a str,
            parameters: &'a str,
            example: &'a str,
        }
        let families: Vec<Listed<'_>> = self
            .catalog
            .families()
            .iter()
            .map(|family| Listed {
                name: family.name(),
                about: family.about(),
                parameters: family.options(),
                example: family.example(),
            })
            .collect();
        self.print(&serde_json::json!({ "games": families }), |out, _| {
            let bold = anstyle::Style::new().bold();
            for family in &families {
                writeln!(out, "{bold}{}{bold:#}: {}", family.name, family.about)?;
                if !family.parameters.is_empty() {
                    writeln!(out, "    parameters  {}", family.parameters)?;
                }
                writeln!(out, "    example     outplay show {}", family.example)?;
            }
            writeln!(out, "\nA spec is NAME[:ARGUMENT][,key=value][,flag]…; boards are columns x rows, a1 is bottom left.")
        })
    }

    fn check(&mut self, game: &str) -> Result<u8, Failure> {
        let report = self.open(game)?.check(CHECKED, self.progress)?;
        self.print(&report, |out, report| output::check(out, report))
    }

    fn show(&mut self, game: &str, place: &Place, all: bool, effort: &Effort) -> Result<u8, Failure> {
        let handle = self.open(game)?;
        if all {
            let rules = handle.rules(place, LISTED, self.progress)?;
            return self.print(&rules, |out, rules| output::rules(out, rules));
        }
        let answer = handle.query(place, &self.query_options(effort), self.progress)?;
        let picture = handle.draw(place, Some(&answer))?;
        self.print(&answer, |out, answer| {
            output::picture(out, &picture)?;
            output::legend(out, answer)
        })
    }

    fn solve(&mut self, game: &str, request: &SolveRequest) -> Result<u8, Failure> {
        let handle = self.open(game)?;
        let (mut clock, mut failure, mut proved) = (Clock::start(), None, true);
        let elsewhere = request.place != Place::Start;
        let progress = self.progress;
        let mut each = |answer: SolveAnswer| {
            let solved = Solved {
                answer: &answer,
                seconds: clock.seconds(),
                cpu_seconds: clock.cpu_seconds(),
                peak_bytes: usage::peak_bytes(),
                threads: rayon::current_num_threads(),
            };
            proved = answer.proof.is_some();
            let printed = self.print(&solved, |out, solved| {
                output::solve(out, solved.answer, elsewhere, solved.seconds, solved.peak_bytes)
            });
            let printed = printed.and_then(|_| self.out.flush().map_err(output_error));
            failure = failure.take().or(printed.err());
            // A set of games is timed one by one.
            clock = Clock::start();
        };
        handle.solve_each(request, progress, &mut each)?;
        match failure {
            Some(failure) => Err(failure),
            // A proof that was asked for and could not be written is a "no".
            None => Ok(u8::from(request.proof.is_some() && !proved)),
        }
    }

    fn query(&mut self, game: &str, place: &Place, effort: &Effort) -> Result<u8, Failure> {
        let answer = self.open(game)?.query(place, &self.query_options(effort), self.progress)?;
        self.print(&answer, |out, answer| output::query(out, answer))
    }

    /// Answers line by line; a line that makes no sense gets an error in its place and the rest go on.
    fn query_lines(&mut self, game: &str, positions: bool, effort: &Effort) -> Result<u8, Failure> {
        let handle = self.open(game)?;
        let options = self.query_options(effort);
        let mut code = 0;
        let mut input = io::stdin().lock();
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = input.read_until(b'\n', &mut line);
            match read {
                Ok(0) => return Ok(code),
                Ok(_) => {}
                Err(error) => {
                    return Err(Trouble::Unable(format!("cannot read standard input: {error}")).into());
                }
            }
            let result = match std::str::from_utf8(&line) {
                Err(_) => Err(Trouble::Unable("a line of standard input is not UTF-8 text".into())),
                Ok(text) => {
                    let text = text.trim().to_string();
                    let place = if positions { Place::Position(text) } else { Place::Moves(text) };
                    handle.query(&place, &options, self.progress)
                }
            };
            match result {
                Ok(answer) => {
                    self.print(&answer, |out, answer| output::query(out, answer))?;
                }
                Err(trouble) if trouble.is_stop() => return Err(trouble.into()),
                Err(trouble) => {
                    code = if trouble.is_input() { 2 } else { 1 };
                    if self.common.json {
                        self.json(
                            &serde_json::json!({ "error": trouble.to_string(), "cure": trouble.cure() }),
                        )?;
                    } else {
                        writeln!(self.out, "error: {trouble}").map_err(output_error)?;
                    }
                }
            }
            // Whoever feeds the lines may wait for each answer.
            self.out.flush().map_err(output_error)?;
        }
    }

    fn tree(
        &mut self,
        game: &str,
        place: &Place,
        depth: u32,
        prune: bool,
        svg: Option<&Path>,
    ) -> Result<u8, Failure> {
        let tree = self.open(game)?.tree(place, depth, prune, self.progress)?;
        if let Some(file) = svg {
            write_file(file, &tree.svg)?;
        }
        self.print(&tree, |out, tree| write!(out, "{}", tree.text))
    }

    fn book(&mut self, command: &BookCommand) -> Result<u8, Failure> {
        let threads = rayon::current_num_threads();
        match command {
            BookCommand::Build { game, plies, out, effort } => {
                let board = self.open(game)?.board(&Place::Start)?;
                let (plies, hash) = (usize::from(*plies), self.hash(Some(effort)));
                let info = outplay_catalog::build_book(&board, plies, out, hash, threads, self.progress)?;
                self.print(&info, |out, info| output::book(out, info))
            }
            BookCommand::Info { file } => {
                let info = outplay_catalog::book_info(file.as_deref())?;
                self.print(&info, |out, info| output::book(out, info))
            }
            BookCommand::Check { file, sample, seed, effort } => {
                let hash = self.hash(Some(effort));
                let check = outplay_catalog::check_book(
                    file.as_deref(),
                    *sample,
                    *seed,
                    hash,
                    threads,
                    self.progress,
                )?;
                self.print(&check, |out, check| {
                    writeln!(
                        out,
                        "{} of {} positions solved again have another score",
                        check.wrong, check.checked
                    )
                })?;
                Ok(u8::from(check.wrong > 0))
            }
        }
    }

    fn check_proof(&mut self, file: &Path) -> Result<u8, Failure> {
        let text = read_file(file)?;
        match outplay_catalog::check_proof(&text) {
            Ok(claim) => {
                let (game, position) = output::claimed(&claim.board);
                let answer = serde_json::json!({
                    "file": file.display().to_string(), "valid": true, "value": claim.verdict.word(),
                    "game": game, "position": position, "steps": claim.steps, "followed": claim.followed,
                });
                self.print(&answer, |out, _| {
                    let (verdict, steps) = (claim.verdict, grouped(claim.steps as u128));
                    writeln!(out, "{}: the proof holds ({steps} steps)", file.display())?;
                    writeln!(out, "  {game} at {position}: a {verdict} for the player to move")
                })
            }
            Err(error) => {
                let answer = serde_json::json!({ "file": file.display().to_string(), "valid": false, "error": error.to_string() });
                self.print(&answer, |out, _| writeln!(out, "{}: the proof fails: {error}", file.display()))?;
                Ok(1)
            }
        }
    }

    fn index(&mut self, game: &str, count: bool) -> Result<u8, Failure> {
        let handle = self.open(game)?;
        // A first look without counting is instant and tells whether counting is cheap.
        let mut report = handle.index(self.memory(), false, self.progress)?;
        let cheap = report.size.is_some_and(|size| size <= COUNTED);
        if report.reachable.is_none() && (count || cheap) {
            report = handle.index(self.memory(), true, self.progress)?;
        }
        self.print(&report, |out, report| {
            output::index(out, report)?;
            if report.reachable.is_none() && report.size.is_some() {
                writeln!(out, "reachable positions were not counted; --count does it where memory allows")?;
            }
            Ok(())
        })
    }
}
