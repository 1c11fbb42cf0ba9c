//! The language whose stop list is used.

use isolang::Language;
use trommel_html::Page;
use whatlang::{Detector, Lang};

/// Characters of text that are looked at.
const SAMPLE: usize = 2000;

/// Name of the page's stop list: by the text of blocks of at least `least` characters if detection is
/// reliable, else by `<html lang>`.
pub(super) fn language(page: &Page, least: u32) -> Option<&'static str> {
    let mut sample = String::new();
    for block in page.blocks.iter().filter(|block| block.chars >= least) {
        sample.push_str(page.text(block));
        sample.push('\n');
        if sample.len() >= SAMPLE {
            break;
        }
    }
    let end = sample.char_indices().nth(SAMPLE).map_or(sample.len(), |(at, _)| at);
    Detector::new()
        .detect(sample.get(..end)?)
        .filter(|info| info.is_reliable())
        .map(|info| info.lang())
        .or_else(|| declared(page.head.lang.as_deref()?))
        .map(list_name)
}

fn declared(tag: &str) -> Option<Lang> {
    let primary = tag.split(['-', '_']).next()?.trim().to_ascii_lowercase();
    let language = match primary.len() {
        2 => Language::from_639_1(&primary),
        3 => Language::from_639_3(&primary),
        _ => None,
    }?;
    Lang::from_code(language.to_639_3())
}

/// Name of the language's list in the program; mostly the English name of the language.
fn list_name(language: Lang) -> &'static str {
    match language {
        Lang::Nob => "Norwegian_Bokmal",
        Lang::Slv => "Slovenian",
        language => language.eng_name(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn text_decides_then_the_declaration() {
        let of = |html: &str| language(&ScanEngine.read(html, &Limits::default()), 70);
        let german = "Der schnelle braune Fuchs springt über den faulen Hund, und niemand wundert sich darüber.";
        assert_eq!(of(&format!("<html lang=en><p>{german}")), Some("German"));
        assert_eq!(of("<html lang=el-GR><p>x"), Some("Greek"));
        assert_eq!(of("<html lang=eng><p>x"), Some("English"));
        assert_eq!(of("<html lang=x-none><p>x"), None);
        assert_eq!(of("<p>x"), None);
    }

    #[test]
    fn renamed_lists_exist() {
        for language in [Lang::Nob, Lang::Slv, Lang::Eng, Lang::Rus, Lang::Kor] {
            assert!(::justext::get_stoplist(list_name(language)).is_ok(), "{language:?}");
        }
        assert!(::justext::get_stoplist(list_name(Lang::Cmn)).is_err());
    }
}
