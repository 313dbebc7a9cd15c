//! Formatting of numbers: thousands separators, durations, rates and byte counts.

/// Formats `1234567` as `1,234,567`.
pub fn grouped(number: impl Into<u128>) -> String {
    let digits = number.into().to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats seconds with a suitable unit, from nanoseconds to years.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1e-6 => format!("{:.0} ns", s * 1e9),
        s if s < 1e-3 => format!("{:.1} µs", s * 1e6),
        s if s < 1.0 => format!("{:.2} ms", s * 1e3),
        s if s < 120.0 => format!("{s:.2} s"),
        s if s < 7200.0 => format!("{:.0} min {:.0} s", (s / 60.0).floor(), (s % 60.0).floor()),
        s if s < 200.0 * 3600.0 => format!("{:.1} h", s / 3600.0),
        s if s < 1000.0 * 86400.0 => format!("{:.0} days", s / 86400.0),
        s => format!("{:.0} years", s / (365.25 * 86400.0)),
    }
}

/// Formats an estimate of the time left as people say it: `about 5 minutes`, `less than a second`.
pub fn time_left(seconds: f64) -> String {
    let (amount, unit) = match seconds {
        s if s < 1.0 => return "less than a second".into(),
        s if s < 90.0 => (s, "second"),
        s if s < 90.0 * 60.0 => (s / 60.0, "minute"),
        s if s < 48.0 * 3600.0 => (s / 3600.0, "hour"),
        s if s < 1000.0 * 86400.0 => (s / 86400.0, "day"),
        s if s < 1e4 * 365.25 * 86400.0 => (s / (365.25 * 86400.0), "year"),
        _ => return "more than 10,000 years".into(),
    };
    match amount.round() as u64 {
        1 => format!("about 1 {unit}"),
        amount => format!("about {} {unit}s", grouped(amount)),
    }
}

/// Formats a rate in words: `1.8 million per second`.
pub fn rate_words(rate: f64) -> String {
    match rate {
        r if r < 10.0 => format!("{r:.1} per second"),
        r if r < 1e6 => format!("{} per second", grouped(r as u64)),
        r if r < 1e9 => format!("{:.1} million per second", r / 1e6),
        r => format!("{:.1} billion per second", r / 1e9),
    }
}

/// Formats a rate with an SI prefix: `1.8 M/s`.
pub fn per_second(rate: f64) -> String {
    match rate {
        r if r < 1e3 => format!("{r:.0}/s"),
        r if r < 1e6 => format!("{:.1} k/s", r / 1e3),
        r if r < 1e9 => format!("{:.1} M/s", r / 1e6),
        r => format!("{:.1} G/s", r / 1e9),
    }
}

/// Formats a byte count with an SI prefix.
pub fn bytes(count: u64) -> String {
    match count as f64 {
        n if n < 1e3 => format!("{n:.0} B"),
        n if n < 1e6 => format!("{:.1} kB", n / 1e3),
        n if n < 1e9 => format!("{:.1} MB", n / 1e6),
        n => format!("{:.2} GB", n / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_read_well() {
        assert_eq!(duration(4.978), "4.98 s");
        assert_eq!(duration(0.000_12), "120.0 µs");
        assert_eq!(duration(179.9), "2 min 59 s");
        assert_eq!(duration(607.25 * 3600.0), "25 days");
        assert_eq!(bytes(100_000_000), "100.0 MB");
        assert_eq!((per_second(999.0), per_second(1.84e6)), ("999/s".into(), "1.8 M/s".into()));
        assert_eq!(time_left(0.908), "less than a second");
        assert_eq!((time_left(1.2), time_left(63.0)), ("about 1 second".into(), "about 63 seconds".into()));
        assert_eq!((time_left(300.0), time_left(9e9)), ("about 5 minutes".into(), "about 285 years".into()));
        assert_eq!(
            [2.34, 78_123.0, 1.84e6, 5e9].map(rate_words),
            ["2.3 per second", "78,123 per second", "1.8 million per second", "5.0 billion per second"]
        );
        assert_eq!(grouped(15_038_733_958_272u64), "15,038,733,958,272");
        assert_eq!(grouped(999u64), "999");
    }
}
