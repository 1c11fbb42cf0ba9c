//! Options for reading over a network.

use clap::Args;
use trommel::run::NetworkOptions;

/// Heading of these options.
const REMOTE: &str = "Inputs behind URLs";

/// Options for inputs behind URLs.
#[derive(Debug, Args)]
pub struct NetworkArgs {
    /// Follow redirects and names in a multi-WACZ to other hosts, including this machine and its network
    #[arg(long, help_heading = REMOTE, hide_short_help = true)]
    follow_hosts: bool,
}

impl NetworkArgs {
    /// The options, with the defaults of the others.
    pub fn options(&self) -> NetworkOptions {
        NetworkOptions { follow_hosts: self.follow_hosts, ..NetworkOptions::default() }
    }
}
