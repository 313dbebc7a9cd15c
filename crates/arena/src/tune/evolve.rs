//! Evolutionary tuning by games: each generation of weight vectors plays games, is ranked by points, and yields the
//! next generation by a genetic algorithm or CMA-ES.

use super::breed::{self, Candidate};
use super::checkpoint::{Checkpoint, Setting};
use super::cma::Cma;
use super::{Generation, TuneRequest, TuningMethod, searcher, weights};
use crate::ArenaError;
use crate::contest::{Bout, Flow, GameRunner};
use crate::matches::MOST_GAMES;
use crate::opening::openings;
use crate::referee::House;
use crate::seed::part;
use outplay_core::{AnyPosition, Notation};
use outplay_players::{FeatureSet, PlayerContext};
use outplay_runtime::Monitor;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rustc_hash::FxHashMap;

/// Initial step size of CMA-ES, in units of the preset weights.
const WIDTH: f64 = 0.4;

/// Runs the remaining generations, and returns the best weights and the result of each generation.
pub(super) fn run(
    kit: &PlayerContext,
    start: &AnyPosition,
    method: TuningMethod,
    request: &TuneRequest,
    monitor: &dyn Monitor,
) -> Result<(Vec<f32>, Vec<Generation>), ArenaError> {
    check(request)?;
    let setting = setting(kit, method, request);
    let kept = match &request.checkpoint {
        Some(path) if request.resume => Checkpoint::load(path, &setting, monitor)?,
        Some(path) if path.exists() => {
            let why = "the file already exists; resume its run, or give another path";
            return Err(ArenaError::file(path, why));
        }
        _ => None,
    };
    let scales = scales(request);
    let mut state = match kept {
        Some(kept) => kept,
        None => initial_state(method, request, &scales),
    };
    while (state.generations.len() as u32) < request.generations {
        let number = state.generations.len() as u32 + 1;
        let mut rng = SmallRng::seed_from_u64(part(part(request.seed, 4), u64::from(number)));
        if let Some(cloud) = &state.cloud {
            let drawn = cloud.ask(&mut rng).into_iter();
            state.population = drawn.map(|x| Candidate::new(unscaled(&x, &scales, request))).collect();
        }
        monitor.stage(&format!("generation {number} of {}", request.generations), 0);
        let games = match method {
            TuningMethod::Ga => {
                play_round_of_peers(kit, start, request, number, &mut state.population, &mut rng, monitor)?
            }
            TuningMethod::Sound | TuningMethod::Cmaes => {
                play_incumbent(kit, start, request, number, &mut state.population, monitor)?
            }
        };
        let mean = state.population.iter().map(share).sum::<f64>() / state.population.len() as f64;
        let ranked = ranked(method, &state.population);
        let best = &ranked[0];
        state.generations.push(Generation {
            generation: number,
            best: best.weights.clone(),
            points: best.points,
            out_of: best.games as f64,
            mean,
            games,
        });
        breed_next(method, request, &ranked, &scales, &mut state, &mut rng);
        if let Some(path) = &request.checkpoint {
            state.save(path, &setting)?;
        }
        monitor.note(&format!(
            "generation {number}: best {:?} with {} of {} points",
            best.weights, best.points, best.games
        ));
    }
    // The mean of CMA-ES averages over all games; otherwise the best of the last generation is the result.
    let best = match &state.cloud {
        Some(cloud) => unscaled(cloud.mean(), &scales, request),
        None => state.generations.last().map(|last| last.best.clone()).unwrap_or_default(),
    };
    Ok((best, state.generations))
}

/// Validates the parameters.
fn check(request: &TuneRequest) -> Result<(), ArenaError> {
    if request.population < 4 || request.games == 0 || request.generations == 0 {
        let why = "tuning needs a population of at least 4, and at least 1 game and 1 generation";
        return Err(ArenaError::Unable(why.into()));
    }
    let games = (request.population as u64).saturating_mul(request.games as u64).saturating_mul(2);
    ArenaError::unless_at_most("games in a generation", games, MOST_GAMES)
}

/// The settings that identify the checkpoint.
fn setting(kit: &PlayerContext, method: TuningMethod, request: &TuneRequest) -> Setting {
    let words = format!(
        "{} {} {} depth {} population {} games {} survive {} openings {} largest {} seed {} against {}",
        kit.game.spec(),
        method.word(),
        request.features.word(),
        request.depth,
        request.population,
        request.games,
        request.survive,
        request.openings,
        request.largest,
        request.seed,
        request.incumbent,
    );
    let weights = request.features.names().len();
    Setting::new(&kit.game, words, request.population, weights, method == TuningMethod::Cmaes)
}

/// Sorts the candidates, the best first.
fn ranked(method: TuningMethod, population: &[Candidate]) -> Vec<Candidate> {
    let mut ranked = population.to_vec();
    // The sort is stable: among ties the older candidate comes first.
    match method {
        TuningMethod::Ga => ranked.sort_by(|a, b| b.points.total_cmp(&a.points)),
        TuningMethod::Sound | TuningMethod::Cmaes => ranked.sort_by(|a, b| b.worth().total_cmp(&a.worth())),
    }
    ranked
}

/// Computes the next population from a ranked one, or updates the distribution of CMA-ES.
fn breed_next(
    method: TuningMethod,
    request: &TuneRequest,
    ranked: &[Candidate],
    scales: &[f64],
    state: &mut Checkpoint,
    rng: &mut SmallRng,
) {
    let survive = ((request.survive * ranked.len() as f64).round() as usize).clamp(1, ranked.len() - 1);
    let positive = request.features == FeatureSet::Paper;
    match (method, &mut state.cloud) {
        (TuningMethod::Ga, _) => state.population = breed::clones(ranked, survive, positive, rng),
        (TuningMethod::Sound, _) => state.population = breed::children(ranked, survive, positive, rng),
        (TuningMethod::Cmaes, Some(cloud)) => {
            let scaled = |one: &Candidate| -> Vec<f64> {
                one.weights.iter().zip(scales).map(|(weight, scale)| f64::from(*weight) / scale).collect()
            };
            cloud.tell(&ranked.iter().map(scaled).collect::<Vec<_>>());
        }
        (TuningMethod::Cmaes, None) => {}
    }
}

/// The state before the first generation.
fn initial_state(method: TuningMethod, request: &TuneRequest, scales: &[f64]) -> Checkpoint {
    let mut rng = SmallRng::seed_from_u64(part(part(request.seed, 4), 0));
    let count = request.features.names().len();
    // No unfinished position has four in a row, so the weight of fours has no effect: all keep the paper's.
    let fours = request.features.names().iter().position(|name| *name == "fours").map(|place| (place, 100.0));
    let preset = request.features.preset().values().to_vec();
    let population = match (method, request.features) {
        (TuningMethod::Cmaes, _) => Vec::new(),
        (_, FeatureSet::Paper) => {
            breed::first(request.population, count, request.largest, fours.as_slice(), &mut rng)
        }
        // Signed weights start as mutations of the preset.
        (_, FeatureSet::Extended) => {
            let ranked = vec![Candidate::new(preset.clone()); request.population];
            breed::children(&ranked, 1, false, &mut rng)
        }
    };
    let cloud = (method == TuningMethod::Cmaes).then(|| {
        let mean = preset.iter().zip(scales).map(|(weight, scale)| f64::from(*weight) / scale).collect();
        Cma::new(mean, WIDTH, request.population)
    });
    Checkpoint::new(population, cloud)
}

/// The unit of each weight in CMA-ES: the size of its preset value, bounded below.
fn scales(request: &TuneRequest) -> Vec<f64> {
    let preset = request.features.preset();
    let sizes: Vec<f64> = preset.values().iter().map(|weight| f64::from(weight.abs())).collect();
    let mean = sizes.iter().sum::<f64>() / sizes.len() as f64;
    sizes.iter().map(|size| size.max(0.25 * mean).max(1e-3)).collect()
}

/// Converts a CMA-ES sample to weights.
fn unscaled(point: &[f64], scales: &[f64], request: &TuneRequest) -> Vec<f32> {
    let least = if request.features == FeatureSet::Paper { 0.0 } else { f64::MIN };
    point.iter().zip(scales).map(|(x, scale)| (x * scale).max(least) as f32).collect()
}

/// Points per game; ½ without games.
fn share(one: &Candidate) -> f64 {
    if one.games == 0 { 0.5 } else { one.points / one.games as f64 }
}

fn specs(request: &TuneRequest, population: &[Candidate]) -> Result<Vec<String>, ArenaError> {
    let spec = |one: &Candidate| {
        Ok(searcher(request.depth, &weights(request.features, one.weights.clone())?.spec()))
    };
    population.iter().map(spec).collect()
}

/// The paper's fitness: each candidate draws opponents from the population and plays each of them twice, colours
/// swapped. Only its own draws count for a candidate; identical games are played once.
fn play_round_of_peers(
    kit: &PlayerContext,
    start: &AnyPosition,
    request: &TuneRequest,
    number: u32,
    population: &mut [Candidate],
    rng: &mut SmallRng,
    monitor: &dyn Monitor,
) -> Result<u64, ArenaError> {
    let mut meetings = Vec::new();
    for one in 0..population.len() {
        for meeting in 0..request.games {
            let other = (one + rng.random_range(1..population.len())) % population.len();
            meetings.push((one, other, meeting));
        }
    }
    // Without openings all games of a pairing with the same colours are identical.
    let key = |a: usize, b: usize, meeting: usize| (a, b, if request.openings == 0 { 0 } else { meeting });
    let mut bouts: Vec<Bout> = Vec::new();
    let mut places: FxHashMap<(usize, usize, usize), usize> = FxHashMap::default();
    for &(one, other, meeting) in &meetings {
        for (first, second) in [(one, other), (other, one)] {
            let (_, _, opening) = key(first, second, meeting);
            places.entry((first, second, opening)).or_insert_with(|| {
                bouts.push(Bout { number: bouts.len() as u64, opening, first, second });
                bouts.len() - 1
            });
        }
    }
    let results = play(kit, start, request, number, specs(request, population)?, &bouts, monitor)?;
    population.iter_mut().for_each(|one| (one.points, one.games) = (0.0, 0));
    for (one, other, meeting) in meetings {
        for (first, second) in [(one, other), (other, one)] {
            let (_, _, opening) = key(first, second, meeting);
            let half_points = results[places[&(first, second, opening)]];
            population[one].points +=
                if first == one { half_points as f64 } else { 2.0 - half_points as f64 } / 2.0;
            population[one].games += 1;
        }
    }
    Ok(bouts.len() as u64)
}

/// The sounder fitness: each candidate plays the incumbent from the same openings with both colours, and keeps its
/// points of earlier generations.
fn play_incumbent(
    kit: &PlayerContext,
    start: &AnyPosition,
    request: &TuneRequest,
    number: u32,
    population: &mut [Candidate],
    monitor: &dyn Monitor,
) -> Result<u64, ArenaError> {
    let incumbent = population.len();
    let mut bouts = Vec::new();
    for one in 0..incumbent {
        for opening in 0..request.games {
            for (first, second) in [(one, incumbent), (incumbent, one)] {
                bouts.push(Bout { number: bouts.len() as u64, opening, first, second });
            }
        }
    }
    let mut players = specs(request, population)?;
    players.push(searcher(request.depth, &request.incumbent));
    let results = play(kit, start, request, number, players, &bouts, monitor)?;
    for (bout, half_points) in bouts.iter().zip(results) {
        let (one, points) =
            if bout.first == incumbent { (bout.second, 2 - half_points) } else { (bout.first, half_points) };
        population[one].points += points as f64 / 2.0;
        population[one].games += 1;
    }
    Ok(bouts.len() as u64)
}

/// Plays the bouts and returns the half points of the first player of each.
fn play(
    kit: &PlayerContext,
    start: &AnyPosition,
    request: &TuneRequest,
    number: u32,
    players: Vec<String>,
    bouts: &[Bout],
    monitor: &dyn Monitor,
) -> Result<Vec<usize>, ArenaError> {
    let seed = part(part(request.seed, 6), u64::from(number));
    let openings = openings(kit, start, request.openings, request.games, seed, monitor)?;
    let runner = GameRunner {
        kit,
        start,
        openings: &openings,
        players: &players,
        house: House::default(),
        seed,
        judged: false,
        threads: request.threads,
        spectator: &crate::contest::NoSpectator,
    };
    monitor.stage(&format!("generation {number} of {}", request.generations), bouts.len() as u64);
    let mut results = vec![None; bouts.len()];
    runner.play(bouts, monitor, |game| {
        results[game.number as usize] = Some(game.half_points(game.first));
        monitor.advance(1);
        Ok(Flow::On)
    })?;
    // Missing games were stopped.
    results.into_iter().collect::<Option<Vec<usize>>>().ok_or(ArenaError::Stopped)
}
