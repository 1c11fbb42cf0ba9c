//! The language of a text.

mod latin;

use isolang::Language;
use trommel_html::Head;
use whatlang::{Detector, Lang};

/// Characters of a text that are looked at: more change nothing.
const SAMPLE: usize = 2000;
/// Characters below which detection is a guess.
const LEAST: usize = 40;

/// Language of a page as an ISO 639-1 code (ISO 639-3 where there is no shorter one): detected on
/// `text` if that is reliable, else as the page declares it.
pub(crate) fn language(text: &str, head: &Head) -> Option<String> {
    detected(text).or_else(|| declared(head))
}

/// The language a page declares, as a BCP 47 tag: that of `<html lang>`, else `graph` (that of its
/// JSON-LD), else of a `<meta>`.
pub(crate) fn tag(head: &Head, graph: Option<&str>) -> Option<String> {
    let metas = ["content-language", "og:locale", "language", "dc.language"];
    head.lang
        .as_deref()
        .into_iter()
        .chain(graph)
        .chain(metas.iter().filter_map(|name| head.meta(name)))
        .find_map(well_formed)
}

/// A tag with its subtags in their usual case, if it is one.
fn well_formed(raw: &str) -> Option<String> {
    let raw = raw.split([',', ';']).next()?.trim();
    let mut tag = String::new();
    for (at, part) in raw.split(['-', '_']).enumerate() {
        let letters = part.bytes().all(|byte| byte.is_ascii_alphabetic());
        if !part.bytes().all(|byte| byte.is_ascii_alphanumeric())
            || !(1..=8).contains(&part.len())
            || at == 0 && !(letters && (2..=3).contains(&part.len()))
        {
            return None;
        }
        if at > 0 {
            tag.push('-');
        }
        match part.len() {
            2 if at > 0 => tag.push_str(&part.to_ascii_uppercase()),
            4 if at > 0 && letters => {
                tag.push_str(part.get(..1)?.to_ascii_uppercase().as_str());
                tag.push_str(&part.get(1..)?.to_ascii_lowercase());
            }
            _ => tag.push_str(&part.to_ascii_lowercase()),
        }
    }
    let primary = tag.split('-').next()?;
    let known = match primary.len() {
        2 => Language::from_639_1(primary),
        _ => Language::from_639_3(primary),
    };
    known.map(|_| tag)
}

fn detected(text: &str) -> Option<String> {
    let end = text
        .char_indices()
        .nth(SAMPLE)
        .map_or(text.len(), |(at, _)| at);
    let sample = text.get(..end)?;
    sample.chars().nth(LEAST)?;
    if latin::is_latin(sample) {
        return latin::detect(sample).map(short);
    }
    let info = Detector::new().detect(sample)?;
    if !info.is_reliable() {
        return None;
    }
    Some(match info.lang() {
        // Mandarin is written Chinese to everyone who reads the field.
        Lang::Cmn => "zh".to_owned(),
        lang => short(lang.code()),
    })
}

fn declared(head: &Head) -> Option<String> {
    let tag = head
        .lang
        .as_deref()
        .or_else(|| head.meta("og:locale"))
        .or_else(|| head.meta("language"))?;
    let primary = tag
        .split(['-', '_', ','])
        .next()?
        .trim()
        .to_ascii_lowercase();
    let language = match primary.len() {
        2 => Language::from_639_1(&primary),
        3 => Language::from_639_3(&primary),
        _ => None,
    }?;
    Some(
        language
            .to_639_1()
            .unwrap_or(language.to_639_3())
            .to_owned(),
    )
}

fn short(code: &str) -> String {
    Language::from_639_3(code)
        .and_then(|language| language.to_639_1())
        .unwrap_or(code)
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(lang: &str) -> Head {
        Head {
            lang: Some(lang.to_owned()),
            ..Head::default()
        }
    }

    #[test]
    fn long_text_decides() {
        let german = "Der schnelle braune Fuchs springt über den faulen Hund, und niemand wundert sich darüber.";
        assert_eq!(language(german, &head("en")).as_deref(), Some("de"));
        let chinese = "我在湖南张家界开一个全省教学研究会议。按照惯例，会议安排了一天时间，让与会者去风景点游玩观赏。";
        assert_eq!(language(chinese, &head("en")).as_deref(), Some("zh"));
    }

    #[test]
    fn declared_tags_are_brought_to_form() {
        assert_eq!(tag(&head("EN_us"), None).as_deref(), Some("en-US"));
        assert_eq!(
            tag(&head("zh-hans-cn"), None).as_deref(),
            Some("zh-Hans-CN")
        );
        assert_eq!(tag(&head("english"), Some("de")).as_deref(), Some("de"));
        let meta = Head {
            meta: vec![("og:locale".into(), "pt_BR".into())],
            ..Head::default()
        };
        assert_eq!(tag(&meta, None).as_deref(), Some("pt-BR"));
        for none in ["", "{{lang}}", "xx-invalid-länge", "qq"] {
            assert_eq!(tag(&head(none), None), None, "{none}");
        }
    }

    #[test]
    fn short_text_is_as_declared() {
        assert_eq!(language("Hallo", &head("de-AT")).as_deref(), Some("de"));
        assert_eq!(language("", &head("eng")).as_deref(), Some("en"));
        assert_eq!(language("", &head("x-none")), None);
        assert_eq!(language("", &Head::default()), None);
    }
}
