//! The reasons why a run cannot be planned as it is asked for: choices that exclude each other, or that this program
//! cannot do.

use trommel_record::Format;

/// Reason why a run cannot begin; each is one line.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RequestError {
    /// A name that is not UTF-8 is to be followed.
    #[error("{0}: a name that is not UTF-8 cannot be followed; name its folder")]
    NotUtf8(String),
    /// Something to follow that does not grow as files do.
    #[error("{0}: only files, folders, globs and pipes can be followed")]
    NotFollowed(String),
    /// An option that names no kind of records and file.
    #[error("{0:?}: expected KIND=FILE.warc.gz, such as pdf=pdfs.warc.gz")]
    SetAside(String),
    /// Inputs that are followed, and a choice that needs them complete.
    #[error("--follow and {0} exclude each other")]
    FollowExcludes(&'static str),
    /// A format of plain text, and Markdown.
    #[error("the format text is plain text; for Markdown choose the format markdown")]
    TextAndMarkdown,
    /// A choice for indexes without one.
    #[error("{0} is for indexes of records: name one with --select")]
    WithoutIndex(&'static str),
    /// A share of hard pages and no file for them.
    #[error("hard_share is for copies of hard pages: name their file with --hard-to")]
    WithoutHardFile,
    /// The file for hard pages is none by its name.
    #[error("--hard-to: {0}: expected a name as in hard.warc.gz")]
    HardName(String),
    /// A model whose confidences are unknown.
    #[error(
        "--hard-to: there is no table of the confidences of the model {0}, only of built-in ones; `annotate` the pages, \
        and take those of low confidence with --select"
    )]
    NoConfidences(String),
    /// A format that this program cannot write.
    #[error("this program was built without the format {0}")]
    NotBuilt(Format),
}
