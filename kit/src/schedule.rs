//! Who gets how much of the time.

use std::time::Duration;

/// A limit below this is no time to begin.
pub const LEAST: Duration = Duration::from_secs(5);

/// How long the first of several jobs may take of the time that is left. Each gets a share by its weight, so that one that
/// hangs takes no more; what one leaves goes to all behind it.
///
/// `weights` are those of the jobs that have not begun.
pub fn limit(left: Duration, weights: &[f64]) -> Duration {
    match weights {
        [] => Duration::ZERO,
        // Not by division: the last one gets all, to the nanosecond.
        [_] => left,
        [first, ..] => left.mul_f64(first / weights.iter().sum::<f64>()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    /// What each job is given, where each takes `used` of its limit.
    fn limits(total: Duration, weights: &[f64], used: f64) -> Vec<Duration> {
        let mut left = total;
        let mut limits = Vec::new();
        for job in 0..weights.len() {
            let limit = limit(left, &weights[job..]);
            left -= limit.mul_f64(used);
            limits.push(limit);
        }
        limits
    }

    #[test]
    fn jobs_that_hang_leave_the_others_their_share() {
        let limits = limits(10 * MINUTE, &[3.0, 2.0, 4.0, 1.0], 1.0);
        let expected = [3, 2, 4, 1].map(|minutes| minutes * MINUTE);
        for (limit, expected) in limits.iter().zip(expected) {
            assert!(limit.abs_diff(expected) < Duration::from_micros(1), "{limits:?}");
        }
    }

    #[test]
    fn what_a_job_leaves_goes_to_those_behind_it() {
        let limits = limits(10 * MINUTE, &[1.0, 1.0], 0.5);
        assert_eq!(limits, [5 * MINUTE, 15 * MINUTE / 2]);
    }

    #[test]
    fn all_jobs_together_never_get_more_than_there_is() {
        for used in [0.0, 0.3, 1.0] {
            let limits = limits(7 * MINUTE, &[30.0, 20.0, 0.5, 5.0], used);
            let taken: Duration = limits.iter().map(|limit| limit.mul_f64(used)).sum();
            assert!(taken <= 7 * MINUTE, "{limits:?}");
        }
        assert_eq!(limit(Duration::ZERO, &[1.0, 2.0]), Duration::ZERO);
        assert_eq!(limit(MINUTE, &[]), Duration::ZERO);
    }
}
