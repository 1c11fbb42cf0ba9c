//! Tells where a line feed in the source is no space: between characters of Chinese and Japanese.

/// Returns whether two characters stand beside each other without a space: Han, kana or their punctuation, of which one
/// may be a sign that other scripts have, too.
pub(super) fn is_written_without_spaces(before: Option<char>, next: Option<char>) -> bool {
    let (Some(before), Some(next)) = (before, next) else { return false };
    match (is_of_script(before), is_of_script(next)) {
        (true, true) => true,
        (true, false) => is_shared_sign(next),
        (false, true) => is_shared_sign(before),
        (false, false) => false,
    }
}

/// Han, kana, Bopomofo, and punctuation of their width. Not Hangul, which is written with spaces.
fn is_of_script(c: char) -> bool {
    matches!(u32::from(c),
        0x2E80..=0x2FFF    // Radicals
        | 0x3001..=0x312F  // Punctuation, kana, Bopomofo
        | 0x3190..=0x31FF
        | 0x3220..=0x325F | 0x3280..=0x4DBF // Signs made of Han, Han extension A
        | 0x4E00..=0x9FFF  // Han
        | 0xF900..=0xFAFF
        | 0xFE30..=0xFE4F | 0xFF01..=0xFF9F | 0xFFE0..=0xFFE6 // Wide and upright forms
        | 0x1B000..=0x1B16F // Kana
        | 0x20000..=0x3FFFD) // Han extensions
}

/// Quotes, dashes and dots of texts in Latin letters that Chinese sets, too.
fn is_shared_sign(c: char) -> bool {
    matches!(c, '\u{2018}' | '\u{2019}' | '\u{201c}' | '\u{201d}' | '\u{2014}' | '\u{2026}' | '\u{b7}')
}

#[cfg(test)]
mod tests {
    use crate::{Engine, Limits, LolEngine, ScanEngine};

    #[test]
    fn lines_of_the_source_part_no_word_of_a_script_without_spaces() {
        for (html, wanted) in [
            ("<p>雨が\n  降る。\r\n傘は「\n黒い\n」</p>", "雨が降る。傘は「黒い」"),
            ("<p>庭の<b>桜</b>\n<i>の木</i>\n が</p>", "庭の桜の木が"),
            ("<p>他说：“好。”\n她笑了……\n然后</p>", "他说：“好。”她笑了……然后"),
            ("<p>電話\n03-12\n番、ＡＢ\nＣ カナ\nｶﾅ</p>", "電話 03-12 番、ＡＢＣ カナｶﾅ"),
            // A space, a wide space and a break are what they say.
            ("<p>東 京　\n大 阪<br>\n京\u{a0}都</p>", "東 京 大 阪\n京 都"),
            ("<p>우리\n집의\n東京\n여행</p>", "우리 집의 東京 여행"),
            ("<p>one\ntwo\né\nà 🎉\n次</p>", "one two é à 🎉 次"),
            ("<pre>雨が\n降る</pre>", "雨が\n降る"),
        ] {
            let page = ScanEngine.read(html, &Limits::default());
            assert_eq!(page, LolEngine.read(html, &Limits::default()), "{html}");
            let texts: Vec<&str> = page.blocks.iter().map(|block| page.text(block)).collect();
            assert_eq!(texts, [wanted], "{html}");
        }
        let page = ScanEngine.read("<title>雨の\n日</title>", &Limits::default());
        assert_eq!(page.head.title, "雨の日");
    }
}
