//! `trommel extract`

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use serde::Serialize;
use trommel_extract::{ContentPolicy, DocumentOptions, Extraction, Extractor, Hints};
use trommel_output::{AtomicFile, OutputBlock, OutputRecord, PageForm, page_line};
use trommel_sources::is_url;

use crate::messages::causes;
use crate::models;
use crate::page::{PageInput, note_reviews};
use crate::policy::PolicyArgs;
use crate::text::TextArgs;

/// Extract the main text of HTML pages
#[derive(Debug, Args)]
pub struct ExtractArgs {
    /// Pages: files (plain or under gzip), folders of them, URLs with --fetch; `-` or nothing for
    /// standard input
    #[arg(value_name = "PAGE", default_value = "-")]
    pages: Vec<OsString>,
    /// File to write to; for several pages or a folder, the folder for a file each [default: standard
    /// output]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Get pages that are URLs over the network
    #[arg(long)]
    fetch: bool,
    /// URL of the page
    #[arg(long)]
    url: Option<String>,
    /// Charset that the server named
    #[arg(long, value_name = "LABEL")]
    charset: Option<String>,
    /// Form of the output
    #[arg(short, long, value_enum, default_value_t = Form::Text)]
    format: Form,
    /// Write links into Markdown as [text](address); relative ones need --url, or an absolute base in the page
    #[arg(long)]
    links: bool,
    /// Write images that stand by themselves into Markdown as ![alternative text](address)
    #[arg(long)]
    images: bool,
    /// Add to JSON where each part of the text stands in the decoded page: lists of character of the text,
    /// characters, byte of the page, bytes
    #[arg(long)]
    spans: bool,
    /// Add the tables among the text to JSON as rows of cells
    #[arg(long)]
    tables: bool,
    /// Divide a page on which several people write into posts with their author and time, where its markup
    /// says so: in JSON the key `posts`, in Markdown a line above each
    #[arg(long)]
    posts: bool,
    /// Put what is more than text into divisions of the Markdown, `::: ROLE` above and `:::` below: reviews,
    /// comments, questions with answers, ingredients, captions ... as far as they are kept (see --include)
    #[arg(long, conflicts_with = "posts")]
    sections: bool,
    /// Name of a built-in model, or a model file
    #[arg(long, value_name = "NAME|FILE")]
    model: Option<String>,
    #[command(flatten)]
    text: TextArgs,
    #[command(flatten)]
    policy: PolicyArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Form {
    /// Main text
    Text,
    /// Main text as Markdown (CommonMark with the tables of GitHub)
    Markdown,
    /// Main text and facts of the page, one JSON object with the keys of a line of `run`
    Json,
    /// Every block, kept or not, with its text, bytes, path, role and probability; one JSON object a line,
    /// as in `run --blocks`
    Blocks,
}

impl Form {
    /// Ending of the name of a file of this form.
    fn ending(self) -> &'static str {
        match self {
            Self::Text => "txt",
            Self::Markdown => "md",
            Self::Json => "json",
            Self::Blocks => "blocks.jsonl",
        }
    }
}

/// A block, with the file it is of where there are several.
#[derive(Serialize)]
struct NamedBlock<'a> {
    #[serde(flatten)]
    block: OutputBlock,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
}

/// Where the text of pages goes.
enum Output<'a> {
    Stdout,
    File(&'a Path),
    Folder(&'a Path),
}

/// Runs the command: 0 if every page was read, 1 if some were not, 2 if none was.
pub fn run(args: &ExtractArgs) -> anyhow::Result<ExitCode> {
    if !matches!(args.format, Form::Markdown) {
        for (option, is_set) in [
            ("--links", args.links),
            ("--images", args.images),
            ("--sections", args.sections),
        ] {
            if is_set {
                bail!("{option} needs --format markdown");
            }
        }
    }
    for (option, is_set) in [("--spans", args.spans), ("--tables", args.tables)] {
        if is_set && !matches!(args.format, Form::Json) {
            bail!("{option} needs --format json");
        }
    }
    let given = Hints {
        http_charset: args.charset.as_deref(),
        ..Hints::default()
    };
    given.check()?;
    if args.posts && !matches!(args.format, Form::Json | Form::Markdown) {
        bail!("--posts needs --format json or markdown");
    }
    let pages = PageInput::expand(&args.pages, args.fetch)?;
    if args.url.is_some() && pages.len() > 1 {
        bail!("--url is that of one page, here are {}", pages.len());
    }
    let is_one = pages.len() == 1 && !args.pages.iter().any(|page| Path::new(page).is_dir());
    let output = match args.output.as_deref() {
        None => Output::Stdout,
        Some(path) if is_one && !path.is_dir() => Output::File(path),
        Some(path) => Output::Folder(path),
    };
    if let Output::File(path) = output
        && let (Ok(path), Some(page)) = (path.canonicalize(), pages.first())
        && Path::new(&page.name)
            .canonicalize()
            .is_ok_and(|page| page == path)
    {
        bail!("{}: is both page and output", page.name);
    }
    if let Output::Folder(_) = output {
        let mut written = BTreeMap::new();
        for page in &pages {
            if let Some(other) = written.insert(&page.stem, &page.name) {
                bail!("{other} and {} would be written to one file", page.name);
            }
        }
    }
    let model = Arc::new(models::load(args.model.as_deref())?);
    let extractor = Extractor::new(model).with_policy(args.policy.over(ContentPolicy::default())?);
    let mut failed = 0;
    for (at, page) in pages.iter().enumerate() {
        let done = extracted(args, &extractor, page, !is_one)
            .and_then(|text| written(&output, args.format, page, &text, at, !is_one));
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
        0 => ExitCode::SUCCESS,
        _ if failed == pages.len() => ExitCode::from(2),
        _ => ExitCode::from(1),
    })
}

/// What is written of a page. Of several, JSON names the file.
fn extracted(
    args: &ExtractArgs,
    extractor: &Extractor,
    page: &PageInput,
    is_named: bool,
) -> anyhow::Result<String> {
    let bytes = page.read()?;
    let url = match &args.url {
        None if is_url(&page.name) => Some(page.name.as_str()),
        url => url.as_deref(),
    };
    let hints = Hints {
        url,
        http_charset: args.charset.as_deref(),
        crawl_charset: None,
        date: None,
    };
    let extraction = extractor.extract(&bytes, &hints);
    warn_of_nothing(&extraction, &page.name);
    note_reviews(&extraction, &page.name);
    let file = is_named.then_some(page.name.as_str());
    let form = match args.format {
        Form::Text => PageForm::Text,
        Form::Markdown => PageForm::Markdown {
            links: args.links,
            images: args.images,
        },
        Form::Json => PageForm::Json,
        Form::Blocks => return blocks(&extraction, file),
    };
    let text = args.text.options();
    if let Some(options) = form.options_with(text).markdown {
        if args.posts {
            return Ok(extraction.markdown_of_posts(&options));
        }
        if args.sections {
            return Ok(extraction.markdown_of_sections(&options));
        }
    }
    let options = form
        .options_with(text)
        .with_spans(args.spans)
        .with_tables(args.tables);
    let document = extraction.document(&options);
    if !matches!(form, PageForm::Json) {
        return Ok(form.print(document, url, file)?);
    }
    let record = OutputRecord {
        url: url.map(str::to_owned),
        ..OutputRecord::from(document)
    };
    let posts = args.posts.then(|| extraction.posts(text));
    Ok(page_line(&record, file, posts.as_deref())?)
}

/// Says that nothing is kept of a page that has words.
fn warn_of_nothing(extraction: &Extraction<'_>, name: &str) {
    let judgement = &extraction.verdicts().judgement;
    let keeps = judgement.choice.kept.contains(&true);
    let words = extraction.page().blocks.iter();
    let words: u64 = words.map(|block| u64::from(block.words)).sum();
    if words > 0 && !keeps && !judgement.embedded.iter().any(|own| own.kept) {
        tracing::warn!("{name}: no main text among its {words} words; `trommel inspect` shows why");
    }
}

/// Every block, a line each.
fn blocks(extraction: &Extraction<'_>, file: Option<&str>) -> anyhow::Result<String> {
    let mut lines = String::new();
    let form = DocumentOptions::default().with_blocks(true);
    for block in extraction.document(&form).blocks {
        let block = NamedBlock {
            block: block.into(),
            file,
        };
        lines.push_str(&serde_json::to_string(&block)?);
        lines.push('\n');
    }
    Ok(lines)
}

fn written(
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
    let named = || file.display().to_string();
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).with_context(named)?;
    }
    let mut out = AtomicFile::create(&file).with_context(named)?;
    out.write_all(text.as_bytes()).with_context(named)?;
    out.finish().with_context(named)?;
    Ok(())
}
