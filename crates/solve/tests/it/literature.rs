//! Chess endings: counts and longest mates of the literature.

/// One ending: counts with white and with black to move, then, in moves, the longest white win with white to move,
/// the longest black loss with black to move, and black's longest win where one is known.
pub(crate) struct Line {
    pub(crate) ending: &'static str,
    pub(crate) white: [u64; 3],
    pub(crate) black: [u64; 3],
    pub(crate) longest: (Option<u32>, Option<u32>, Option<u32>),
}

const fn line(
    ending: &'static str,
    white: [u64; 3],
    black: [u64; 3],
    longest: (Option<u32>, Option<u32>, Option<u32>),
) -> Line {
    Line { ending, white, black, longest }
}

const fn mates(white: u32, black: u32) -> (Option<u32>, Option<u32>, Option<u32>) {
    (Some(white), Some(black), None)
}

pub(crate) const THREE: [Line; 5] = [
    line("KQK", [144508, 0, 0], [0, 23048, 200896], mates(10, 10)),
    line("KRK", [175168, 0, 0], [0, 22244, 201700], mates(16, 16)),
    line("KPK", [124960, 38368, 0], [0, 70420, 97604], mates(28, 28)),
    line("KBK", [0, 193284, 0], [0, 223944, 0], (None, None, None)),
    line("KNK", [0, 205496, 0], [0, 223944, 0], (None, None, None)),
];

pub(crate) const FOUR: [Line; 12] = [
    line("KQQK", [2828560, 0, 0], [0, 141176, 6689116], mates(4, 10)),
    line("KBBK", [2503608, 2578420, 0], [0, 4016252, 2814040], mates(19, 19)),
    line("KBNK", [10822184, 53320, 0], [0, 2472416, 11188168], mates(33, 33)),
    line("KNNK", [616, 5749036, 0], [0, 6830172, 120], mates(1, 0)),
    line("KRPK", [7877172, 0, 0], [0, 251868, 9997596], mates(16, 28)),
    line("KPPK", [3555030, 58312, 0], [0, 302686, 3522058], mates(32, 32)),
    line("KQKQ", [3737092, 5174888, 40628], [3737092, 5174888, 40628], (Some(13), Some(12), Some(13))),
    line("KQKR", [8863768, 71704, 17136], [3090088, 627960, 7062680], (Some(35), Some(35), Some(19))),
    line("KQKP", [6699262, 42634, 40], [771952, 1203466, 7987590], (Some(28), Some(28), Some(29))),
    line("KRKN", [5210920, 5569800, 8], [32, 11170424, 1364800], mates(40, 40)),
    line("KBKB", [416, 11831936, 112], [416, 11831936, 112], mates(1, 0)),
    line("KNKP", [416, 8191224, 1216892], [3244280, 6718658, 70], (Some(7), Some(6), Some(29))),
];
