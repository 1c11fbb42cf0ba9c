//! Multi-WACZ: a description that names several WACZ files.

use serde::Deserialize;

#[derive(Deserialize)]
struct Description {
    profile: String,
    #[serde(default)]
    resources: Vec<Resource>,
}

#[derive(Deserialize)]
struct Resource {
    #[serde(default)]
    path: String,
    #[serde(default)]
    name: String,
}

/// The paths or URLs of the containers that a multi-WACZ names, in its order; none if the bytes are
/// none. They are relative to its own place.
pub fn collection(json: &[u8]) -> Option<Vec<String>> {
    let description: Description = serde_json::from_slice(json).ok()?;
    if !matches!(description.profile.as_str(), "multi-wacz-package" | "wacz-multi") {
        return None;
    }
    let paths = description.resources.into_iter().map(|resource| match resource.path.is_empty() {
        true => resource.name,
        false => resource.path,
    });
    Some(paths.filter(|path| !path.is_empty()).collect())
}
