//! Options for reading over a network.

use std::time::Duration;

use clap::Args;
use trommel::{ByteSize, ByteSizeError};
use trommel_pipeline::sources::NetworkOptions;

/// Heading of these options.
const REMOTE: &str = "Inputs behind URLs";

/// Options for waiting for inputs behind URLs.
#[derive(Debug, Args)]
pub struct NetworkArgs {
    /// Seconds without data after which a connection is opened again [default: 30]
    #[arg(long, help_heading = REMOTE, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    idle_timeout: Option<u64>,

    /// Lowest acceptable rate, in bytes a second. After three slow periods of --idle-timeout the input is given
    /// up; 0 for no limit [default: 1K]
    #[arg(long, help_heading = REMOTE, value_name = "SIZE", value_parser = rate)]
    least_rate: Option<ByteSize>,

    /// Seconds to repeat requests that a server refuses temporarily (429, 503) [default: 600]
    #[arg(long, help_heading = REMOTE, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(0..=86_400))]
    retry_for: Option<u64>,

    /// Follow redirects and names in a multi-WACZ to other hosts, including this machine and its network
    #[arg(long, help_heading = REMOTE)]
    follow_hosts: bool,
}

fn rate(text: &str) -> Result<ByteSize, ByteSizeError> {
    match text {
        "0" => Ok(ByteSize(0)),
        _ => text.parse(),
    }
}

impl NetworkArgs {
    /// The options, with defaults for those that were not given.
    pub fn options(&self) -> NetworkOptions {
        let defaults = NetworkOptions::default();
        NetworkOptions {
            idle: self.idle_timeout.map_or(defaults.idle, Duration::from_secs),
            least_rate: self.least_rate.map_or(defaults.least_rate, |size| size.0),
            retry_for: self.retry_for.map_or(defaults.retry_for, Duration::from_secs),
            follow_hosts: self.follow_hosts,
            ..defaults
        }
    }
}
