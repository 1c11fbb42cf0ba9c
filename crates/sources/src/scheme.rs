//! The supported schemes of URLs, and the operations of each.

/// A scheme of URLs that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// `http://` and `https://`.
    Http,
    /// `s3://BUCKET/KEY`, of Amazon and of servers that speak its protocol.
    S3,
    /// `gs://BUCKET/KEY`, Google Cloud Storage.
    Google,
    /// `az://CONTAINER/KEY`, Azure Blob Storage.
    Azure,
    /// `hf://datasets/ORG/NAME[@REVISION]/PATH` and `hf://buckets/ORG/NAME/PATH`, the Hugging Face Hub.
    Hub,
}

const NAMES: [(&str, Scheme); 7] = [
    ("http", Scheme::Http),
    ("https", Scheme::Http),
    ("s3", Scheme::S3),
    ("s3a", Scheme::S3),
    ("gs", Scheme::Google),
    ("az", Scheme::Azure),
    ("hf", Scheme::Hub),
];

impl Scheme {
    /// The schemes that are read, for messages.
    pub const READ: &str = "http(s)://, s3://, gs://, az:// and hf://";
    /// The schemes that are written, for messages.
    pub const WRITTEN: &str = "s3://, gs:// and az://";

    /// The scheme of a URL; none if it is not read.
    pub fn of(url: &str) -> Option<Self> {
        let (name, _) = url.split_once("://")?;
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, scheme)| *scheme)
    }

    /// Returns whether folders and globs stand for the objects below them.
    pub fn is_listed(self) -> bool {
        self != Self::Http
    }

    /// Returns whether outputs may be there.
    pub fn is_written(self) -> bool {
        matches!(self, Self::S3 | Self::Google | Self::Azure)
    }

    /// The variable of the environment that its credentials are taken from first.
    #[cfg(feature = "remote")]
    pub(crate) fn key_variable(self) -> &'static str {
        match self {
            Self::Http => "",
            Self::S3 => "AWS_ACCESS_KEY_ID",
            Self::Google => "GOOGLE_APPLICATION_CREDENTIALS",
            Self::Azure => "AZURE_STORAGE_ACCOUNT_KEY",
            Self::Hub => "HF_TOKEN",
        }
    }
}

/// A URL of a scheme that is listed as the start that names a bucket, container or repository, without a slash at
/// its end, and the path in it. None if it names none.
pub fn split_container(url: &str) -> Option<(&str, &str)> {
    let scheme = Scheme::of(url).filter(|scheme| scheme.is_listed())?;
    let rest = url.split_once("://")?.1;
    let names: Vec<&str> = rest.split('/').collect();
    let count = match scheme {
        Scheme::Hub if !matches!(names.first(), Some(&("datasets" | "buckets"))) => return None,
        // A revision such as refs/pr/3 has slashes of its own.
        Scheme::Hub if names.get(2).is_some_and(|name| name.ends_with("@refs")) => 5,
        Scheme::Hub => 3,
        _ => 1,
    };
    let container = names.get(..count)?;
    if container.iter().any(|name| name.is_empty()) {
        return None;
    }
    let length = container.iter().map(|name| name.len() + 1).sum::<usize>() - 1;
    let (_, path) = rest.split_at_checked(length)?;
    Some((url.get(..url.len() - path.len())?, path.strip_prefix('/').unwrap_or(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemes_are_known_by_their_names() {
        for (url, scheme) in [
            ("http://h/a", Some(Scheme::Http)),
            ("https://h/a", Some(Scheme::Http)),
            ("s3a://b/k", Some(Scheme::S3)),
            ("gs://b/k", Some(Scheme::Google)),
            ("az://c/k", Some(Scheme::Azure)),
            ("hf://datasets/o/n/k", Some(Scheme::Hub)),
            ("ftp://h/a", None),
            ("hf:/x", None),
        ] {
            assert_eq!(Scheme::of(url), scheme, "{url}");
        }
    }

    #[test]
    fn containers_are_told_from_paths() {
        for (url, split) in [
            ("s3://b/k/l", Some(("s3://b", "k/l"))),
            ("gs://b/", Some(("gs://b", ""))),
            ("az://c", Some(("az://c", ""))),
            ("s3:///k", None),
            ("hf://datasets/o/n", Some(("hf://datasets/o/n", ""))),
            ("hf://datasets/o/n@v1/a/b.gz", Some(("hf://datasets/o/n@v1", "a/b.gz"))),
            ("hf://datasets/o/n@refs/pr/3/a/b.gz", Some(("hf://datasets/o/n@refs/pr/3", "a/b.gz"))),
            ("hf://buckets/o/n/a/", Some(("hf://buckets/o/n", "a/"))),
            ("hf://datasets/o", None),
            ("hf://datasets//n/a", None),
            ("hf://o/n/a", None),
            ("https://h/a", None),
        ] {
            assert_eq!(split_container(url), split, "{url}");
        }
    }
}
