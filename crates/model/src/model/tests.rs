use super::*;
use crate::additive::{Additive, StepFunction};
use crate::features::{FeatureGroup, TermWeight, TypeWord, TypeWords};
use crate::file::KindScorer;
use crate::file::unpack;
use crate::file::{ColumnWeight, Linear, PageTypeScorer, Training, WeightedScorer};
use crate::selection_by_worlds::Selection;
use crate::trees::{TreeNode, Trees};
use crate::{FORMAT, VERSION};
use trommel_html::{Engine, Limits, ScanEngine};

/// Returns a model file whose columns are in another order than the schema's.
fn file() -> ModelFile {
    let weight = |column: u16, weight: f32| ColumnWeight { column, weight, deviation: 1.0 };
    ModelFile {
        format: FORMAT.into(),
        version: VERSION,
        name: "test".into(),
        created: "2026-01-01".into(),
        groups: vec![FeatureGroup::Shallow],
        columns: vec!["link_density".into(), "text_density".into()],
        parts: vec![WeightedScorer {
            share: 1.0,
            scorer: Scorer::Linear(Linear { intercept: -2.0, weights: vec![weight(1, 0.5), weight(0, -4.0)] }),
        }],
        listed: vec![],
        attribute_weights: vec![],
        word_weights: vec![],
        type_words: TypeWords::default(),
        known_words: 0.0,
        page_types: vec![],
        embedded: None,
        pooling: 0.0,
        band: None,
        lists: None,
        threads: None,
        few_metadata: false,
        selection: Selection::Threshold(0.5),
        adapted_from: None,
        training: Training::default(),
        scores: vec![],
    }
}

fn page() -> Page {
    ScanEngine
        .read("<p>one two three four five six</p><p><a href=x>one two three four five six</a></p>", &Limits::default())
}

#[test]
fn weights_find_their_columns_by_name() {
    let model = Model::new(file()).unwrap();
    let judged = model.judge(&page(), None);
    assert_eq!(judged.probabilities, [sigmoid(1.0), sigmoid(-3.0)]);
    assert_eq!(judged.choice.kept, [true, false]);
    assert_eq!(judged.page_type, None);
    let rows = model.schema().rows(&page(), None);
    assert_eq!(model.contributions(rows.iter().nth(1).unwrap()), [-2.0, 3.0, -4.0]);
    assert_eq!(model.reasons(), ["intercept", "text_density", "link_density"]);
}

#[test]
fn the_longest_block_of_a_field_stands_for_the_others_unless_it_is_in_doubt() {
    let item = |words: usize| format!("<li>{}", "word ".repeat(words));
    let judged = |pooling: f32, longest: usize| {
        let model = Model::new(ModelFile { pooling, ..file() }).unwrap();
        let html = format!("<p>one<ul>{}{}{}</ul>", item(1), item(longest), item(2));
        let page = ScanEngine.read(&html, &Limits::default());
        let layout = Layout::of(&page);
        let mut alone = model.log_odds(&page, None);
        let mut odds = alone.clone();
        layout.represent(&mut odds, pooling);
        layout.pool(&mut odds, pooling);
        layout.pool(&mut alone, pooling);
        let probabilities: Vec<f32> = odds.iter().map(|odds| sigmoid(*odds)).collect();
        assert_eq!(model.judge(&page, None).probabilities, probabilities);
        (odds, alone)
    };
    // The log odds of n words are n / 2 - 2: those of the longest are sure, and stand for all of the list.
    let (odds, alone) = judged(0.5, 10);
    assert_eq!(odds, [-1.5, 3.0, 3.0, 3.0]);
    assert_ne!(odds, alone);
    let (odds, alone) = judged(0.5, 8);
    assert_eq!(odds, alone);
    let (odds, alone) = judged(0.0, 10);
    assert_eq!(odds, alone);
}

#[test]
fn blocks_of_pages_whose_words_are_not_known_are_less_probable() {
    let file = ModelFile {
        groups: vec![FeatureGroup::Shallow, FeatureGroup::Wording],
        word_weights: ["one", "two", "three"].map(|word| TermWeight { term: word.into(), weight: 0.1 }).into(),
        known_words: 0.6,
        ..file()
    };
    let of_file = |file: &ModelFile, words: &str| {
        let page = ScanEngine.read(&format!("<p>{words}</p><p>{words}</p>"), &Limits::default());
        Model::new(file.clone()).unwrap().judge(&page, None).probabilities
    };
    let plain = ModelFile { known_words: 0.0, ..file.clone() };
    // Three of three words and two pairs, then none.
    assert_eq!(of_file(&file, "one two three"), of_file(&plain, "one two three"));
    let (lowered, as_it_was) = (of_file(&file, "uno due tre"), of_file(&plain, "uno due tre"));
    let odds = |p: f32| (p / (1.0 - p)).ln();
    for (lowered, as_it_was) in lowered.into_iter().zip(as_it_was) {
        assert!((odds(lowered) - odds(as_it_was) + 0.5).abs() < 1e-3, "{lowered} {as_it_was}");
    }
    let error = Model::new(ModelFile { known_words: 1.5, ..file }).unwrap_err();
    assert!(error.to_string().contains("known words"), "{error}");
}

#[test]
fn words_of_class_names_and_addresses_tell_the_type_of_a_page() {
    let step = |column, weight: f32| Additive {
        step_functions: vec![StepFunction { column, edges: vec![0.5], weights: vec![-weight, weight] }],
        ..Additive::default()
    };
    let page_type = |(name, scorer): (&str, Additive)| PageTypeScorer { name: name.into(), scorer, sharpness: 1.0 };
    let word = |word: &str, log_odds: &[f32]| TypeWord { word: word.into(), log_odds: log_odds.into() };
    let file = ModelFile {
        groups: vec![FeatureGroup::Shallow, FeatureGroup::TypeWords],
        columns: vec!["text_density".into(), "type_words.product".into()],
        type_words: TypeWords {
            types: vec!["article".into(), "product".into()],
            words: vec![word("cart", &[-1.0, 1.0]), word("/shop", &[-1.0, 2.0])],
        },
        page_types: [("article", step(1, -1.0)), ("product", step(1, 1.0))].map(page_type).into(),
        ..file()
    };
    let model = Model::new(file.clone()).unwrap();
    let read = |html: &str| ScanEngine.read(html, &Limits::default());
    let type_of = |html: &str, url: Option<&str>| model.judge(&read(html), url).page_type.unwrap().name;
    assert_eq!(type_of("<p class=cart>a</p>", None), "product");
    assert_eq!(type_of("<p class=card>a</p>", None), "article");
    assert_eq!(type_of("<p class=card>a</p>", Some("https://a.example/shop/1")), "product");
    let mut short = file;
    short.type_words.words.push(word("story", &[1.0]));
    assert!(matches!(Model::new(short), Err(ModelError::Unsound { part: "type words" })));
}

#[test]
fn parts_share_the_log_odds() {
    let mut file = file();
    let steps = Additive {
        intercept: 0.5,
        step_functions: vec![StepFunction { column: 0, edges: vec![0.5], weights: vec![0.0, -2.0] }],
        crosses: vec![],
    };
    let trees = Trees {
        base: 0.0,
        nodes: vec![
            TreeNode::Split { column: 0, threshold: 0.5, left: 1, right: 2 },
            TreeNode::Leaf { value: 1.0 },
            TreeNode::Leaf { value: -1.0 },
        ],
        roots: vec![0],
    };
    file.page_types = ["article", "listing"]
        .iter()
        .zip([steps.clone(), Additive::default()])
        .map(|(name, scorer)| PageTypeScorer {
            name: (*name).into(),
            scorer,
            sharpness: if *name == "article" { 2.0 } else { 0.5 },
        })
        .collect();
    file.parts = vec![
        WeightedScorer { share: 0.5, scorer: Scorer::Additive(steps) },
        WeightedScorer { share: 0.25, scorer: Scorer::Trees(trees) },
    ];
    let mut with_band = file.clone();
    with_band.band = Some(1.0);
    let model = Model::new(with_band).unwrap();
    // The first part, .5 and -1.5, is in doubt about the first block alone.
    assert_eq!(model.judge(&page(), None).probabilities, [sigmoid(0.5), sigmoid(-1.125)]);
    assert_eq!(model.judge_with_comments(&page(), None).probabilities, [sigmoid(0.5), sigmoid(-1.125)]);
    let rows = model.schema().rows(&page(), None);
    let sums: Vec<f32> = rows.iter().map(|row| model.contributions(row).iter().sum()).collect();
    assert_eq!(sums, model.log_odds(&page(), None));
    let kept = |least| model.with_threshold(least).judge(&page(), None).choice.kept;
    assert_eq!((kept(0.0), kept(0.5), kept(1.0)), (vec![true, true], vec![true, false], vec![false, false]));
    file.selection = Selection::Worlds(1.5);
    let judged = Model::new(file.clone()).unwrap().judge(&page(), None);
    assert_eq!(judged.probabilities, [sigmoid(0.5), sigmoid(-1.0)]);
    let page_type = judged.page_type.unwrap();
    assert_eq!(page_type.name, "article");
    let expected = sigmoid(0.5) / (sigmoid(0.5) + 0.5);
    assert!((page_type.probability - expected).abs() < 1e-6);
    let sharpness = 2.0 * expected + 0.5 * (1.0 - expected);
    assert!((page_type.sharpness - sharpness).abs() < 1e-6);

    // Blocks are chosen by worlds as sharp as the types say.
    let chosen = [2.0, 0.02].map(|of_any| {
        let mut file = file.clone();
        for page_type in &mut file.page_types {
            page_type.sharpness = of_any;
        }
        let judged = Model::new(file).unwrap().judge(&page(), None);
        let layout = Layout::of(&page());
        let expected = Selection::Worlds(1.5 * of_any).choose(&judged.probabilities, &layout);
        assert_eq!(judged.choice, expected, "{of_any}");
        judged.choice.kept
    });
    assert_ne!(chosen[0], chosen[1]);
    for broken in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let mut file = file.clone();
        file.page_types[1].sharpness = broken;
        let error = Model::new(file).unwrap_err().to_string();
        assert!(error.contains("page types"), "{error}");
    }
}

#[test]
fn corrected_log_odds_choose_anew() {
    use trommel_html::{Engine, Limits, ScanEngine};
    let model = Model::builtin("fast").unwrap();
    let html = "<nav><a href=/>Home</a></nav><p>The mill stands by the river, and its wheel has turned \
        there for two hundred years.</p><p>Nobody knows who built it, though a stone over the door bears \
        a date.</p>";
    let page = ScanEngine.read(html, &Limits::default());
    let plain = model.judge(&page, None);
    assert_eq!(plain.choice.kept, [false, true, true]);
    let mut same = plain.clone();
    model.correct(&page, &mut same, &[0.0; 3], false);
    assert_eq!(same, plain);
    let mut other = plain.clone();
    model.correct(&page, &mut other, &[0.0, -20.0, 0.0], false);
    assert_eq!(other.choice.kept, [false, false, true]);
    let odds = |p: f32| (p / (1.0 - p)).ln();
    let change = odds(other.probabilities[1]) - odds(plain.probabilities[1]);
    assert!((change + 20.0).abs() < 0.1, "{change}");
    assert_eq!(other.probabilities[2], plain.probabilities[2]);
}

#[test]
fn a_shift_of_all_log_odds_chooses_anew() {
    let model = Model::new(file()).unwrap();
    let plain = model.judge(&page(), None);
    // The log odds are 1 and -3, and what is at 0 or above is kept.
    for (shift, expected) in [(3.5, [true, true]), (2.5, [true, false]), (-0.5, [true, false]), (-1.5, [true, false])] {
        let mut shifted = plain.clone();
        model.choose_shifted(&page(), &mut shifted, shift, false);
        assert_eq!(shifted.choice.kept, expected, "{shift}");
        assert_eq!(shifted.probabilities, plain.probabilities, "{shift}");
    }
    let mut all = plain.clone();
    model.choose_shifted(&page(), &mut all, 3.5, false);
    let hit = sigmoid(1.0) + sigmoid(-3.0);
    assert!((all.choice.expected_f1 - 2.0 * hit / (2.0 + hit)).abs() < 1e-6, "{:?}", all.choice);
}

#[test]
fn a_file_comes_back_as_it_was() {
    let model = Model::new(file()).unwrap();
    let (bytes, packed) = (model.to_bytes().unwrap(), model.to_packed().unwrap());
    assert_eq!(Model::from_bytes(&bytes).unwrap().file(), model.file());
    assert!(packed.len() < bytes.len());
    assert_eq!(Model::from_bytes(&packed).unwrap().file(), model.file());
}

#[test]
fn what_cannot_be_used_is_refused() {
    let message = |change: fn(&mut ModelFile)| {
        let mut file = file();
        change(&mut file);
        Model::new(file).unwrap_err().to_string()
    };
    assert!(message(|f| f.format = "x".into()).contains("not a trommel model"));
    assert!(message(|f| f.version = 99).contains("version 99"));
    assert!(message(|f| f.columns[0] = "odd".into()).contains("feature odd"));
    assert!(message(|f| f.columns.clear()).contains("linear part"));
    assert!(
        message(|f| f.parts[0].scorer = Scorer::Linear(Linear { intercept: f32::NAN, weights: vec![] }))
            .contains("linear part")
    );
    assert!(message(|f| f.band = Some(f32::NAN)).contains("band"));
    let trees = Scorer::Trees(Trees { base: 0.0, nodes: vec![TreeNode::Leaf { value: 1.0 }], roots: vec![0] });
    let before = WeightedScorer { share: 1.0, scorer: trees };
    let mut first_are_trees = ModelFile { band: Some(1.0), ..file() };
    first_are_trees.parts.insert(0, before);
    assert!(Model::new(first_are_trees).unwrap_err().to_string().contains("band"));
    for bytes in [&b""[..], b"\x80", b"no model", &[0xff; 40]] {
        assert!(matches!(Model::from_bytes(bytes), Err(ModelError::Format(_))));
    }
}

#[test]
fn files_of_other_versions_are_named_as_such() {
    #[derive(serde::Serialize)]
    struct Other {
        format: &'static str,
        version: u32,
        groups: [&'static str; 1],
    }
    let refused = |format, version| {
        let other = Other { format, version, groups: ["unheard-of"] };
        Model::from_bytes(&rmp_serde::to_vec_named(&other).unwrap()).unwrap_err().to_string()
    };
    // A file of another version may hold what this program cannot parse, and is still named by its version.
    assert_eq!(refused(FORMAT, 2), format!("the model is of version 2, this program reads version {VERSION}"));
    assert!(refused(FORMAT, VERSION + 1).contains(&format!("version {}", VERSION + 1)));
    assert!(refused("trommel-roles", VERSION).contains("its format is \"trommel-roles\""));
}

#[test]
fn the_built_in_models_load() {
    for name in Model::builtin_names() {
        assert_eq!(Model::builtin(name).unwrap().file().name, name);
    }
    assert!(Model::builtin("none").is_none());
}

#[test]
fn weights_beyond_all_log_odds_are_refused() {
    let of = |weight: f32| {
        let mut file = file();
        file.parts[0].scorer = Scorer::Additive(Additive {
            step_functions: vec![StepFunction { column: 0, edges: vec![0.5], weights: vec![weight, -weight] }],
            ..Additive::default()
        });
        Model::new(file)
    };
    let judged = of(1300.0).unwrap().judge(&page(), None);
    assert_eq!(judged.probabilities, [1.0, 0.0]);
    // Too large, too large as a sum, infinite once rounded to units, infinite as a sum, and none.
    for weight in [4097.0, 4096.0, 1e36, 3e38, f32::NAN] {
        assert!(matches!(of(weight), Err(ModelError::Unsound { part: "additive" })), "{weight}");
    }
}

#[test]
fn lists_and_threads_have_scorers_of_their_own() {
    let step = |weights: [f32; 2]| Additive {
        intercept: 0.0,
        step_functions: vec![StepFunction { column: 0, edges: vec![0.5], weights: weights.to_vec() }],
        crosses: vec![],
    };
    let trees = Trees { base: 2.0, nodes: vec![TreeNode::Leaf { value: 1.0 }], roots: vec![0] };
    // Log odds of the page types: is it an article, a listing, or a thread?
    let judged = |article: f32, listing: f32, forum: f32, band: Option<f32>| {
        let mut file = ModelFile { band, ..file() };
        file.parts = vec![
            WeightedScorer { share: 0.5, scorer: Scorer::Additive(step([1.0, -1.0])) },
            WeightedScorer { share: 0.5, scorer: Scorer::Trees(trees.clone()) },
        ];
        let page_type = |(name, intercept): (&str, f32)| PageTypeScorer {
            name: name.into(),
            scorer: Additive { intercept, ..Additive::default() },
            sharpness: 1.0,
        };
        file.page_types = [("article", article), ("listing", listing), ("forum", forum)].map(page_type).into();
        file.lists = Some(KindScorer {
            others: vec!["article".into(), "forum".into()],
            between: (0.25, 0.75),
            share: 0.5,
            scorer: step([5.0, 7.0]),
        });
        file.threads = Some(KindScorer {
            others: vec!["article".into(), "listing".into()],
            between: (0.25, 0.75),
            share: 0.25,
            scorer: step([6.0, -3.0]),
        });
        let model = Model::new(file).unwrap();
        let odds = model.log_odds(&page(), None);
        let probabilities: Vec<f32> = odds.iter().map(|odds| sigmoid(*odds)).collect();
        assert_eq!(model.judge(&page(), None).probabilities, probabilities);
        let rows = model.schema().rows(&page(), None);
        for (row, odds) in rows.iter().zip(&odds) {
            let contributions = model.contributions(row);
            assert_eq!(contributions.len(), model.reasons().len());
            let sum: f32 = contributions.iter().sum();
            assert!((sum - odds).abs() < 1e-5, "{sum} {odds}");
        }
        odds
    };
    for band in [None, Some(2.0)] {
        assert_eq!(judged(9.0, -9.0, -9.0, band), [2.0, 1.0]);
        // Half of the log odds, and a quarter where the page is as probably an article.
        assert_eq!(judged(-9.0, 9.0, -9.0, band), [3.5, 4.0]);
        // A quarter of a thread.
        assert_eq!(judged(-9.0, -9.0, 9.0, band), [3.0, 0.0]);
        assert_eq!(judged(0.0, 0.0, -90.0, band), [2.75, 2.5]);
    }
    // Where the additive part is sure, it stands for the trees on lists as well.
    assert_eq!(judged(-9.0, 9.0, -9.0, Some(0.5)), [3.0, 3.0]);
}

#[test]
fn a_model_is_checked_by_what_it_holds() {
    for name in Model::builtin_names() {
        let model = Model::builtin(name).unwrap();
        let file = model.checked_bytes().unwrap();
        assert!(*unpack(&file).unwrap() == model.to_bytes().unwrap(), "{name}");
    }
    // However a file is packed.
    let bytes = Model::new(file()).unwrap().to_bytes().unwrap();
    for packed in [bytes.clone(), pack(&bytes).unwrap()] {
        assert_eq!(*Model::from_bytes(&packed).unwrap().checked_bytes().unwrap(), *bytes);
    }
}

#[test]
fn articles_that_declare_nothing_count_as_declared() {
    let mut file = ModelFile { groups: vec![FeatureGroup::Page], columns: vec!["page.article".into()], ..file() };
    let weight = ColumnWeight { column: 0, weight: -3.0, deviation: 1.0 };
    file.parts =
        vec![WeightedScorer { share: 1.0, scorer: Scorer::Linear(Linear { intercept: 1.0, weights: vec![weight] }) }];
    // The log odds of the type article are 3 higher on a page that declares it. Other pages are of the type `other`.
    let judged = |other: &str, article: f32, html: &str| {
        let page_type = |(name, intercept, claim): (&str, f32, f32)| PageTypeScorer {
            name: name.into(),
            scorer: Additive {
                intercept,
                step_functions: vec![StepFunction { column: 0, edges: vec![0.5], weights: vec![0.0, claim] }],
                ..Additive::default()
            },
            sharpness: 1.0,
        };
        let types = [("article", article, 3.0), (other, 0.0, 0.0)].map(page_type).into();
        let model = Model::new(ModelFile { page_types: types, ..file.clone() }).unwrap();
        let page = ScanEngine.read(html, &Limits::default());
        let odds = model.log_odds(&page, None);
        assert_eq!(model.judge(&page, None).probabilities, [sigmoid(odds[0])], "{html}");
        odds[0]
    };
    let odds = |article: f32, html: &str| judged("listing", article, html);
    let text = "word ".repeat(250);
    for element in ["main", "article"] {
        assert_eq!(odds(5.0, &format!("<{element}><p>{text}")), -2.0);
    }
    // Neither short, in doubt, without such an element, nor on pages that say what they are.
    assert_eq!(odds(5.0, &format!("<main><p>{}", text.strip_prefix("word ").unwrap())), 1.0);
    assert_eq!(odds(0.0, &format!("<main><p>{text}")), 1.0);
    assert_eq!(odds(5.0, &format!("<div><p>{text}")), 1.0);
    assert_eq!(odds(5.0, &format!("<meta property=og:type content=website><main><p>{text}")), 1.0);
    assert_eq!(odds(5.0, &format!("<meta property=og:type content=article><main><p>{text}")), -2.0);
    let data = "<script type=application/ld+json>{\"@type\":\"Place\"}</script><main><p>one";
    assert_eq!(odds(5.0, &format!("{data} {text}")), 1.0);

    // A page of much prose that would be an article, had it declared that, but no thread and no list of short blocks.
    let prose = text.repeat(2);
    assert_eq!(odds(0.0, &format!("<main><p>{prose}")), -2.0);
    assert_eq!(odds(-3.0, &format!("<main><p>{prose}")), 1.0);
    assert_eq!(odds(0.0, &format!("<div><p>{prose}")), 1.0);
    assert_eq!(judged("forum", -0.5, &format!("<main><p>{prose}")), 1.0);
    assert_eq!(odds(0.0, &format!("<main><p>{}", prose.strip_prefix("word ").unwrap())), 1.0);
}
