//! Options of runs that go on as their inputs grow.

use std::{ffi::OsString, time::Duration};

use anyhow::{Result, bail};
use clap::Args;
use trommel_pipeline::Follow;

/// How long inputs are followed.
#[derive(Debug, Args)]
pub struct FollowArgs {
    /// Go on as inputs grow and new ones appear: files that a crawler writes (also under NAME.open), folders,
    /// globs, named pipes, - for standard input; ends with SIGINT or SIGTERM, and when all pipes have ended
    #[arg(long, conflicts_with_all = ["select", "shard", "pages_only", "check_hashes", "resolve_revisits"])]
    follow: bool,

    /// Seconds without anything new after which all that came is written out [default: 2]
    #[arg(long, value_name = "SECONDS", requires = "follow", value_parser = seconds)]
    idle: Option<f64>,

    /// Seconds without anything new after which the run ends
    #[arg(long, value_name = "SECONDS", requires = "follow", value_parser = seconds)]
    until_idle: Option<f64>,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.0..=1e6).contains(&seconds) => Ok(seconds),
        _ => Err("expected a number of seconds".to_owned()),
    }
}

impl FollowArgs {
    /// What to follow; none if inputs are to be read once.
    pub fn follow(&self, arguments: &[OsString]) -> Result<Option<Follow>> {
        if !self.follow {
            return Ok(None);
        }
        let mut followed = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let Some(argument) = argument.to_str() else {
                let argument = argument.display();
                bail!("{argument}: a name that is not UTF-8 cannot be followed; name its folder");
            };
            followed.push(argument.to_owned());
        }
        let follow = Follow::new(&followed)?;
        Ok(Some(Follow {
            idle: self.idle.map_or(follow.idle, Duration::from_secs_f64),
            until_idle: self.until_idle.map(Duration::from_secs_f64),
            ..follow
        }))
    }
}
