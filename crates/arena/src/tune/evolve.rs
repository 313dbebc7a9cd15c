//! Generations of candidates that play games.

use super::breed::{self, Candidate};
use super::checkpoint::Checkpoint;
use super::cma::Cma;
use super::{Generation, Method, TuneRequest, searcher, weights};
use crate::ArenaError;
use crate::contest::{Bout, Flow, Hall};
use crate::opening::openings;
use crate::referee::House;
use crate::seed::part;
use outplay_core::{AnyPosition, Notation, Watch};
use outplay_players::{FeatureSet, Kit};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rustc_hash::FxHashMap;

/// A first cloud this wide, in units of the incumbent's weights.
const WIDTH: f64 = 0.4;

/// Runs the generations that are left; gives the best weights and what each generation found.
pub(super) fn run(
    kit: &Kit,
    start: &AnyPosition,
    method: Method,
    request: &TuneRequest,
    watch: &dyn Watch,
) -> Result<(Vec<f32>, Vec<Generation>), ArenaError> {
    if request.population < 4 || request.games == 0 || request.generations == 0 {
        let why =
            "a population of at least 4, games and generations of at least 1 are needed; raise what is less";
        return Err(ArenaError::Unable(why.into()));
    }
    let setting = format!(
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
    let kept = match &request.checkpoint {
        Some(path) if request.resume => Checkpoint::load(path, &setting)?,
        Some(path) if path.exists() => {
            let why = "there is such a file already; resume it, or choose another name";
            return Err(ArenaError::file(path, why));
        }
        _ => None,
    };
    let scales = scales(request);
    let mut state = match kept {
        Some(kept) => kept,
        None => beginning(method, request, setting, &scales),
    };
    while (state.generations.len() as u32) < request.generations {
        let number = state.generations.len() as u32 + 1;
        let mut rng = SmallRng::seed_from_u64(part(part(request.seed, 4), u64::from(number)));
        if let Some(cloud) = &state.cloud {
            let drawn = cloud.ask(&mut rng).into_iter();
            state.population = drawn.map(|x| Candidate::new(real(&x, &scales, request))).collect();
        }
        watch.stage(&format!("generation {number} of {}", request.generations), 0);
        let games = match method {
            Method::Ga => {
                among_themselves(kit, start, request, number, &mut state.population, &mut rng, watch)?
            }
            Method::Sound | Method::Cmaes => {
                against_incumbent(kit, start, request, number, &mut state.population, watch)?
            }
        };
        let mean = state.population.iter().map(share).sum::<f64>() / state.population.len() as f64;
        let mut places: Vec<usize> = (0..state.population.len()).collect();
        // Sorting is stable: of equals the elder comes first.
        match method {
            Method::Ga => {
                places.sort_by(|&a, &b| state.population[b].points.total_cmp(&state.population[a].points))
            }
            _ => places.sort_by(|&a, &b| state.population[b].worth().total_cmp(&state.population[a].worth())),
        }
        let ranked: Vec<Candidate> = places.iter().map(|&place| state.population[place].clone()).collect();
        state.generations.push(Generation {
            generation: number,
            best: ranked[0].weights.clone(),
            points: ranked[0].points,
            out_of: ranked[0].games as f64,
            mean,
            games,
        });
        let survive = ((request.survive * ranked.len() as f64).round() as usize).clamp(1, ranked.len() - 1);
        let positive = request.features == FeatureSet::Paper;
        match (method, &mut state.cloud) {
            (Method::Ga, _) => state.population = breed::clones(&ranked, survive, positive, &mut rng),
            (Method::Sound, _) => state.population = breed::children(&ranked, survive, positive, &mut rng),
            (Method::Cmaes, Some(cloud)) => {
                let scaled = |one: &Candidate| -> Vec<f64> {
                    one.weights
                        .iter()
                        .zip(&scales)
                        .map(|(weight, scale)| f64::from(*weight) / scale)
                        .collect()
                };
                cloud.tell(&ranked.iter().map(scaled).collect::<Vec<_>>());
            }
            (Method::Cmaes, None) => {}
        }
        if let Some(path) = &request.checkpoint {
            state.save(path)?;
        }
        let best = &state.generations[state.generations.len() - 1];
        watch.note(&format!(
            "generation {number}: best {:?} with {} of {} points",
            best.best, best.points, best.out_of
        ));
    }
    // The cloud's middle has seen every game; elsewhere the best of the last generation is the result.
    let best = match &state.cloud {
        Some(cloud) => real(cloud.mean(), &scales, request),
        None => state.generations.last().map(|last| last.best.clone()).unwrap_or_default(),
    };
    Ok((best, state.generations))
}

/// The state before the first generation.
fn beginning(method: Method, request: &TuneRequest, setting: String, scales: &[f64]) -> Checkpoint {
    let mut rng = SmallRng::seed_from_u64(part(part(request.seed, 4), 0));
    let count = request.features.names().len();
    // No unfinished position holds four in a row, so the weight of fours decides nothing: all have the paper's.
    let fours = request.features.names().iter().position(|name| *name == "fours").map(|place| (place, 100.0));
    let preset = request.features.preset().values().to_vec();
    let population = match (method, request.features) {
        (Method::Cmaes, _) => Vec::new(),
        (_, FeatureSet::Paper) => {
            breed::first(request.population, count, request.largest, fours.as_slice(), &mut rng)
        }
        // Weights of either sign begin near those that come along.
        (_, FeatureSet::Extended) => {
            let ranked = vec![Candidate::new(preset.clone()); request.population];
            breed::children(&ranked, 1, false, &mut rng)
        }
    };
    let cloud = (method == Method::Cmaes).then(|| {
        let mean = preset.iter().zip(scales).map(|(weight, scale)| f64::from(*weight) / scale).collect();
        Cma::new(mean, WIDTH, request.population)
    });
    Checkpoint::new(setting, population, cloud)
}

/// Weights differ in size; the cloud sees them in these units.
fn scales(request: &TuneRequest) -> Vec<f64> {
    let preset = request.features.preset();
    let sizes: Vec<f64> = preset.values().iter().map(|weight| f64::from(weight.abs())).collect();
    let mean = sizes.iter().sum::<f64>() / sizes.len() as f64;
    sizes.iter().map(|size| size.max(0.25 * mean).max(1e-3)).collect()
}

/// A point of the cloud as weights.
fn real(point: &[f64], scales: &[f64], request: &TuneRequest) -> Vec<f32> {
    let least = if request.features == FeatureSet::Paper { 0.0 } else { f64::MIN };
    point.iter().zip(scales).map(|(x, scale)| (x * scale).max(least) as f32).collect()
}

/// Points per game; one half if there was none.
fn share(one: &Candidate) -> f64 {
    if one.games == 0 { 0.5 } else { one.points / one.games as f64 }
}

fn specs(request: &TuneRequest, population: &[Candidate]) -> Result<Vec<String>, ArenaError> {
    let spec = |one: &Candidate| {
        Ok(searcher(request.depth, &weights(request.features, one.weights.clone())?.spec()))
    };
    population.iter().map(spec).collect()
}

/// The paper's games: each candidate draws opponents from the population and meets each of them twice, colours
/// swapped. Its own meetings count for it; games that would only repeat each other are played once.
fn among_themselves(
    kit: &Kit,
    start: &AnyPosition,
    request: &TuneRequest,
    number: u32,
    population: &mut [Candidate],
    rng: &mut SmallRng,
    watch: &dyn Watch,
) -> Result<u64, ArenaError> {
    let mut meetings = Vec::new();
    for one in 0..population.len() {
        for meeting in 0..request.games {
            let other = (one + rng.random_range(1..population.len())) % population.len();
            meetings.push((one, other, meeting));
        }
    }
    // Without openings all meetings of the same two are the same, whoever drew whom.
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
    let results = play(kit, start, request, number, specs(request, population)?, &bouts, watch)?;
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

/// The sounder games: everybody meets the incumbent in the same openings, both colours, and keeps all points
/// from earlier generations.
fn against_incumbent(
    kit: &Kit,
    start: &AnyPosition,
    request: &TuneRequest,
    number: u32,
    population: &mut [Candidate],
    watch: &dyn Watch,
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
    let results = play(kit, start, request, number, players, &bouts, watch)?;
    for (bout, half_points) in bouts.iter().zip(results) {
        let (one, points) =
            if bout.first == incumbent { (bout.second, 2 - half_points) } else { (bout.first, half_points) };
        population[one].points += points as f64 / 2.0;
        population[one].games += 1;
    }
    Ok(bouts.len() as u64)
}

/// Half points of the player who moved first, bout by bout.
fn play(
    kit: &Kit,
    start: &AnyPosition,
    request: &TuneRequest,
    number: u32,
    players: Vec<String>,
    bouts: &[Bout],
    watch: &dyn Watch,
) -> Result<Vec<usize>, ArenaError> {
    let seed = part(part(request.seed, 6), u64::from(number));
    let openings = openings(kit, start, request.openings, request.games, seed)?;
    let hall = Hall {
        kit,
        start,
        openings: &openings,
        players: &players,
        house: House::default(),
        seed,
        judged: false,
        threads: request.threads,
        spectator: &crate::contest::Nobody,
    };
    watch.stage(&format!("generation {number} of {}", request.generations), bouts.len() as u64);
    let mut results = vec![None; bouts.len()];
    hall.play(bouts, watch, |game| {
        results[game.number as usize] = Some(game.half_points(game.first));
        watch.advance(1);
        Ok(Flow::On)
    })?;
    // Games that are missing were cut short by a stop.
    results.into_iter().collect::<Option<Vec<usize>>>().ok_or(ArenaError::Stopped)
}
