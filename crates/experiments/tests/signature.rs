//! Regression signatures: figures that depend on the seed alone, and change only with a search, an evaluation or a
//! game.

use outplay_catalog::Catalog;
use outplay_experiments::{ExperimentRequest, Findings, Grid, experiments, run};
use outplay_runtime::NoMonitor;

fn found(name: &str, games: u32) -> Findings {
    let mut request = ExperimentRequest::default();
    (request.name, request.games) = (name.into(), Some(games));
    // One run of sampled experiments: the figures are pinned, not interpreted.
    request.runs = ["horizon", "obstacles"].contains(&name).then_some(1);
    run(&Catalog::standard(), &request, &NoMonitor).unwrap()
}

/// A table's rows, cells joined by bars.
fn rows(grid: &Grid) -> Vec<String> {
    assert!(grid.rows.iter().all(|row| row.len() == grid.columns.len()), "{grid:?}");
    grid.rows.iter().map(|row| row.join(" | ")).collect()
}

/// The same without confidence intervals, which follow from the rest.
fn means(grid: &Grid) -> Vec<String> {
    let mut grid = grid.clone();
    for cell in grid.rows.iter_mut().flatten() {
        if let Some((mean, _)) = cell.split_once(" (") {
            *cell = mean.to_string();
        }
    }
    rows(&grid)
}

#[test]
fn every_experiment_has_a_name_and_a_line_about_it() {
    let all = experiments();
    assert_eq!(all.len(), 14);
    for about in all {
        assert!(!about.name.contains(' ') && about.about.len() > 20 && about.source.len() > 10, "{about:?}");
        assert!(about.question.ends_with('?') && about.verdict.ends_with('.'), "{about:?}");
    }
}

#[test]
fn alphabeta_savings() {
    let findings = found("alphabeta-savings", 1);
    assert_eq!(findings.holds, Some(true));
    assert_eq!(
        rows(&findings.tables[0]),
        [
            "1 | 7 | 7 | 7 | 7 | 7 | 8 | 100.00 %",
            "2 | 49 | 19 | 19 | 13 | 13 | 29 | 26.53 %",
            "3 | 343 | 299 | 141 | 55 | 55 | 125 | 16.03 %",
            "4 | 2,401 | 847 | 370 | 97 | 97 | 396 | 4.04 %",
            "5 | 16,807 | 10,149 | 1,711 | 391 | 391 | 940 | 2.33 %",
            "6 | 117,649 | 57,930 | 8,092 | 685 | 685 | 2,168 | 0.58 %",
            "7 | 823,536 | 349,011 | 39,910 | 2,743 | 2,743 | 7,052 | 0.33 %",
        ]
    );
}

#[test]
fn horizon() {
    let findings = found("horizon", 6);
    assert_eq!(findings.holds, Some(true));
    let [shares, example] = &findings.tables[..] else { panic!("{findings:?}") };
    assert_eq!(
        means(shares),
        [
            "1 | 100.0 % | 100.0 % | 50.0 %",
            "2 | 100.0 % | 100.0 % | 50.0 %",
            "3 | 100.0 % | 100.0 % | 50.0 %",
            "4 | 100.0 % | 100.0 % | 33.3 %",
            "5 | 100.0 % | 66.7 % | 33.3 %",
            "6 | 66.7 % | 66.7 % | 16.7 %",
            "7 | 66.7 % | 50.0 % | 16.7 %",
            "8 | 50.0 % | 50.0 % | 16.7 %",
        ]
    );
    assert_eq!(
        example.title,
        "for example ......./x....../o....ox/ox...oo/xxo.xxo/oxxoxox, lost in 12 plies"
    );
    assert_eq!(
        rows(example),
        [
            "1 | 2 | +3519 | 12 | +3519",
            "2 | 2 | -1033 | 12 | +2692",
            "3 | 2 | +2692 | 12 | +2692",
            "4 | 2 | +692 | 12 | +692",
            "5 | 2 | +1451 | 12 | +692",
            "6 | 2 | -2964 | 12 | -205",
            "7 | 2 | +968 | 12 | +140",
            "8 | 2 | -3861 | 12 | -3861",
            "9 | 2 | -3102 | 12 | -3516",
            "10 | 2 | -5792 | 12 | -5792",
            "11 | 2 | -5033 | 12 | lost",
            "12 | 2 | lost | 12 | lost",
        ]
    );
}

#[test]
fn obstacles() {
    assert_eq!(
        means(&found("obstacles", 2).tables[0]),
        [
            "0 | 0 % | 43.8 | 3.00 | 2,719 | 3/1/0 | 75.0 %",
            "4 | 10 % | 39.0 | 3.00 | 2,686 | 4/0/0 | 100.0 %",
            "9 | 20 % | 34.0 | 3.00 | 2,631 | 3/1/0 | 75.0 %",
            "14 | 30 % | 29.0 | 3.00 | 2,359 | 2/0/2 | 75.0 %",
            "19 | 40 % | 24.0 | 3.50 | 3,000 | 0/0/4 | 50.0 %",
            "24 | 50 % | 19.8 | 4.20 | 3,000 | 0/0/4 | 50.0 %",
        ]
    );
}

#[test]
fn helpful_vs_minimax() {
    let findings = found("helpful-vs-minimax", 4);
    let [games, exact, readings] = &findings.tables[..] else { panic!("{findings:?}") };
    let scores: Vec<String> = games.rows.iter().map(|row| row[3..5].join(" ")).collect();
    assert_eq!(
        scores,
        [
            "1/0/3 0/3/1",
            "0/0/4 0/0/4",
            "4/0/0 0/4/0",
            "3/1/0 0/4/0",
            "0/2/2 0/4/0",
            "0/2/2 0/2/2",
            "1/2/1 0/4/0"
        ]
    );
    let exact: Vec<String> = exact.rows.iter().map(|row| row[..5].join(" | ")).collect();
    assert_eq!(
        exact,
        [
            "helpful, moving first | 35.19 % | 0.74 % | 64.07 % | 67.22 %",
            "helpful, moving second | 0.00 % | 71.12 % | 28.88 % | 14.44 %",
            "first player, both perfect | 48 of 72 | 0 of 72 | 24 of 72 | ",
        ]
    );
    assert_eq!(findings.holds, Some(true), "{:?}", findings.remarks);
    // The paper's row is certain with one random ply and ties in order, and next to impossible by its literal text.
    assert!(
        rows(readings)
            .contains(&"1 | to the end | in order | in order | 0.000 % | 0.000 % | 100.000 % | 1.000".into()),
        "{readings:?}"
    );
}

#[test]
fn filtering() {
    let findings = found("filtering", 4);
    // Three error probabilities, three kinds of trees, three depths.
    let [shares, differences] = &findings.tables[..] else { panic!("{findings:?}") };
    assert_eq!((shares.rows.len(), shares.columns.len()), (9, 6));
    assert_eq!((rows(shares).len(), rows(differences).len()), (9, 9));
    // A difference of means on the same positions is the mean of the differences.
    let number = |cell: &str| -> f64 { cell.split([' ', '%']).next().unwrap().parse().unwrap() };
    for (shares, difference) in shares.rows.iter().zip(&differences.rows) {
        let means = number(&shares[5]) - number(&shares[3]);
        assert!((means - number(&difference[4])).abs() < 0.11, "{shares:?} {difference:?}");
        let conclusion = &difference[7];
        assert!(["supported", "refuted", "not decided"].iter().any(|word| conclusion.starts_with(word)));
    }
}

#[test]
fn loops_alphabeta() {
    let findings = found("loops-alphabeta", 1);
    assert_eq!(findings.holds, Some(true), "{:?}", findings.remarks);
    let [stable, depths, repetition] = &findings.tables[..] else { panic!("{findings:?}") };
    assert!(rows(stable)[0].starts_with("morris:three,lines=6 | "), "{stable:?}");
    assert_eq!((depths.rows.len(), repetition.rows.len()), (5, 2));
    // Every position is searched with a table: an enumeration without sampling bounds.
    assert_eq!(repetition.rows[1][2..4], ["5152 of 5152 searches", "96.3 %"], "{repetition:?}");
}

#[test]
fn league() {
    let findings = found("league", 2);
    let table = &findings.tables[0];
    assert_eq!(rows(table).len(), 2);
    assert!(table.rows.iter().flat_map(|row| &row[1..]).all(|cell| cell.contains(", ")), "{table:?}");
}

#[test]
fn obstacle_map() {
    let findings = found("obstacle-map", 1);
    assert_eq!(findings.holds, Some(true), "{:?}", findings.remarks);
    let small = &rows(&findings.tables[0])[0];
    assert!(small.starts_with("mnk:3x3,k=3 | a draw | 0/9/0 | "), "{small}");
}

/// Timed or sampled experiments can be repeated, and then have confidence intervals; exact ones cannot.
#[test]
fn repetitions() {
    let mut request = ExperimentRequest::default();
    (request.name, request.games, request.runs) = ("obstacles".into(), Some(1), Some(2));
    let findings = run(&Catalog::standard(), &request, &NoMonitor).unwrap();
    assert!(findings.setting.contains("2 runs, seeds 1 to 2"), "{}", findings.setting);
    let scores = findings.tables[0].rows.iter().map(|row| &row[6]);
    assert!(scores.clone().all(|score| score.contains(" to ")), "{:?}", scores.collect::<Vec<_>>());
    request.name = "alphabeta-savings".into();
    let refused = run(&Catalog::standard(), &request, &NoMonitor).unwrap_err();
    assert!(refused.is_input() && refused.to_string().contains("exact"), "{refused}");
}
