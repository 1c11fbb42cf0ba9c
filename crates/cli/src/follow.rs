//! Options of runs whose inputs grow.

use std::time::Duration;

use clap::Args;
use trommel::run::FollowTimes;

/// Heading of these options.
const GROWING: &str = "Inputs that grow";

/// Options of followed inputs: their ends and pauses.
#[derive(Debug, Args)]
pub struct FollowArgs {
    /// Continue as inputs grow and new ones appear: files that a crawler writes (also as NAME.open), folders, globs,
    /// named pipes, - for standard input. Ends with SIGINT or SIGTERM, or when all pipes have ended
    #[arg(long, help_heading = GROWING, hide_short_help = true)]
    follow: bool,

    /// Seconds without new data after which everything is written out [default: 2]
    #[arg(long, help_heading = GROWING, hide_short_help = true, value_name = "SECONDS", requires = "follow", value_parser = seconds)]
    idle: Option<f64>,

    /// Seconds without new data after which the run ends
    #[arg(long, help_heading = GROWING, hide_short_help = true, value_name = "SECONDS", requires = "follow", value_parser = seconds)]
    until_idle: Option<f64>,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.0..=1e6).contains(&seconds) => Ok(seconds),
        _ => Err("expected a number of seconds".to_owned()),
    }
}

impl FollowArgs {
    /// Returns whether inputs are to be followed.
    pub fn is_asked(&self) -> bool {
        self.follow
    }

    /// The time limits of following; none if inputs are read once.
    pub fn times(&self) -> Option<FollowTimes> {
        self.follow.then(|| FollowTimes {
            idle: self.idle.map(Duration::from_secs_f64),
            until_idle: self.until_idle.map(Duration::from_secs_f64),
        })
    }
}
