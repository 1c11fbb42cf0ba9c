//! A job of many archives on many machines, simulated: slow machines, lost machines, throttled storage, and
//! how much each way of dividing the work suffers from them. Behind the advice of docs/scale.md.
//!
//! Machines take tasks, rows of archives, from a queue, or have theirs from the beginning. A machine that is lost
//! loses what it did since it last committed something, comes back after a while, and what it did not commit is done
//! again. Storage that serves all machines bounds how fast each reads.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, VecDeque},
    fmt::Write as _,
};

use trommel_text::SplitMix64;

/// Division of the work, and the unit that is kept when a machine is lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policy {
    /// Archives in a task.
    pub task: usize,
    /// True if machines take the next task when they are free, or each has its share from the beginning.
    pub queue: bool,
    /// True if each archive that is done stays done when its machine is lost; else only whole tasks.
    pub commit_each: bool,
}

/// The job and the machines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Job {
    /// Archives.
    pub archives: usize,
    /// Stored MB of one; single ones have a fifth more or less.
    pub megabytes: f64,
    /// Machines, of one core each.
    pub machines: usize,
    /// Stored MB that one reads and works on in a second.
    pub rate: f64,
    /// Share of the machines that take longer.
    pub slow_share: f64,
    /// Factor by which those take longer.
    pub slow_factor: f64,
    /// Mean hours until a machine is lost.
    pub hours_to_loss: f64,
    /// Hours until it is replaced.
    pub hours_to_return: f64,
    /// MB a second that the storage gives to all machines together.
    pub storage: f64,
}

/// The outcome of a job.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JobOutcome {
    /// Hours until the last archive was done.
    pub hours: f64,
    /// Core-hours from the beginning until then, whether the machines worked or waited for work.
    pub core_hours: f64,
    /// Core-hours of work that was lost with machines.
    pub wasted: f64,
    /// Machines that were lost.
    pub losses: u64,
}

/// A time, in hours, that can stand in a heap.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Hour(f64);

impl Eq for Hour {}

impl PartialOrd for Hour {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Hour {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// A number in 0..1.
fn uniform(numbers: &mut SplitMix64) -> f64 {
    (numbers.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

fn exponential(numbers: &mut SplitMix64, mean: f64) -> f64 {
    -mean * (1.0 - uniform(numbers)).ln()
}

/// Simulates the job once. The same seed gives the same outcome.
pub fn simulate(job: &Job, policy: &Policy, seed: u64) -> JobOutcome {
    let mut numbers = SplitMix64::new(seed);
    let sizes: Vec<f64> = (0..job.archives).map(|_| job.megabytes * (0.8 + 0.4 * uniform(&mut numbers))).collect();
    let machines = job.machines.max(1);
    let rate = job.rate.min(job.storage / machines as f64);
    let factors: Vec<f64> = (0..machines)
        .map(|_| match uniform(&mut numbers) < job.slow_share {
            true => job.slow_factor,
            false => 1.0,
        })
        .collect();
    let mut losses: Vec<f64> = (0..machines).map(|_| exponential(&mut numbers, job.hours_to_loss)).collect();
    let tasks = sizes.len().div_ceil(policy.task.max(1));
    // Of a queue there is one, of shares one a machine.
    let count = if policy.queue { 1 } else { machines };
    let mut queues: Vec<VecDeque<Vec<usize>>> = vec![VecDeque::new(); count];
    for task in 0..tasks {
        let archives = (task * policy.task..sizes.len().min((task + 1) * policy.task)).collect();
        let at = task % queues.len();
        if let Some(queue) = queues.get_mut(at) {
            queue.push_back(archives);
        }
    }
    let mut outcome = JobOutcome { hours: 0.0, core_hours: 0.0, wasted: 0.0, losses: 0 };
    // Machines by the hour at which they are free.
    let mut free: BinaryHeap<Reverse<(Hour, usize)>> =
        (0..machines).map(|machine| Reverse((Hour(0.0), machine))).collect();
    while let Some(Reverse((Hour(now), machine))) = free.pop() {
        let first_machine = if policy.queue { 0 } else { machine };
        let Some(archives) = queues.get_mut(first_machine).and_then(VecDeque::pop_front) else {
            continue;
        };
        let factor = factors.get(machine).copied().unwrap_or(1.0);
        let loss = losses.get(machine).copied().unwrap_or(f64::MAX);
        let (mut at, mut done) = (now, 0);
        for &archive in &archives {
            let end = at + sizes.get(archive).copied().unwrap_or_default() / rate * factor / 3600.0;
            if end > loss {
                break;
            }
            (at, done) = (end, done + 1);
        }
        if done == archives.len() {
            outcome.hours = outcome.hours.max(at);
            free.push(Reverse((Hour(at), machine)));
            continue;
        }
        outcome.losses += 1;
        let (kept, committed) = if policy.commit_each { (done, at) } else { (0, now) };
        outcome.wasted += (loss - committed).max(0.0);
        let rest = archives.get(kept..).unwrap_or_default().to_vec();
        if let Some(queue) = queues.get_mut(first_machine) {
            queue.push_front(rest);
        }
        let back = loss.max(now) + job.hours_to_return;
        if let Some(next) = losses.get_mut(machine) {
            *next = back + exponential(&mut numbers, job.hours_to_loss);
        }
        free.push(Reverse((Hour(back), machine)));
        // Of a queue, whoever is idle takes what came back.
        if policy.queue && free.len() < machines {
            let idle: Vec<usize> = {
                let busy: std::collections::HashSet<usize> =
                    free.iter().map(|Reverse((_, machine_number))| *machine_number).collect();
                (0..machines).filter(|machine_number| !busy.contains(machine_number)).collect()
            };
            free.extend(idle.into_iter().map(|machine_number| Reverse((Hour(loss.max(now)), machine_number))));
        }
    }
    outcome.core_hours = outcome.hours * machines as f64;
    outcome
}

/// The snapshot of docs/scale.md: 90,000 archives of 1 GB on 512 cores at the measured rate, of which one in
/// twenty takes three times as long, and each is lost once in two days.
const SNAPSHOT: Job = Job {
    archives: 90_000,
    megabytes: 1000.0,
    machines: 512,
    rate: 29.1,
    slow_share: 0.05,
    slow_factor: 3.0,
    hours_to_loss: 48.0,
    hours_to_return: 0.1,
    storage: f64::INFINITY,
};

/// Tasks of one archive from a queue.
const SMALL: Policy = Policy { task: 1, queue: true, commit_each: true };

/// Outcomes of the snapshot under several policies and faults as a table, means over `seeds` runs.
pub fn table(seeds: u64) -> String {
    let share = Policy { task: 176, queue: false, commit_each: true };
    let rows: [(&str, Job, Policy); 9] = [
        ("nothing goes wrong, a queue of archives", Job { slow_share: 0.0, hours_to_loss: 1e9, ..SNAPSHOT }, SMALL),
        ("a queue of archives", SNAPSHOT, SMALL),
        ("a queue of 20 archives, each committed", SNAPSHOT, Policy { task: 20, ..SMALL }),
        ("a queue of 20 archives, committed together", SNAPSHOT, Policy { task: 20, commit_each: false, ..SMALL }),
        ("a share each, each archive committed", SNAPSHOT, share),
        ("a share each, committed together", SNAPSHOT, Policy { commit_each: false, ..share }),
        ("machines lost every 4 hours, a queue of archives", Job { hours_to_loss: 4.0, ..SNAPSHOT }, SMALL),
        ("storage of 10 GB/s, a queue of archives", Job { storage: 10_000.0, ..SNAPSHOT }, SMALL),
        ("storage of 5 GB/s, a queue of archives", Job { storage: 5_000.0, ..SNAPSHOT }, SMALL),
    ];
    let mut out = "| | hours | core-hours | lost core-hours | machines lost |\n|---|--:|--:|--:|--:|\n".to_owned();
    for (name, job, policy) in rows {
        let runs: Vec<JobOutcome> = (0..seeds.max(1)).map(|seed| simulate(&job, &policy, seed)).collect();
        let mean = |value: fn(&JobOutcome) -> f64| runs.iter().map(value).sum::<f64>() / runs.len() as f64;
        // Writing to a string does not fail.
        let _ = writeln!(
            out,
            "| {name} | {:.2} | {:.0} | {:.1} | {:.0} |",
            mean(|run| run.hours),
            mean(|run| run.core_hours),
            mean(|run| run.wasted),
            mean(|run| run.losses as f64),
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALM: Job = Job {
        archives: 1000,
        megabytes: 1000.0,
        machines: 10,
        rate: 100.0,
        slow_share: 0.0,
        slow_factor: 1.0,
        hours_to_loss: 1e12,
        hours_to_return: 0.1,
        storage: f64::INFINITY,
    };

    #[test]
    fn without_faults_the_work_is_what_it_is() {
        let calm = simulate(&CALM, &SMALL, 1);
        // 1000 archives of 10 s on 10 machines.
        let expected = 1000.0 * 10.0 / 10.0 / 3600.0;
        assert!((calm.hours / expected - 1.0).abs() < 0.03, "{calm:?}");
        assert_eq!((calm.wasted, calm.losses), (0.0, 0));
        let throttled = simulate(&Job { storage: 500.0, ..CALM }, &SMALL, 1);
        assert!((throttled.hours / calm.hours - 2.0).abs() < 0.01, "{throttled:?}");
    }

    #[test]
    fn a_queue_bears_slow_machines_and_shares_wait_for_them() {
        let job = Job { slow_share: 0.3, slow_factor: 3.0, ..CALM };
        let share = Policy { task: 100, queue: false, commit_each: true };
        let (queue, share) = (simulate(&job, &SMALL, 2), simulate(&job, &share, 2));
        assert!(share.hours > 1.8 * queue.hours, "{queue:?} {share:?}");
    }

    #[test]
    fn what_is_committed_is_not_lost_and_everything_is_done() {
        let job = Job { hours_to_loss: 0.2, hours_to_return: 0.01, ..CALM };
        let each = simulate(&job, &Policy { task: 20, ..SMALL }, 3);
        let together = simulate(&job, &Policy { task: 20, commit_each: false, ..SMALL }, 3);
        assert!(each.losses > 5 && together.wasted > 2.0 * each.wasted, "{each:?} {together:?}");
        // Work done is what it is without faults; the rest was lost or waited for.
        assert!(each.hours * 10.0 >= 1000.0 * 10.0 / 3600.0 * 0.97 + each.wasted, "{each:?}");
        assert_eq!(each, simulate(&job, &Policy { task: 20, ..SMALL }, 3));
    }
}
