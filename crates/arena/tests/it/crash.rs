//! Crash recovery of a record: every prefix, and every prefix padded with zeros, is resumed to the same bytes.

use outplay_arena::record::{GameRecord, Header, RECORD_BYTES, Record};
use outplay_arena::referee::{End, ResourceUse};

fn game(number: u64) -> GameRecord {
    GameRecord {
        number,
        opening: number / 2,
        first: (number % 2) as usize,
        second: 1 - (number % 2) as usize,
        moves: "a1 b2 c3".into(),
        opening_moves: 1,
        payoff: (number % 3) as i32 - 1,
        end: End::Rules,
        why: (number == 2).then(|| "thought too long — 思".to_string()),
        spent: [ResourceUse::default(); 2],
        scrutiny: None,
    }
}

#[test]
fn a_record_is_written_by_one_process_at_a_time() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("games.jsonl");
    let header = Header::new("tictactoe".into(), vec!["random".into(), "greedy".into()]);
    let mut record = Record::create(&file, &header).unwrap();
    let busy = || Record::resume(&file, &header, RECORD_BYTES).err().map(|error| error.to_string());
    assert!(busy().is_some_and(|why| why.contains("another process is using")));
    record.add(&game(0)).unwrap();
    drop(record);
    let (record, games) = Record::resume(&file, &header, RECORD_BYTES).unwrap();
    assert!(games.len() == 1 && busy().is_some());
    drop(record);
    let long = Record::resume(&file, &header, 10).err().unwrap().to_string();
    assert!(long.contains("raise --memory"), "{long}");
}

#[test]
fn every_prefix_of_a_record_is_resumed() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("games.jsonl");
    let header = Header::new("tictactoe".into(), vec!["random".into(), "größer".into()]);
    let games: Vec<GameRecord> = (0..4).map(game).collect();
    let mut record = Record::create(&file, &header).unwrap();
    games.iter().for_each(|game| record.add(game).unwrap());
    drop(record);
    let whole = std::fs::read(&file).unwrap();
    let mut states = 0;
    for cut in 0..=whole.len() {
        for zeros in [0, 1, 300] {
            let left = [&whole[..cut], &vec![0; zeros]].concat();
            std::fs::write(&file, &left).unwrap();
            let (mut record, known) = Record::resume(&file, &header, RECORD_BYTES).unwrap();
            let lines = whole[..cut].iter().filter(|&&byte| byte == b'\n').count();
            assert_eq!(known, games[..lines.saturating_sub(1)], "cut at {cut}");
            games[known.len()..].iter().for_each(|game| record.add(game).unwrap());
            drop(record);
            assert!(std::fs::read(&file).unwrap() == whole, "cut at {cut}, {zeros} zeros");
            states += 1;
        }
    }
    assert!(states >= 2_000, "{states}");
}
