//! `trommel serve`: starts the HTTP service.

use std::{env, path::PathBuf, sync::Arc, time::Duration};

use anyhow::{Context, Result, bail};
use clap::Args;
use trommel::{ByteSize, Model, Settings, record::filters::Filters, run::load_sites};
use trommel_web::service::{HostGuard, Listen, ServiceLimits, ServiceSettings, Socket, Token, serve, server_config};

use crate::exit::{Exit, Stop};
use crate::settings::{ServiceCommands, SettingsArgs};
use crate::{messages::say, models};

/// Environment variable that holds the bearer token that requests must send.
const TOKEN: &str = "TROMMEL_TOKEN";

/// Minimum value of `--max-memory`, in bytes; with less, no page can be extracted.
const MIN_MEMORY: ByteSize = ByteSize(16 << 20);

/// Serve extraction over HTTP, with a web page to inspect pages
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Address to listen on: HOST:PORT (port 0: any free one) or unix:PATH. Can be repeated. Sockets from
    /// systemd take precedence
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8642")]
    listen: Vec<Listen>,

    /// File with the bearer token that requests must send [default: TROMMEL_TOKEN of the environment, else no
    /// token]
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,

    /// Host name that requests without a token may use, besides `localhost`, IP addresses and the names of
    /// --listen. Can be repeated
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,

    /// TLS certificates (PEM) for TCP connections
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,

    /// Private key of the certificate, PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,

    /// Requests that may wait for a worker; further ones get 429
    #[arg(long, value_name = "N", default_value_t = ServiceLimits::default().queue)]
    queue: usize,

    /// Maximum bytes of a page, or of a record of a batch; longer ones get 413 [default: 16M]
    #[arg(long, value_name = "SIZE")]
    max_body: Option<ByteSize>,

    /// Maximum memory for requests: bodies, their processing, and unsent answers. Further requests get 429, and
    /// pages that never fit get 413 [default: 512M]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    max_memory: Option<ByteSize>,

    /// Seconds for the head of a request, its body, a pause in a batch, or a pause in reading an answer
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,

    /// Seconds to finish current requests after SIGTERM or SIGINT
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(0..=86_400))]
    grace: u64,

    /// Correct the model by other pages of the same site, from the counts in FILE (`trommel sites build`)
    #[arg(long, value_name = "FILE")]
    sites: Option<PathBuf>,

    /// Folder of an index from `index`, to search on the web page
    #[arg(long, value_name = "DIR")]
    index: Option<PathBuf>,

    /// Folder of the archives of the index, to view the pages found
    #[arg(long, value_name = "DIR", requires = "index")]
    archives: Option<PathBuf>,

    /// Settings of requests that state none. Requests may always name the built-in models. Filters
    /// drop documents of batches and mark single pages
    #[command(flatten)]
    settings: SettingsArgs<ServiceCommands>,
}

/// Parses `--max-memory`. Refuses values under [`MIN_MEMORY`], because a page takes some dozen times its size.
fn memory(text: &str) -> Result<ByteSize, String> {
    match text.parse::<ByteSize>() {
        Ok(size) if size.0 < MIN_MEMORY.0 => Err(format!("a service needs at least {MIN_MEMORY}")),
        size => size.map_err(|error| error.to_string()),
    }
}

/// Runs `trommel serve`. Returns exit code 0 after a signal to stop, once current requests are finished.
pub fn run(args: &ServeArgs) -> Result<Exit> {
    #[cfg(not(feature = "index"))]
    if args.index.is_some() {
        bail!(crate::WITHOUT_INDEX);
    }
    let defaults_of_pages = args.settings.chosen.clone().over(args.settings.file()?);
    let settings = defaults_of_pages.settings()?;
    let defaults = ServiceLimits::default();
    let limits = ServiceLimits {
        jobs: settings.limits.jobs.unwrap_or(defaults.jobs),
        queue: args.queue,
        max_body: args.max_body.map_or(defaults.max_body, |size| size.0),
        max_memory: args.max_memory.map_or(defaults.max_memory, |size| size.0),
        timeout: Duration::from_secs(args.timeout),
        grace: Duration::from_secs(args.grace),
        ..defaults
    };
    let tls = match (&args.tls_cert, &args.tls_key) {
        (Some(certificates), Some(key)) => Some(server_config(certificates, key)?),
        _ => None,
    };
    let models = named_models(&settings)?;
    for (_, model) in &models {
        settings.check_page_types(model)?;
    }
    let token = token(args)?;
    let service = ServiceSettings {
        models,
        defaults: defaults_of_pages,
        filters: Arc::new(Filters::new(&settings.filters)),
        limits,
        token,
        guard: HostGuard::new(hosts(args)),
        tls,
        sites: args.sites.as_deref().map(load_sites).transpose()?.map(Arc::new),
        #[cfg(feature = "index")]
        index: match &args.index {
            Some(path) => Some(trommel::index::Index::open(path)?),
            None => None,
        },
        archives: args.archives.clone(),
    };
    if let Some(folder) = &args.archives
        && !folder.is_dir()
    {
        bail!("{}: no such folder", folder.display());
    }
    let stop = Stop::on_signals().context("signals cannot be caught")?;
    let mut sockets = Socket::activated()?;
    if sockets.is_empty() {
        for listen in &args.listen {
            sockets.push(Socket::bind(listen)?);
        }
    }
    for socket in &sockets {
        if service.token.is_none() && !socket.is_local() {
            tracing::warn!("{socket}: anyone who reaches this address may use it; see --token-file");
        }
        let scheme = match (socket.is_tcp(), service.tls.is_some()) {
            (true, true) => "https://",
            (true, false) => "http://",
            (false, _) => "",
        };
        say(&format!("listening on {scheme}{socket}"));
    }
    serve(service, sockets, stop.flag())?;
    Ok(Exit::Clean)
}

/// Returns the host names that requests may address if no token is required.
fn hosts(args: &ServeArgs) -> impl Iterator<Item = String> {
    let listened = args.listen.iter().filter_map(Listen::host);
    listened.map(str::to_owned).chain(args.allow_host.iter().cloned())
}

/// Returns the models that requests may name, each with its name; the default model is first.
fn named_models(settings: &Settings) -> Result<Vec<(String, Arc<Model>)>> {
    let default = settings.model_name();
    let first = settings.model()?;
    // A file is known by the name of its model: paths are nobody's business.
    let name = match Model::builtin_names().find(|name| *name == default) {
        Some(name) => name.to_owned(),
        None => first.file().name.clone(),
    };
    let mut all = vec![(name, Arc::new(first))];
    for builtin in Model::builtin_names() {
        if all.iter().all(|(name, _)| name != builtin) {
            all.push((builtin.to_owned(), Arc::new(models::named(Some(builtin))?)));
        }
    }
    Ok(all)
}

/// Returns the bearer token from the file of `--token-file`, or else from the environment; `None` if neither is given.
fn token(args: &ServeArgs) -> Result<Option<Token>> {
    if let Some(file) = &args.token_file {
        return Ok(Some(Token::from_file(file)?));
    }
    match env::var(TOKEN) {
        Ok(secret) => Ok(Some(Token::new(secret.trim()).context(TOKEN)?)),
        Err(env::VarError::NotPresent) => Ok(None),
        Err(env::VarError::NotUnicode(_)) => bail!("{TOKEN}: not UTF-8"),
    }
}
