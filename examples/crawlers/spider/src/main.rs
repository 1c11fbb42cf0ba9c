//! Crawls one site with spider and writes a document a line: `crawl URL OUT.jsonl [OUT.warc]`
//!
//! Each page goes through a push session in this process: no service and no pipe. With a third argument
//! spider writes its own archive besides, which `trommel run` reads.

use std::{
    env,
    fs::File,
    io::{BufWriter, Write as _},
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use anyhow::{Context as _, bail};
use serde::Serialize;
use spider::{
    page::Page,
    tokio::{self, sync::broadcast::error::RecvError, time::sleep},
    utils::warc::WarcConfig,
    website::Website,
};
use trommel::{Document, Extractor, Hints, Model, Session};

/// Pages that wait to be fetched from spider, which overwrites the oldest when there are more.
const WAITING: usize = 4096;
/// Depth of the crawl: the start page and the pages that it links to.
const DEPTH: usize = 1;

#[tokio::main(crate = "tokio")]
async fn main() -> anyhow::Result<()> {
    let mut arguments = env::args().skip(1);
    let (Some(url), Some(out)) = (arguments.next(), arguments.next()) else {
        bail!("usage: crawl URL OUT.jsonl [OUT.warc]");
    };
    let archive = arguments.next();
    let model = Model::builtin("fast").context("no such model")?;
    let extractor = Extractor::new(Arc::new(model)).with_inline_style(false);

    let mut website = Website::new(&url);
    // Retries are for servers that are busy; a page that is gone stays gone.
    website.with_depth(DEPTH).with_retry(0);
    if let Some(path) = archive.clone() {
        website.configuration.with_warc(WarcConfig {
            path,
            ..WarcConfig::default()
        });
    }
    let mut pages = website.subscribe(WAITING);
    // Sessions keep a thread busy, and whoever does not fetch pages at once loses them: they wait here.
    let (sender, waiting) = mpsc::channel::<Page>();
    let lines = BufWriter::new(File::create(&out).with_context(|| out.clone())?);
    let writing = thread::spawn(move || write(lines, &extractor, waiting));
    let reading = tokio::spawn(async move {
        let mut archived = 0;
        loop {
            match pages.recv().await {
                Ok(page) => {
                    archived += u64::from(!page.blocked_crawl);
                    // If writing has failed, that is said below.
                    let _ = sender.send(page);
                }
                Err(RecvError::Lagged(lost)) => bail!("{lost} pages came too fast"),
                Err(RecvError::Closed) => return Ok(archived),
            }
        }
    });
    website.crawl().await;
    website.unsubscribe();
    let archived = reading.await??;
    match writing.join() {
        Ok(written) => written?,
        Err(_) => bail!("the thread of the sessions died"),
    }

    // spider writes its archive behind its own back: one record more than pages, for its name.
    if archive.is_some() {
        let writer = website.get_warc_writer().cloned();
        let writer = writer.context("the archive could not be created")?;
        while writer.record_count() <= archived {
            sleep(Duration::from_millis(10)).await;
        }
        writer.flush().await?;
    }
    Ok(())
}

/// Writes a line a document as pages come.
fn write(
    mut lines: BufWriter<File>,
    extractor: &Extractor,
    pages: mpsc::Receiver<Page>,
) -> anyhow::Result<()> {
    for page in pages {
        if let Some(document) = document(extractor, &page) {
            let url = page.get_url();
            serde_json::to_writer(&mut lines, &Line { url, document })?;
            lines.write_all(b"\n")?;
        }
    }
    Ok(lines.flush()?)
}

/// A line of the output, for one page.
#[derive(Serialize)]
struct Line<'a> {
    url: &'a str,
    #[serde(flatten)]
    document: Document,
}

/// The document of a page; none of what is no page.
fn document(extractor: &Extractor, page: &Page) -> Option<Document> {
    let content_type = page
        .headers
        .as_ref()
        .and_then(|headers| headers.get("content-type")?.to_str().ok())
        .unwrap_or_default();
    let is_html =
        content_type.starts_with("text/html") || content_type.starts_with("application/xhtml+xml");
    if !page.status_code.is_success() || !is_html {
        return None;
    }
    let charset = content_type
        .split(';')
        .find_map(|part| part.trim().strip_prefix("charset="));
    let hints = Hints {
        url: Some(page.get_url()),
        http_charset: charset,
        ..Hints::default()
    };
    let mut session = Session::new(extractor, hints);
    // A crawler that has its pages in parts feeds each as it comes, and follows `session.known().links`.
    session.feed(page.get_html_bytes_u8());
    Some(session.finish())
}
