//! Words before a date that say what happened on it: the page was published, or changed.

/// The event on a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    Published,
    Modified,
}

/// Bytes before a date in which the words are looked for.
const BYTES_BEFORE_DATE: usize = 60;

/// Beginnings of words, in lower case: a change.
const MODIFIED: &[&str] = &[
    "updated", "last update", "modified", "last edited", "last changed", "last reviewed", "revised", "aktualisiert",
    "zuletzt geändert", "bearbeitet", "stand:", "mis à jour", "mise à jour", "modifié", "actualizad", "modificad",
    "última edición", "aggiornat", "ultima modifica", "atualizad", "bijgewerkt", "gewijzigd", "обновлен", "изменен",
    "оновлен", "aktualizac", "zaktualizowan", "uppdatera", "opdateret", "oppdatert", "päivitetty", "aktualizován",
    "aktualizovan", "frissít", "actualizat", "ενημέρωση", "güncelle", "ažurirano", "diperbarui", "cập nhật", "แก้ไข",
    "تحديث", "עודכן", "अपडेट", "更新", "수정",
];

/// Likewise: publication.
const PUBLISHED: &[&str] = &[
    "published",
    "posted",
    "released",
    "filed",
    "created",
    "veröffentlicht",
    "erschienen",
    "publiziert",
    "erstellt",
    "publié",
    "posté",
    "paru",
    "mis en ligne",
    "publicad",
    "pubblicat",
    "gepubliceerd",
    "geplaatst",
    "опубликован",
    "размещен",
    "опубліковано",
    "opublikowan",
    "dodano",
    "publicera",
    "publiceret",
    "publisert",
    "julkaistu",
    "publikován",
    "zveřejněn",
    "publikované",
    "megjelen",
    "közzétéve",
    "publicat",
    "публикуван",
    "δημοσι",
    "yayın",
    "objavljen",
    "diterbitkan",
    "dipublikasikan",
    "đăng",
    "เผยแพร่",
    "نشر",
    "פורסם",
    "प्रकाशित",
    "প্রকাশ",
    "发布",
    "發布",
    "發表",
    "发表",
    "公開",
    "投稿",
    "등록",
    "입력",
];

/// Words that say that a sentence is about the page itself, as blogs have below their posts.
const OF_PAGE: &[&str] = &[
    "this entry was",
    "this post was",
    "this article was",
    "this story was",
    "dieser artikel wurde",
    "dieser eintrag wurde",
    "dieser beitrag wurde",
    "cet article a été",
    "cette entrée a été",
    "ce billet a été",
    "esta entrada fue",
    "este artículo fue",
    "questo articolo è stato",
    "questa voce è stata",
    "este post foi",
    "este artigo foi",
    "esta entrada foi",
    "dit bericht is",
    "dit artikel is",
    "эта запись была",
    "запись опубликована",
    "ten wpis",
    "detta inlägg",
    "dette indlæg",
    "dette innlegget",
    "tämä artikkeli",
    "tento příspěvek",
    "bu yazı",
];

/// The first bytes of [`OF_PAGE`]; all that are not ASCII, because letters of two bytes differ by case.
// Nearly all blocks of a page begin with others, and each is asked.
const STARTS_OF_PAGE: [bool; 256] = {
    let mut starts = [false; 256];
    let mut byte = 0x80;
    while byte < 256 {
        starts[byte] = true;
        byte += 1;
    }
    let mut at = 0;
    while at < OF_PAGE.len() {
        let first = OF_PAGE[at].as_bytes()[0];
        starts[first as usize] = true;
        starts[first.to_ascii_uppercase() as usize] = true;
        at += 1;
    }
    starts
};

/// The event that the words right before a date name, if any; the nearest words decide.
pub(super) fn event(before: &str) -> Option<Event> {
    let from = before.ceil_char_boundary(before.len().saturating_sub(BYTES_BEFORE_DATE));
    let near = before.get(from..)?;
    // Most dates stand alone.
    if !near.chars().any(char::is_alphabetic) {
        return None;
    }
    let near = near.to_lowercase();
    match (last_start(&near, PUBLISHED), last_start(&near, MODIFIED)) {
        (Some(published), Some(modified)) if modified > published => Some(Event::Modified),
        (Some(_), _) => Some(Event::Published),
        (None, Some(_)) => Some(Event::Modified),
        (None, None) => None,
    }
}

/// Whether a text says of the page itself that it was written.
pub(super) fn is_of_page(text: &str) -> bool {
    let text = text.trim_start();
    let starts = |words: &&str| {
        // Nothing is copied.
        let mut lower = text.chars().flat_map(char::to_lowercase);
        words.chars().all(|letter| lower.next() == Some(letter))
    };
    text.bytes().next().is_some_and(|first| STARTS_OF_PAGE[usize::from(first)]) && OF_PAGE.iter().any(starts)
}

/// The start of the last of the words in a text.
fn last_start(text: &str, words: &[&str]) -> Option<usize> {
    let mut from_end = text.char_indices().rev().peekable();
    while let Some((at, letter)) = from_end.next() {
        let follows_letter = from_end.peek().is_some_and(|(_, before)| before.is_alphabetic());
        // Scripts without spaces have no beginnings of words.
        if follows_letter && letter < '\u{e00}' {
            continue;
        }
        let rest = text.get(at..).unwrap_or_default();
        if words.iter().any(|word| rest.starts_with(word)) {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_words_say_what_a_date_is_of() {
        for (before, expected) in [
            ("Published ", Some(Event::Published)),
            ("Last updated: ", Some(Event::Modified)),
            ("Updated 2 June 2024, first published on ", Some(Event::Published)),
            ("Published by A, updated ", Some(Event::Modified)),
            ("Zuletzt aktualisiert am ", Some(Event::Modified)),
            ("最后更新：", Some(Event::Modified)),
            ("发布于 ", Some(Event::Published)),
            ("unpublished ", None),
            ("by A, ", None),
        ] {
            assert_eq!(event(before), expected, "{before}");
        }
        let far = format!("Updated {}", "word ".repeat(20));
        assert_eq!(event(&far), None);
    }

    #[test]
    fn sentences_about_the_page_are_told() {
        assert!(is_of_page("This entry was posted on Monday"));
        assert!(is_of_page(" Dieser Artikel wurde am 14. Dezember 2015 von A geschrieben"));
        assert!(!is_of_page("The entry was wrong"));
    }
}
