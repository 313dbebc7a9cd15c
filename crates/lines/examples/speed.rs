use outplay_core::*;
use outplay_lines::*;
use std::time::*;
fn main() {
    let ms: u64 = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(1000);
    let mut b = LineBoard::empty(15, 15, 5);
    for (i, c) in [(7, 7), (8, 8), (9, 6), (7, 9)].iter().enumerate() {
        let cell = b.cell(c.0, c.1);
        b.cells[cell] = if i % 2 == 0 { Content::First } else { Content::Second };
    }
    let mut e = Engine::new(&b, Settings { entries: 1 << 20, ..Settings::default() }).unwrap();
    let t = Instant::now();
    let f = e.think(&b, &Limits { depth: Some(ms as u32), ..Limits::default() }, &Quiet).unwrap();
    let s = t.elapsed().as_secs_f64();
    println!("{:?} {:.3}s {:.2} Mn/s move {}", f, s, f.nodes as f64 / s / 1e6, b.move_name(f.cell));
}
