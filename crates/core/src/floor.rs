//! Who of a process's threads computes: one at a time, each with all the cores that the process has.
//!
//! Two kinds of work go on side by side where several processes write a table together: the values of a tier are found while
//! the tier before is coded. Both wait for other processes now and then, and what one waits for is the other's time to
//! compute. If both computed at once, a process would take twice the cores that it was given.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The right to compute.
#[derive(Debug, Default)]
pub struct Floor {
    state: Mutex<State>,
    free: Condvar,
}

#[derive(Debug, Default)]
struct State {
    taken: bool,
    /// Who comes before others and waits.
    urgent: usize,
}

/// Gives the floor back when it is dropped.
#[derive(Debug)]
pub struct Held<'a>(&'a Floor);

impl Floor {
    /// Waits until nobody has the floor and nobody urgent wants it.
    pub fn take(&self) -> Held<'_> {
        let mut state = self.state();
        while state.taken || state.urgent > 0 {
            state = self.free.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.taken = true;
        Held(self)
    }

    /// Waits until nobody has the floor, and comes before those who are not urgent: for work that other processes wait for.
    pub fn take_first(&self) -> Held<'_> {
        let mut state = self.state();
        state.urgent += 1;
        while state.taken {
            state = self.free.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.urgent -= 1;
        state.taken = true;
        Held(self)
    }

    fn wanted(&self) -> bool {
        self.state().urgent > 0
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'a> Held<'a> {
    /// Lets those who are urgent go first, if there are any.
    pub fn give_way(self) -> Held<'a> {
        let floor = self.0;
        if !floor.wanted() {
            return self;
        }
        drop(self);
        floor.take()
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.state().taken = false;
        self.0.free.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use std::time::Duration;

    #[test]
    fn one_at_a_time_has_the_floor() {
        let (floor, inside, turns) = (Floor::default(), AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (floor, inside, turns) = (&floor, &inside, &turns);
                scope.spawn(move || {
                    for _ in 0..200 {
                        let _held = if thread == 0 { floor.take_first() } else { floor.take() };
                        assert_eq!(inside.fetch_add(1, SeqCst), 0);
                        turns.fetch_add(1, SeqCst);
                        inside.fetch_sub(1, SeqCst);
                    }
                });
            }
        });
        assert_eq!(turns.into_inner(), 800);
    }

    #[test]
    fn who_is_urgent_comes_first() {
        let (floor, order) = (Floor::default(), Mutex::new(Vec::new()));
        let come = |name, first: bool| {
            let _held = if first { floor.take_first() } else { floor.take() };
            order.lock().expect("nobody panicked").push(name);
        };
        std::thread::scope(|scope| {
            let held = floor.take();
            let held = held.give_way();
            scope.spawn(|| come("patient", false));
            std::thread::sleep(Duration::from_millis(20));
            scope.spawn(|| come("urgent", true));
            while !floor.wanted() {
                std::thread::sleep(Duration::from_millis(1));
            }
            let held = held.give_way();
            assert_eq!(order.lock().expect("nobody panicked")[0], "urgent");
            drop(held);
        });
        let mut order = order.into_inner().expect("nobody panicked");
        assert_eq!((order.len(), order.pop()), (2, Some("patient")));
    }
}
