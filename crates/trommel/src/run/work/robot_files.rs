//! Recognises texts for programs, such as robots.txt and ads.txt.

/// Files that nearly every site serves as plain text and that programs read.
// They would be documents of nearly every host in an archive, and hold no text for people.
const ROBOT_FILES: [&str; 4] = ["/robots.txt", "/ads.txt", "/app-ads.txt", "/sellers.json"];

/// Returns whether a text at this address is for programs: it gives no document.
pub(super) fn is_for_robots(url: Option<&str>) -> bool {
    let path = url.and_then(|url| {
        let (_, rest) = url.split_once("://")?;
        rest.get(rest.find('/')?..)?.split(['?', '#']).next()
    });
    path.is_some_and(|path| ROBOT_FILES.contains(&path) || path.starts_with("/.well-known/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_for_programs_are_told_by_their_path() {
        for path in ["/robots.txt", "/ads.txt?x=1", "/.well-known/security.txt", "/sellers.json#a"] {
            assert!(is_for_robots(Some(&format!("https://a.example{path}"))), "{path}");
        }
        for path in ["", "/", "/a/robots.txt", "/robots.txt.html", "/about.txt"] {
            assert!(!is_for_robots(Some(&format!("https://a.example{path}"))), "{path}");
        }
        assert!(!is_for_robots(None));
    }
}
