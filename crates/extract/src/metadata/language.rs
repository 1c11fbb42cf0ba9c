//! Determines the language of a page from its text, or else from the page's declaration.

use trommel_html::Head;
use trommel_text::language::{detect, primary, well_formed};

/// Returns the language of a page as an ISO 639-1 code (ISO 639-3 if there is no shorter one). The language is detected
/// in `text` if that is reliable. Otherwise the tag that the page [declares](declared) decides.
pub(crate) fn language(text: &str, declared: impl FnOnce() -> Option<String>) -> Option<String> {
    // The text first: templates declare `en` for pages of every language.
    detect(text).or_else(|| primary(&declared()?))
}

/// Returns the language that a page declares, as a BCP 47 tag: that of `<html lang>`, else `graph` (the language in its
/// JSON-LD), else that of a `<meta>`.
pub(crate) fn declared(head: &Head, graph: Option<&str>) -> Option<String> {
    // After `<html lang>`, because these are set once for a whole site.
    let metas = ["content-language", "og:locale", "language", "dc.language"];
    head.lang
        .as_deref()
        .into_iter()
        .chain(graph)
        .chain(metas.iter().filter_map(|name| head.meta(name)))
        .find_map(well_formed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(lang: &str) -> Head {
        Head { lang: Some(lang.to_owned()), ..Head::default() }
    }

    #[test]
    fn long_text_decides() {
        let german = "Der schnelle braune Fuchs springt über den faulen Hund, und niemand wundert sich darüber.";
        let english = || Some("en".to_owned());
        assert_eq!(language(german, english).as_deref(), Some("de"));
        let chinese = "我在湖南张家界开一个全省教学研究会议。按照惯例，会议安排了一天时间，让与会者去风景点游玩观赏。";
        assert_eq!(language(chinese, english).as_deref(), Some("zh"));
    }

    #[test]
    fn declared_tags_are_brought_to_form() {
        assert_eq!(declared(&head("EN_us"), None).as_deref(), Some("en-US"));
        assert_eq!(declared(&head("zh-hans-cn"), None).as_deref(), Some("zh-Hans-CN"));
        assert_eq!(declared(&head("english"), Some("de")).as_deref(), Some("de"));
        let meta = Head { meta: vec![("og:locale".into(), "pt_BR".into())], ..Head::default() };
        assert_eq!(declared(&meta, None).as_deref(), Some("pt-BR"));
        for none in ["", "{{lang}}", "xx-invalid-länge", "qq"] {
            assert_eq!(declared(&head(none), None), None, "{none}");
        }
    }

    #[test]
    fn short_text_is_as_declared() {
        let of = |lang: &str| language("Hallo", || declared(&head(lang), None));
        assert_eq!(of("de-AT").as_deref(), Some("de"));
        for (tag, code) in [("eng", "en"), ("iw", "he"), ("ger-AT", "de")] {
            assert_eq!(of(tag).as_deref(), Some(code), "{tag}");
        }
        assert_eq!(of("x-none"), None);
        assert_eq!(language("", || None), None);
    }
}
