//! Resource usage: the peak memory of the process, and the memory available to it (cgroups v2, resource limits).

use std::fs;
use std::path::Path;

/// Peak resident memory of the process in bytes; 0 where the system does not report it.
pub(crate) fn peak_bytes() -> u64 {
    kilobytes("/proc/self/status", "VmHWM:").map_or(0, |kb| kb * 1024)
}

/// Resets the peak, where the system allows it.
pub(crate) fn reset_peak() {
    // Without permission the figure includes earlier work, which only makes it larger.
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// Available memory in bytes: the minimum over the machine, its control groups and the limits of this process.
pub(crate) fn available_bytes() -> u64 {
    /// Assumed where the system reports nothing.
    const MODEST: u64 = 4 << 30;
    let free = kilobytes("/proc/meminfo", "MemAvailable:").map(|kb| kb * 1024);
    let groups = groups().into_iter().map(|group| group.most.saturating_sub(group.now));
    let now = kilobytes("/proc/self/status", "VmSize:").map_or(0, |kb| kb * 1024);
    let own = address_space().map(|most| most.saturating_sub(now));
    free.into_iter().chain(groups).chain(own).min().unwrap_or(MODEST)
}

/// Total memory that this process can have, in bytes.
pub(crate) fn total_bytes() -> u64 {
    let machine = kilobytes("/proc/meminfo", "MemTotal:").map(|kb| kb * 1024);
    let groups = groups().into_iter().map(|group| group.most);
    machine.into_iter().chain(groups).chain(address_space()).min().unwrap_or(u64::MAX)
}

/// Memory limit and usage of a control group.
struct ControlGroup {
    most: u64,
    now: u64,
}

/// Reads the limits of the process's control group and its ancestors (cgroups v2); a container has at least one.
fn groups() -> Vec<ControlGroup> {
    let text = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    groups_below(Path::new("/sys/fs/cgroup"), &text)
}

/// Reads the limits below another mount point, for tests.
fn groups_below(root: &Path, text: &str) -> Vec<ControlGroup> {
    let Some(path) = group_path(text) else { return Vec::new() };
    let limits = Path::new(path).ancestors().filter_map(|group| {
        let dir = root.join(group.strip_prefix("/").unwrap_or(group));
        let number = |file: &str| fs::read_to_string(dir.join(file)).ok()?.trim().parse().ok();
        // "max" does not parse as a number: no limit.
        Some(ControlGroup { most: number("memory.max")?, now: number("memory.current").unwrap_or(0) })
    });
    limits.collect()
}

/// The path of the process in the unified hierarchy (version 2).
fn group_path(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.strip_prefix("0::"))
}

/// The limits of `ulimit -v` and `ulimit -d`.
fn address_space() -> Option<u64> {
    limit(&fs::read_to_string("/proc/self/limits").ok()?)
}

fn limit(text: &str) -> Option<u64> {
    let soft = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse().ok()
    };
    ["Max address space", "Max data size"].into_iter().filter_map(soft).min()
}

fn kilobytes(file: &str, key: &str) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(key))?;
    line[key.len()..].trim().trim_end_matches("kB").trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_as_the_system_writes_them() {
        let table = |address: &str, data: &str| {
            format!(
                "Limit                     Soft Limit           Hard Limit           Units     \n\
                 Max data size             {data}            unlimited            bytes     \n\
                 Max address space         {address}            unlimited            bytes     \n"
            )
        };
        assert_eq!(limit(&table("unlimited", "unlimited")), None);
        assert_eq!(limit(&table("2048000000", "unlimited")), Some(2_048_000_000));
        assert_eq!(limit(&table("2048000000", "1000")), Some(1000));
        assert_eq!(group_path("12:memory:/old\n0::/user.slice/me\n"), Some("/user.slice/me"));
        assert_eq!(group_path("12:memory:/old\n"), None);
        assert!(available_bytes() <= total_bytes());
    }

    /// Every ancestor's limit applies; those of sibling groups do not.
    #[test]
    fn control_groups_are_limits() {
        let root = tempfile::tempdir().unwrap();
        let put = |group: &str, most: &str, now: &str| {
            let dir = root.path().join(group);
            fs::create_dir_all(&dir).unwrap();
            fs::write(dir.join("memory.max"), format!("{most}\n")).unwrap();
            fs::write(dir.join("memory.current"), format!("{now}\n")).unwrap();
        };
        put("user", "3000000", "2500000");
        put("user/me", "max", "100");
        put("user/me/shell", "2000000", "1000000");
        put("other", "5", "5");
        let found = groups_below(root.path(), "1:cpu:/other\n0::/user/me/shell\n");
        let found: Vec<(u64, u64)> = found.iter().map(|group| (group.most, group.now)).collect();
        assert_eq!(found, [(2_000_000, 1_000_000), (3_000_000, 2_500_000)]);
    }
}
