//! `trommel extract`: extracts the main text of pages.

use std::path::{Path, PathBuf};
use std::{collections::BTreeMap, ffi::OsString, sync::Arc};

use anyhow::bail;
use clap::{Args, ValueEnum};
use serde::Serialize;
use trommel::{
    BlockVerdict, Document, Extraction, Extractor, Hints, PageForm, PartialSettings, Settings, TextForm,
    record::front_matter, run::is_url,
};

use crate::files::PageInput;
use crate::settings::{PageCommands, SettingsArgs};
use crate::{exit::Exit, files, messages::causes};

/// Extract the main text of HTML pages
#[derive(Debug, Args)]
pub struct ExtractArgs {
    /// Pages: files (plain, gzip or zstd), folders, or URLs with --fetch; `-` or nothing for standard input
    #[arg(value_name = "PAGE", default_value = "-")]
    pages: Vec<OsString>,
    /// File to write to: NAME.md is Markdown, NAME.json JSON, NAME.blocks.jsonl a list of blocks. A name without an
    /// ending, or with a slash at its end, is a folder with a file for each page [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Replace existing files
    #[arg(long, requires = "output")]
    overwrite: bool,
    /// Fetch URLs over the network
    #[arg(long)]
    fetch: bool,
    /// URL of the page
    #[arg(long)]
    url: Option<String>,
    /// Charset that the server named
    #[arg(long, value_name = "LABEL")]
    charset: Option<String>,
    /// Form of the output [default: by the name of a file, else text, or Markdown if --text, --links or a similar option
    /// asks for it]
    #[arg(short, long, value_enum)]
    format: Option<Form>,
    /// Begin Markdown with YAML about the page: url, title, author, date and lang
    #[arg(long)]
    front_matter: bool,
    #[command(flatten)]
    settings: SettingsArgs<PageCommands>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Form {
    /// Main text
    Text,
    /// Main text as Markdown (CommonMark with the tables of GitHub)
    Markdown,
    /// Main text and metadata, as one JSON object with the keys of a line of `run`
    Json,
    /// Every block, kept or dropped, with text, bytes, path, role and probability: a JSON object a line
    Blocks,
}

impl Form {
    /// Returns the file name extension for outputs in this format, without a leading dot.
    fn ending(self) -> &'static str {
        match self {
            Self::Text => "txt",
            Self::Markdown => "md",
            Self::Json => "json",
            Self::Blocks => "blocks.jsonl",
        }
    }

    /// Returns the output format that the extension of a file name implies; `None` if it implies no format.
    fn by_name(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        let has = |ending: &str| name.strip_suffix(ending).is_some_and(|stem| stem.ends_with('.'));
        match () {
            () if has("blocks.jsonl") => Some(Self::Blocks),
            () if has("json") => Some(Self::Json),
            () if has("md") || has("markdown") => Some(Self::Markdown),
            () => None,
        }
    }
}

/// Block of a page, with the name of its file if several files are extracted.
#[derive(Serialize)]
struct NamedBlock<'a> {
    #[serde(flatten)]
    block: BlockVerdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
}

/// Destination of the extracted text: standard output, one file, or a folder with a file for each page.
enum Output<'a> {
    Stdout,
    File(&'a Path),
    Folder(&'a Path),
}

/// Runs `trommel extract`. Returns exit code 0 if every page was read, 1 if some pages failed, and 2 if all failed.
pub fn run(args: &ExtractArgs) -> anyhow::Result<Exit> {
    let given = Hints { http_charset: args.charset.as_deref(), ..Hints::default() };
    given.check()?;
    let pages = PageInput::expand(&args.pages, args.fetch)?;
    if args.url.is_some() && pages.len() > 1 {
        bail!("--url is that of one page, here are {}", pages.len());
    }
    let is_one = pages.len() == 1 && !args.pages.iter().any(|page| Path::new(page).is_dir());
    let output = match args.output.as_deref() {
        None => Output::Stdout,
        Some(path) if path == Path::new("-") => Output::Stdout,
        Some(path) if is_one && !is_folder(path) => Output::File(path),
        Some(path) => Output::Folder(path),
    };
    let by_name = match output {
        Output::File(path) => {
            files::refuse_inputs(path, pages.iter().map(|page| &page.name))?;
            files::prepare(path)?;
            Form::by_name(path)
        }
        _ => None,
    };
    let (settings, form) = settings(args, by_name)?;
    if args.front_matter && !matches!(form, Form::Markdown) {
        bail!("--front-matter is for Markdown: add -f markdown");
    }
    if let Output::Folder(_) = output {
        let mut written = BTreeMap::new();
        for page in &pages {
            if let Some(other) = written.insert(&page.stem, &page.name) {
                bail!("{other} and {} would be written to one file", page.name);
            }
        }
    }
    let extractor = Extractor::with_model(&settings, Arc::new(settings.model()?));
    let mut failed = 0;
    for (at, page) in pages.iter().enumerate() {
        let done = extracted(args, &extractor, form, page, !is_one)
            .and_then(|text| written(args, &output, form, page, &text, at, !is_one));
        match done {
            Ok(()) => {}
            Err(error) if is_one => return Err(error),
            Err(error) => {
                tracing::error!("{}", causes(&error));
                failed += 1;
            }
        }
    }
    Ok(match failed {
        0 => Exit::Clean,
        _ if failed == pages.len() => Exit::Fatal,
        _ => Exit::SomeFailed.because(&format!("{failed} of {} pages not read or written", pages.len())),
    })
}

/// Reads and extracts one page, and returns its output. With `is_named`, JSON states the name of the file.
fn extracted(
    args: &ExtractArgs,
    extractor: &Extractor,
    form: Form,
    page: &PageInput,
    is_named: bool,
) -> anyhow::Result<String> {
    let bytes = page.read()?;
    let url = match &args.url {
        None if is_url(&page.name) => Some(page.name.as_str()),
        url => url.as_deref(),
    };
    let hints = Hints { url, http_charset: args.charset.as_deref(), crawl_charset: None, date: None };
    let extraction = extractor.extract(&bytes, &hints);
    warn_of_nothing(&extraction, &page.name);
    let file = is_named.then_some(page.name.as_str());
    let document = Document { url: url.map(str::to_owned), ..extraction.document(extractor.options()) };
    if document.capped.iter().any(|cap| cap == "max-tokens") {
        tracing::warn!("{}: the text ends at a paragraph, by --max-tokens", page.name);
    }
    let head = if args.front_matter { front_matter(&document) } else { String::new() };
    let form = match form {
        Form::Text => PageForm::Text,
        Form::Markdown => PageForm::Markdown,
        Form::Json => PageForm::Json,
        Form::Blocks => return blocks(document, file),
    };
    Ok(head + &form.print(document, url, file)?)
}

/// Returns whether an output path is a folder: an existing one, a path with a final slash, or a new name without an
/// extension.
fn is_folder(path: &Path) -> bool {
    let has_slash = path.as_os_str().as_encoded_bytes().ends_with(b"/");
    path.is_dir() || has_slash || (path.extension().is_none() && !path.exists())
}

/// Returns the settings and the output format, from the options and the format `by_name` that the name of the output
/// file implies.
fn settings(args: &ExtractArgs, by_name: Option<Form>) -> anyhow::Result<(Settings, Form)> {
    let mut chosen = PartialSettings::default();
    let is_plain = args.settings.chosen.get("text.form").is_some_and(|form| form == "plain");
    let format = args.format.or(by_name.filter(|form| !(is_plain && matches!(form, Form::Markdown))));
    match format {
        Some(Form::Text) => chosen.set("text.form", "plain")?,
        Some(Form::Markdown) => chosen.set("text.form", "markdown")?,
        Some(Form::Blocks) => chosen.set("include.blocks", true)?,
        Some(Form::Json) | None => {}
    }
    let given = args.settings.chosen.clone();
    let settings = chosen.over(given).over(args.settings.file()?).settings()?;
    let form = match (format, settings.text.form) {
        (Some(form), _) => form,
        (None, TextForm::Plain) => Form::Text,
        (None, TextForm::Markdown) => Form::Markdown,
    };
    let listed = [
        ("spans", settings.include.spans),
        ("tables", settings.include.tables),
        ("chunks", settings.include.chunks.is_some()),
        ("posts", settings.include.posts && !matches!(form, Form::Markdown)),
    ];
    if let Some((name, _)) = listed.into_iter().find(|(_, is_set)| *is_set)
        && !matches!(form, Form::Json)
    {
        bail!("--{name} needs --format json");
    }
    Ok((settings, form))
}

/// Warns if a page has words, but none of its blocks is kept as main text.
fn warn_of_nothing(extraction: &Extraction<'_>, name: &str) {
    let judgement = &extraction.verdicts().judgement;
    let keeps = judgement.choice.kept.contains(&true);
    let words = extraction.page().blocks.iter();
    let words: u64 = words.map(|block| u64::from(block.words)).sum();
    if words > 0 && !keeps && !judgement.embedded.iter().any(|embedded| embedded.kept) {
        tracing::warn!("{name}: no main text among its {words} words; `trommel inspect` shows why");
    }
}

/// Formats every block of a document as a line of JSON. With several pages, each line names the `file`.
fn blocks(document: Document, file: Option<&str>) -> anyhow::Result<String> {
    let mut lines = String::new();
    for block in document.blocks {
        let block = NamedBlock { block, file };
        lines.push_str(&serde_json::to_string(&block)?);
        lines.push('\n');
    }
    Ok(lines)
}

fn written(
    args: &ExtractArgs,
    output: &Output<'_>,
    form: Form,
    page: &PageInput,
    text: &str,
    at: usize,
    is_named: bool,
) -> anyhow::Result<()> {
    let file = match output {
        Output::Stdout => {
            // As `head` and `tail` do with several files.
            if is_named && matches!(form, Form::Text | Form::Markdown) {
                let before = if at > 0 { "\n" } else { "" };
                crate::out(&format!("{before}==> {} <==\n", page.name))?;
            }
            return crate::out(text);
        }
        Output::File(file) => file.to_path_buf(),
        Output::Folder(folder) => {
            let mut name = page.stem.clone().into_os_string();
            name.push(".");
            name.push(form.ending());
            folder.join(name)
        }
    };
    // The same text again is no loss: a command that was interrupted can be repeated.
    let is_other = || std::fs::read(&file).map_or(true, |there| there != text.as_bytes());
    if !args.overwrite && file.is_file() && is_other() {
        bail!("{}: is there already, with another text; replace it with --overwrite", file.display());
    }
    files::write(&file, text)
}
