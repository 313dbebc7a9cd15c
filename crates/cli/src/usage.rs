//! What the process has used and what the machine has left.

use std::fs;
use std::path::Path;

/// The most memory that the process ever had, in bytes; 0 where the system does not tell.
pub(crate) fn peak_bytes() -> u64 {
    kilobytes("/proc/self/status", "VmHWM:").map_or(0, |kb| kb * 1024)
}

/// Forgets the peak so far, where the system allows it.
pub(crate) fn reset_peak() {
    // Without the permission the figure includes what came before, which only makes it larger.
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// Memory that can still be had, in bytes: what the machine, its groups and the limits of this process leave.
pub(crate) fn available_bytes() -> u64 {
    /// Assumed where the system does not tell.
    const MODEST: u64 = 4 << 30;
    let free = kilobytes("/proc/meminfo", "MemAvailable:").map(|kb| kb * 1024);
    let groups = groups().into_iter().map(|group| group.most.saturating_sub(group.now));
    let now = kilobytes("/proc/self/status", "VmSize:").map_or(0, |kb| kb * 1024);
    let own = address_space().map(|most| most.saturating_sub(now));
    free.into_iter().chain(groups).chain(own).min().unwrap_or(MODEST)
}

/// All memory that this process could ever have, in bytes.
pub(crate) fn total_bytes() -> u64 {
    let machine = kilobytes("/proc/meminfo", "MemTotal:").map(|kb| kb * 1024);
    let groups = groups().into_iter().map(|group| group.most);
    machine.into_iter().chain(groups).chain(address_space()).min().unwrap_or(u64::MAX)
}

/// What a control group allows and uses.
struct Group {
    most: u64,
    now: u64,
}

/// The limits of the process's control group and of those above it (version 2); a container has at least one.
fn groups() -> Vec<Group> {
    let text = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    groups_below(Path::new("/sys/fs/cgroup"), &text)
}

/// The same where the tree of groups is mounted elsewhere.
fn groups_below(root: &Path, text: &str) -> Vec<Group> {
    let Some(path) = group_path(text) else { return Vec::new() };
    let limits = Path::new(path).ancestors().filter_map(|group| {
        let dir = root.join(group.strip_prefix("/").unwrap_or(group));
        let number = |file: &str| fs::read_to_string(dir.join(file)).ok()?.trim().parse().ok();
        // "max" is no number, and no limit.
        Some(Group { most: number("memory.max")?, now: number("memory.current").unwrap_or(0) })
    });
    limits.collect()
}

/// Where the process is in the one tree of version 2.
fn group_path(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.strip_prefix("0::"))
}

/// What `ulimit -v` and `ulimit -d` allow.
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

    /// What any group on the way to the root allows, and nothing of groups beside it.
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
