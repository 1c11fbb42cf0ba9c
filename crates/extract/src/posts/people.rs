//! Recognises the addresses of people's pages.

use url::Url;

/// Steps of addresses behind which the name or number of a person stands.
const PERSON_STEPS: [&str; 16] = [
    "user", "users", "u", "member", "members", "profile", "profiles", "people", "person", "author", "authors",
    "usuario", "usuarios", "mitglied", "membre", "membres",
];
/// Names in the query of an address behind which the name or number of a person stands.
const PERSON_KEYS: [&str; 7] = ["u", "uid", "user", "userid", "user_id", "username", "member"];
/// Steps behind [`PERSON_STEPS`] that are not people.
const OTHER_STEPS: [&str; 8] = ["login", "logout", "register", "signup", "signin", "password", "settings", "join"];
/// Returns whether an address belongs to the page's site; true if the URL of the page is unknown.
pub(super) fn is_of_site(href: &str, url: Option<&Url>) -> bool {
    let is_here = |url: &Url| {
        let to = url.join(href);
        to.is_ok_and(|to| to.host() == url.host() || are_of_one_site(&to, url))
    };
    url.is_none_or(is_here)
}

/// Returns whether two hosts end alike: `user.example.org` and `example.org`.
fn are_of_one_site(one: &Url, other: &Url) -> bool {
    let ending = |url: &Url| {
        let host = url.host_str()?;
        let mut parts = host.rsplitn(3, '.');
        let (last, before) = (parts.next()?, parts.next()?);
        Some(format!("{before}.{last}"))
    };
    ending(one).is_some() && ending(one) == ending(other)
}

/// Returns whether an address is that of a person's page.
pub(super) fn is_of_person(href: &str) -> bool {
    let href = href.split('#').next().unwrap_or_default();
    let (path, query) = href.split_once('?').unwrap_or((href, ""));
    let path = path.split_once("://").map_or(path, |(_, rest)| rest);
    let mut steps = path.split('/').filter(|step| !step.is_empty()).peekable();
    while let Some(step) = steps.next() {
        let lower = step.to_ascii_lowercase();
        // Universities and Mastodon write people so.
        let is_handle = lower.len() > 1 && lower.starts_with(['~', '@']);
        let behind = steps.peek().map(|next| next.to_ascii_lowercase());
        let is_somebody = behind.is_some_and(|next| !OTHER_STEPS.contains(&next.as_str()));
        if is_handle || PERSON_STEPS.contains(&lower.as_str()) && is_somebody {
            return true;
        }
    }
    let mut pairs = query.split(['&', ';']).filter_map(|pair| pair.split_once('='));
    pairs.any(|(key, value)| {
        let is_one = PERSON_KEYS.contains(&key.to_ascii_lowercase().as_str());
        is_one && !value.is_empty()
    }) || path.to_ascii_lowercase().contains("profile") && !query.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_people_are_told() {
        for href in [
            "/u/ann",
            "https://forum.example/members/ann.77/",
            "memberlist.php?mode=viewprofile&u=7&sid=1",
            "member.php?u=7",
            "index.php?action=profile;u=7",
            "/~ann",
            "/@ann",
            "/users/7/ann#top",
        ] {
            assert!(is_of_person(href), "{href}");
        }
        for href in ["/user/login?back=/", "/users/", "/authority/7", "search.php?author_id=7", "/~", "#u", ""] {
            assert!(!is_of_person(href), "{href}");
        }
    }

    #[test]
    fn people_of_other_sites_are_others() {
        let url = Url::parse("https://forum.example.org/t/1").ok();
        let is_here = |href: &str| is_of_site(href, url.as_ref());
        assert!(is_here("/u/ann") && is_here("//example.org/u/ann"));
        assert!(!is_here("https://social.example.com/people/us"));
        assert!(is_of_site("https://social.example.com/people/us", None));
    }
}
