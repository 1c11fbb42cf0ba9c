use super::views::{PATH, PATH_BYTES};
use super::*;
use crate::{BlockSource, BlockVerdict};
use trommel_html::{Limits, ScanEngine};

pub(super) fn extraction(html: &str, kept: &[bool]) -> Extraction<'static> {
    let decoded =
        charset::Decoded { text: html.to_owned().into(), ..charset::decode(b"", &charset::CharsetHints::default()) };
    let page = ScanEngine.read_styled(html, &Limits::default());
    let choice = trommel_model::Choice { kept: kept.to_vec(), expected_f1: 0.5 };
    let probabilities = kept.iter().map(|kept| f32::from(u8::from(*kept)));
    let verdicts = Verdicts::of_method(probabilities.collect(), choice);
    Extraction::new(decoded, page, verdicts, &Hints::default())
}

#[test]
fn markdown_leads_back_to_its_blocks() {
    let html = "<title>A page about mills</title><p>One <b>bold</b> &amp; old.<ul><li>an item<li>another</ul>\
                <pre>let a;</pre><table><tr><th>x<th>y<tr><td>p<td>q</table>";
    let page = extraction(html, &[true; 8]);
    assert_eq!(page.page.blocks.len(), 8);
    for title in [false, true] {
        let options = MarkdownOptions::default().with_title(title);
        let markdown = page.markdown(&options);
        assert_eq!(markdown.starts_with("# A page about mills"), title);
        for (part, source) in [
            ("One **bold** & old.", "One <b>bold</b> &amp; old."),
            ("an item", "an item"),
            ("another", "another"),
            ("let a;", "let a;"),
            ("| p | q |", "p<td>q"),
        ] {
            assert_eq!(sources(&page, html, &options, part), [source], "{markdown}");
        }
    }
}

/// Returns the source text of each place in the page that a part of its Markdown came from.
fn sources<'h>(page: &Extraction<'_>, html: &'h str, options: &MarkdownOptions, part: &str) -> Vec<&'h str> {
    let document = page.document(&DocumentOptions::default().with_markdown(*options).with_spans(true));
    let start = document.text[..document.text.find(part).unwrap()].chars().count() as u32;
    let end = start + part.chars().count() as u32;
    let spans = document.spans.iter().filter(|span| span.start < end && start < span.start + span.chars);
    spans.map(|span| &html[span.byte as usize..(span.byte + span.bytes) as usize]).collect()
}

#[test]
fn few_metadata_are_title_and_language() {
    let html = "<html lang=en><title>About mills | Site</title><meta name=author content='Jane Roe'>\
                <meta name=description content='What mills are.'><link rel=next href=/2>\
                <meta property=article:published_time content=2024-05-17><h1>About mills</h1><p>A mill.";
    let page = extraction(html, &[true; 2]);
    let all = page.document(&DocumentOptions::default());
    let few = page.document(&DocumentOptions::default().with_few_metadata(true));
    assert_eq!((all.author.len(), all.published.as_deref()), (1, Some("2024-05-17")));
    assert_eq!(few, Document { author: Vec::new(), published: None, description: None, next: None, ..all });
    assert_eq!((few.title.as_deref(), few.lang.as_deref()), (Some("About mills"), Some("en")));
}

/// Returns language and confidence of a page with these paragraphs, first as plain text and then as Markdown.
fn language_and_confidence(paragraphs: &[&str]) -> [(Option<String>, f32); 2] {
    let html: String = paragraphs.iter().map(|text| format!("<p>{text}</p>")).collect();
    let page = extraction(&html, &vec![true; paragraphs.len()]);
    [None, Some(MarkdownOptions::default())].map(|markdown| {
        let options = DocumentOptions { markdown, ..DocumentOptions::default() };
        let document = page.document(&options);
        (document.lang, document.confidence)
    })
}

#[test]
fn language_and_confidence_do_not_depend_on_the_form() {
    let english = "The mill stands by the river, and its wheel has turned there for years. ";
    let german = "Die Mühle steht am Fluss, und ihr Rad dreht sich dort seit vielen Jahren. ";
    let data = "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4AAAA ".repeat(60);
    // The first thousands of characters say the language, so what follows them changes nothing.
    let (begin, end) = (english.repeat(40), german.repeat(90));
    for (paragraphs, lang, is_sure) in [
        (vec![german], Some("de"), true),
        // Too little alone to tell.
        (vec!["Ja.", english], Some("en"), true),
        (vec![begin.as_str(), end.as_str()], Some("en"), true),
        (vec![english, data.as_str()], Some("en"), false),
        (vec!["a", "b"], None, true),
    ] {
        let [plain, markdown] = language_and_confidence(&paragraphs);
        assert_eq!(plain, markdown, "{paragraphs:?}");
        assert_eq!(markdown.0.as_deref(), lang, "{paragraphs:?}");
        assert_eq!(markdown.1 == 0.5, is_sure, "{paragraphs:?}");
    }
}

#[test]
fn metadata_are_all_or_few_as_asked() {
    let html = "<html lang=en><title>About mills | Site</title><meta name=author content='Jane Roe'>\
                <meta property=article:published_time content=2024-05-17><h1>About mills</h1><p>A mill.";
    let page = extraction(html, &[true; 2]);
    let of = |page: &Extraction, choice| page.document(&DocumentOptions::default().with_metadata(choice));
    let (all, few) = (of(&page, MetadataChoice::All), of(&page, MetadataChoice::Few));
    assert_eq!(of(&page, MetadataChoice::Auto), all);
    assert_eq!((all.author.len(), all.lang.as_deref()), (1, Some("en")));
    assert_eq!(few, Document { author: Vec::new(), lang: None, ..all.clone() });
    // A filter by language needs it.
    let options = DocumentOptions::default().with_metadata(MetadataChoice::Few).with_language(true);
    assert_eq!(page.document(&options), Document { lang: Some("en".into()), ..few.clone() });
    // Of a model that is for texts they are few unless all are asked for.
    let of_lite = page.with_few_metadata(true);
    assert_eq!((of(&of_lite, MetadataChoice::Auto), of(&of_lite, MetadataChoice::All)), (few, all));
}

#[test]
fn images_lead_back_to_their_tags() {
    let html = "<p>One.</p><a href=/b><img src=/a.png alt='a mill'></a><p>Two.<ul><li>three</ul>";
    let page = extraction(html, &[true; 3]);
    let options = MarkdownOptions::default().with_links(true).with_addresses(crate::AddressForm::AsWritten);
    let markdown = page.markdown(&options);
    let image = "[![a mill](/a.png)](/b)";
    assert!(markdown.contains(image), "{markdown}");
    assert_eq!(sources(&page, html, &options, image), ["<a href=/b><img src=/a.png alt='a mill'>"]);
}

#[test]
fn a_text_ends_at_a_paragraph_within_its_tokens() {
    let html = "<h2>Mill</h2><p>One two three.</p><h2>Wheel</h2><p>It turns. It has turned for years.</p>\
                <pre>let a = 1;\nlet b = 2;</pre>";
    let page = extraction(html, &[true; 5]);
    let words = crate::TokenCounter::new(|text| text.split_whitespace().count() as u32);
    let of = |most: u32| {
        let options = DocumentOptions::default().with_max_tokens(std::num::NonZeroU32::new(most));
        let options = options.with_token_counter(words.clone()).with_spans(true);
        let document = page.document(&options);
        let chars = document.text.chars().count() as u32;
        assert!(document.spans.iter().all(|span| span.start + span.chars <= chars), "{most}: {:?}", document.spans);
        (document.text, document.capped.join(","))
    };
    let whole = page.text();
    assert_eq!(of(100), (whole.clone(), String::new()));
    let cap = || "max-tokens".to_owned();
    // Code and paragraphs are whole, and no heading is at the end.
    assert_eq!(of(14), ("Mill\n\nOne two three.\n\nWheel\n\nIt turns. It has turned for years.".to_owned(), cap()));
    assert_eq!(of(11), ("Mill\n\nOne two three.".to_owned(), cap()));
    assert_eq!(of(5), ("Mill\n\nOne two three.".to_owned(), cap()));
    assert_eq!(of(1), ("Mill".to_owned(), cap()));
    let long = extraction("<p>It turns. It has turned for years.</p>", &[true]);
    let options = DocumentOptions::default().with_max_tokens(std::num::NonZeroU32::new(3));
    let document = long.document(&options.with_token_counter(words.clone()));
    assert_eq!((document.text, document.capped.join(",")), ("It turns.".to_owned(), cap()));
}

#[test]
fn a_row_says_where_its_block_stands() {
    let html = "<body><main><my-card><p>one <a href=x>two</a><b><p>three";
    let page = extraction(html, &[true, false]);
    let rows: Vec<BlockVerdict> = page.blocks().collect();
    let first = BlockVerdict {
        text: "one two".into(),
        start: 24,
        end: 41,
        tag: "p".into(),
        path: "main>my-card>p".into(),
        words: 2,
        link_density: 0.5,
        probability: 1.0,
        kept: true,
        decider: Decider::MODEL,
        role: None,
        source: BlockSource::Page,
    };
    assert_eq!(rows[0], first);
    assert!(!rows[1].kept);
    let deep = format!("{}x", "<div>".repeat(100));
    let deep = extraction(&deep, &[true]);
    let path = deep.blocks().next().unwrap().path;
    assert_eq!(path.split('>').count(), PATH);
    let names: String = (0..60).map(|at| format!("<{}-{at}>", "x".repeat(50))).collect();
    let long = extraction(&format!("{names}<p>x"), &[true]);
    let path = long.blocks().next().unwrap().path;
    assert!((PATH_BYTES - 60..=PATH_BYTES).contains(&path.len()) && path.ends_with("-59>p"), "{path}");
}

#[test]
fn what_is_asked_of_robots_is_noted() {
    let html = "<meta name=Robots content='noindex, noai'><meta name=googlebot content=none><p>a";
    let document = extraction(html, &[true]).document(&DocumentOptions::default());
    assert_eq!(document.robots, ["noindex, noai"]);
    assert_eq!(document.rights.to_string(), "noai");
}

#[test]
fn text_document_and_rows_agree() {
    let page = extraction("<h1>A</h1><div>A</div><p>b<p>c", &[true, true, true, false]);
    assert_eq!(page.text(), "A\n\nb");
    let document = page.document(&DocumentOptions::default().with_blocks(true));
    assert!(document.robots.is_empty());
    assert_eq!(document.text, page.text());
    let kept = |kept: Vec<bool>| assert_eq!(kept, [true, false, true, false]);
    kept(document.blocks.iter().map(|block| block.kept).collect());
    kept(page.blocks().map(|block| block.kept).collect());
    assert_eq!(page.markdown(&MarkdownOptions::default()), "# A\n\nb\n");
}

#[test]
fn numbers_of_dates_in_posts_stand_in_the_order_of_the_page() {
    let post =
        |name: &str| format!("<div class=post><b class=author>{name}</b><i class=date>03/04/2024</i><p>One.</div>");
    let posts = post("ann") + &post("bob");
    for (head, published) in [
        ("<html lang=de>", "2024-04-03"),
        ("<html lang=en-GB>", "2024-04-03"),
        ("<html lang=en>", "2024-03-04"),
        ("<html lang=de><meta property=og:locale content=en_US>", "2024-03-04"),
    ] {
        let page = extraction(&format!("{head}{posts}"), &[true; 6]);
        let found = page.document(&DocumentOptions::default().with_posts(true)).posts;
        assert_eq!(found.len(), 2, "{head}");
        assert_eq!(found[0].published.as_deref(), Some(published), "{head}");
    }
}

mod properties {
    use super::*;
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Options, Parser, TagEnd};
    use trommel_html::stands_at;
    use trommel_text::words::{Rule, words};

    fn markup() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            "[a-z]{1,3} ",
            "[*_`|#>~<&!\\[\\]().0-9\\\\ -]{1,3}",
            "</?(div|p|a href=x|b|i|code|li|ul|ol start=3|dl|dt|dd|blockquote|h2)>",
            "</?(table|caption|thead|tr|td|th|td colspan=2 rowspan=3|pre|pre class=lang-x|br)>",
            "(日|é|\n|&lt;|</td><td>|</th><th>)",
        ];
        prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
    }

    /// Generates HTML that also has images, images that are links, and tasks.
    fn markup_with_images() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            4 => markup(),
            1 => "<img src=/[a-z] alt='[a-z]{3} [a-z]{2}'>",
            1 => "<a href=/[a-z]><img src=/[a-z] alt='[a-z]{3}'></a>",
            1 => "<li><input type=checkbox( checked)?>[a-z]{2} ",
            1 => "<script>if (a<b) x='[a-z]{3}</script>",
        ];
        prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
    }

    fn sorted(text: &str) -> Vec<&str> {
        let mut all: Vec<&str> = words(text, Rule::Characters).collect();
        all.sort_unstable();
        all
    }

    /// Returns whether `text` contains every sign of `part`, at least as often.
    fn holds(text: &str, part: &str) -> bool {
        let signs = |text: &str| {
            let mut signs: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
            signs.sort_unstable();
            signs
        };
        let text = signs(text);
        let mut text = text.iter();
        signs(part).iter().all(|sign| text.any(|character| character == sign))
    }

    /// Returns the text of Markdown as a reader sees it.
    fn read_markdown(markdown: &str) -> String {
        let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
        let mut text = String::new();
        for event in Parser::new_ext(markdown, options) {
            match event {
                Event::Text(part) | Event::Code(part) => text.push_str(&part),
                Event::Start(tag) if !is_span(tag.to_end()) => text.push('\n'),
                Event::End(tag) if !is_span(tag) => text.push('\n'),
                Event::Start(_) | Event::End(_) => {}
                Event::SoftBreak | Event::HardBreak => text.push('\n'),
                // Between the items of a list in a cell.
                Event::InlineHtml(tag) if &*tag == "<br>" => text.push('\n'),
                other => text.push_str(&format!(" unexpected {other:?} ")),
            }
        }
        text
    }

    fn is_span(tag: TagEnd) -> bool {
        matches!(tag, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Link)
    }

    proptest! {
        #[test]
        fn every_part_stands_at_its_place(html in markup_with_images(), mask in any::<u64>()) {
            // A caption stands above its table wherever the page has it, so the order of the page is not that of the
            // text.
            let html = html.replace("caption>", "p>");
            let blocks = ScanEngine.read_styled(&html, &Limits::default()).blocks.len();
            let kept: Vec<bool> = (0..blocks).map(|at| mask >> (at % 64) & 1 == 1).collect();
            let page = extraction(&html, &kept);
            let options = DocumentOptions::default().with_spans(true).with_chunks(Some("words=3".parse().unwrap()));
            let markdown = MarkdownOptions::default().with_links(true).with_images(true).with_title(false);
            for options in [options.clone(), options.with_markdown(markdown)] {
                let document = page.document(&options);
                let chars: Vec<char> = document.text.chars().collect();
                for span in &document.spans {
                    let part: String = chars[span.start as usize..(span.start + span.chars) as usize].iter().collect();
                    let place = span.byte as usize..(span.byte + span.bytes) as usize;
                    prop_assert!(stands_at(&part, &html, place), "{:?} {:?}", part, span);
                }
                for chunk in &document.chunks {
                    let place = chunk.byte as usize..(chunk.byte + chunk.bytes) as usize;
                    prop_assert!(stands_at(&chunk.text, &html, place), "{:?}", chunk);
                }
            }
        }

        #[test]
        fn text_and_markdown_say_what_is_kept(html in markup(), mask in any::<u64>()) {
            // In Markdown a cell stands in each column and row that it spans.
            let html = html.replace(" colspan=2 rowspan=3", "");
            let blocks = ScanEngine.read_styled(&html, &Limits::default()).blocks.len();
            let kept: Vec<bool> = (0..blocks).map(|at| mask >> (at % 64) & 1 == 1).collect();
            let page = extraction(&html, &kept);
            let kept = page.judged().filter(|(_, _, kept, _)| *kept);
            let kept: Vec<&str> = kept
                .map(|(block, ..)| shown_text(&page.page, &page.decoded.text, block))
                .collect();
            let kept = kept.join("\n");
            let text = page.text();
            // Code is read anew and whole, with what lies between its kept blocks.
            let code = ["<pre", "<code", "<kbd", "<samp", "<tt"];
            if code.iter().any(|tag| html.contains(tag)) {
                prop_assert!(holds(&text, &kept), "{:?} {:?}", text, kept);
                return Ok(());
            }
            prop_assert_eq!(sorted(&text), sorted(&kept));
            // TeX stands in Markdown as it stands in the page.
            if text.contains("\\(") || text.contains("\\[") {
                return Ok(());
            }
            let options = MarkdownOptions::default().with_links(true).with_title(false);
            let markdown = page.markdown(&options);
            // Signs as well, but for anchors of headings, which Markdown leaves out, and what it puts behind terms.
            let anchors = html.contains("<a");
            let terms = html.contains("<dt");
            let signs = |text: &str| -> String {
                let signs = text.chars().filter(|c| !c.is_whitespace());
                let signs = signs.filter(|c| *c != '#' || !anchors);
                signs.filter(|c| !matches!(c, ',' | ':') || !terms).collect()
            };
            let read = read_markdown(&markdown);
            prop_assert_eq!(signs(&read), signs(&text), "{}", markdown);
        }
    }
}
