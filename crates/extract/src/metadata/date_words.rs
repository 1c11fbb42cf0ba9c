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
    "published", "posted", "released", "filed", "created", "veröffentlicht", "erschienen", "publiziert", "erstellt",
    "publié", "posté", "paru", "mis en ligne", "publicad", "pubblicat", "gepubliceerd", "geplaatst", "опубликован",
    "размещен", "опубліковано", "opublikowan", "dodano", "publicera", "publiceret", "publisert", "julkaistu",
    "publikován", "zveřejněn", "publikované", "megjelen", "közzétéve", "publicat", "публикуван", "δημοσι", "yayın",
    "objavljen", "diterbitkan", "dipublikasikan", "đăng", "เผยแพร่", "نشر", "פורסם", "प्रकाशित", "প্রকাশ", "发布", "發布",
    "發表", "发表", "公開", "投稿", "등록", "입력",
];

/// Words that say that a sentence is about the page itself, as blogs have below their posts.
const OF_PAGE: &[&str] = &[
    "this entry was", "this post was", "this article was", "this story was", "dieser artikel wurde",
    "dieser eintrag wurde", "dieser beitrag wurde", "cet article a été", "cette entrée a été", "ce billet a été",
    "esta entrada fue", "este artículo fue", "questo articolo è stato", "questa voce è stata", "este post foi",
    "este artigo foi", "esta entrada foi", "dit bericht is", "dit artikel is", "эта запись была",
    "запись опубликована", "ten wpis", "detta inlägg", "dette indlæg", "dette innlegget", "tämä artikkeli",
    "tento příspěvek", "bu yazı",
];

/// For each ASCII letter with which one of [`OF_PAGE`] begins, a bit for each letter that follows there; the last
/// bit for one that is not ASCII.
// Nearly all blocks of a page begin with others, and each is asked.
const SECONDS_OF_PAGE: [u32; 26] = {
    let mut seconds = [0; 26];
    let mut at = 0;
    while at < OF_PAGE.len() {
        if let [first @ b'a'..=b'z', second, ..] = OF_PAGE[at].as_bytes() {
            seconds[(*first - b'a') as usize] |= if second.is_ascii() { 1 << (*second & 31) } else { 1 << 31 };
        }
        at += 1;
    }
    seconds
};

/// Whether a text may begin as one of [`OF_PAGE`] does, by its first two bytes.
fn may_be_of_page(text: &str) -> bool {
    match text.as_bytes() {
        [first, second, ..] if first.is_ascii_alphabetic() => {
            let seconds = SECONDS_OF_PAGE.get(usize::from((*first | 0x20) - b'a')).copied().unwrap_or_default();
            // A letter that is not ASCII is so in both cases.
            seconds != 0 && !second.is_ascii() || seconds >> (second & 31) & 1 != 0
        }
        [first, ..] => !first.is_ascii(),
        [] => false,
    }
}

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
    may_be_of_page(text) && OF_PAGE.iter().any(starts)
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
        for words in OF_PAGE {
            let upper = words.to_uppercase();
            // Turkish capitals do not tell their small letters.
            assert!(is_of_page(words) && (is_of_page(&upper) || upper.to_lowercase() != *words), "{words}");
        }
    }
}
