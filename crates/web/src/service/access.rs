//! Checks the bearer token of a request.

use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use http::{HeaderMap, header::AUTHORIZATION};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// Minimum bytes of a token: shorter ones can be guessed over the network.
const MIN_TOKEN_BYTES: usize = 16;

/// A secret that requests must bring as `Authorization: Bearer TOKEN`. Only its SHA-256 is kept.
#[derive(Clone)]
pub struct Token([u8; 32]);

/// Reason why a token cannot be used. It never says the token.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// It cannot be read.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// Its file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// It is too short.
    #[error("the token is shorter than {MIN_TOKEN_BYTES} characters")]
    Short,
    /// It cannot stand in a header.
    #[error("the token has characters other than visible ASCII")]
    Characters,
}

impl Token {
    /// This token.
    ///
    /// # Errors
    /// If it is short, or cannot stand in a header.
    pub fn new(secret: &str) -> Result<Self, TokenError> {
        if secret.len() < MIN_TOKEN_BYTES {
            return Err(TokenError::Short);
        }
        if !secret.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(TokenError::Characters);
        }
        Ok(Self(digest(secret.as_bytes())))
    }

    /// The token in a file, white space around it left out.
    ///
    /// # Errors
    /// If the file cannot be read, or as for [`Token::new`].
    pub fn from_file(path: &Path) -> Result<Self, TokenError> {
        let secret = fs::read_to_string(path).map_err(|source| TokenError::Io { path: path.to_owned(), source })?;
        Self::new(secret.trim())
    }

    /// Returns whether a request brings it. Takes the same time whatever it brings.
    pub(crate) fn is_in(&self, headers: &HeaderMap) -> bool {
        let Some(value) = headers.get(AUTHORIZATION) else { return false };
        let Some((scheme, given)) = value.as_bytes().split_at_checked(b"Bearer ".len()) else { return false };
        scheme.eq_ignore_ascii_case(b"Bearer ") && bool::from(self.0.ct_eq(&digest(given)))
    }
}

/// Comparing digests says nothing of the length either.
fn digest(secret: &[u8]) -> [u8; 32] {
    Sha256::digest(secret).into()
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "correct-horse-battery";

    #[test]
    fn only_the_token_opens() {
        let token = Token::new(SECRET).unwrap();
        let opens = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(AUTHORIZATION, value.parse().unwrap());
            token.is_in(&headers)
        };
        assert!(opens(&format!("Bearer {SECRET}")) && opens(&format!("bearer {SECRET}")));
        for wrong in [
            SECRET.to_owned(),
            format!("Basic {SECRET}"),
            format!("Bearer {SECRET}x"),
            format!("Bearer {}", &SECRET[1..]),
            "Bearer ".to_owned(),
            "Bearer".to_owned(),
        ] {
            assert!(!opens(&wrong), "{wrong}");
        }
        assert!(!token.is_in(&HeaderMap::new()));
        assert!(!format!("{token:?}").contains("horse"));
    }

    #[test]
    fn what_cannot_be_a_token_is_refused_without_being_told() {
        for wrong in ["tiny-secret", "with spaces in the middle", "über-sechzehn-zeichen"] {
            let error = Token::new(wrong).unwrap_err().to_string();
            assert!(!error.contains(wrong), "{error}");
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        fs::write(&path, format!("{SECRET}\n")).unwrap();
        assert_eq!(Token::from_file(&path).unwrap().0, Token::new(SECRET).unwrap().0);
        assert!(Token::from_file(&folder.path().join("gone")).is_err());
    }
}
