//! Small pages, one for each kind of structure that text must not lose, against `tests/probes`: plain text and
//! Markdown as expected, and apart from these, which the program writes, what each must say.

use std::{collections::BTreeMap, fs};

use crate::{
    golden::compare,
    program::{trommel, workspace},
};

/// What the Markdown of a page must hold and must not.
const SAID: &[(&str, &[&str], &[&str])] = &[
    (
        "math-mathml",
        &[
            "power is $P = \\frac{m g h}{t}$ watts",
            "with $\\eta$ it is",
            "$$\n\\int_0^1 x\\,dx\n$$",
        ],
        &["η"],
    ),
    (
        "math-katex",
        &["Let $v_0$ be the speed", "$$\nE = \\frac{1}{2} m v_0^2\n$$"],
        &["E=12mv02"],
    ),
    (
        "math-mathjax",
        &[
            "turns $n^2$ times, or $k_{i}$ in all.",
            "$$\nn = \\sum_i k_i\n$$",
        ],
        &["nn2", "n2"],
    ),
    (
        "math-attributes",
        &["area $A = \\pi r^2$ and its share ${\\frac {a}{b}}$ are small, as $\\sqrt{2}$ is."],
        &["πr²", "displaystyle"],
    ),
    (
        "math-raw",
        &[
            "With $q = \\frac{a_1}{b_2}$ and \\(E_k = m_1\\) it costs",
            "a day, or",
        ],
        &["a\\_1", "E\\_k"],
    ),
    (
        "scripts",
        &["100^2 inches at x_i weighs 10^−3 tons", "the 1st of"],
        &[],
    ),
    (
        "notes-links",
        &[
            "built by monks.[^1] Later it burned.[^2]",
            "\n[^1]: The abbey of the lower town.\n",
            "\n[^2]: In the dry summer of the great fire.\n",
        ],
        &["↩", "Notes"],
    ),
    (
        "notes-word",
        &[
            "monks[^1] of the abbey",
            "\n[^1]: The abbey of the lower town, long gone.\n",
        ],
        &["[1]"],
    ),
    (
        "notes-side",
        &[
            "monks[^1] of the abbey",
            "\n[^1]: The abbey of the lower town.\n",
        ],
        &[],
    ),
    (
        "code-lines",
        &["```python\ndef turn(n):\n\n    return  n < 2\n```"],
        &["Copy", "1def"],
    ),
    (
        "code-divs",
        &[
            "```rust\nfn turn() {\n    stop();\n}\n```",
            "Run `make turn` to see it",
            "```\na\n\n  b\n```",
        ],
        &[],
    ),
    (
        "tables",
        &[
            "*Days of the wheel*",
            "| Month | Dry | Wet |\n| --- | --- | --- |\n| May | none \\| all |  |\n| June | 3 | 27 |\n|  | 4 | 26 |",
        ],
        &[],
    ),
    (
        "lists",
        &[
            "3. Open the gate\n7. Wait\n   - for water\n   - for wind",
            "2) Two\n1) One",
            "- [x] Grease the wheel\n- [ ] Paint the door",
            "**The sluice of the mill**\n- What holds the water back",
        ],
        &[],
    ),
    (
        "quotes",
        &[
            "> Water is patient.",
            "*The wheel in winter, when the river freezes and nobody comes to the mill*",
            "> [!note] Note\n>\n> Keep off the ice.",
        ],
        &[],
    ),
    ("hidden", &["came from the hills", "cut in the quarry"], &[]),
    (
        "hidden-menu",
        &[
            "weighs four tons and was renewed in May 1990 by the town",
            "cut in the quarry",
            "On a wide screen this sentence is shown",
        ],
        &["All mills", "4 t ", "1990-05", "printed"],
    ),
    (
        "hydration",
        &[
            "in dry ones.\n\nIts owner",
            "has been ground.\n\n“Water is patient,” he says.",
        ],
        &["Please enter", "Loading"],
    ),
    (
        "hydration-stream",
        &[
            "in dry ones.\n\nIts owner",
            "has been ground.\n\nNobody knows",
        ],
        &["children"],
    ),
    ("math-svg", &["It turns $n^2 + 1$ times a day"], &[]),
    ("math-asciimath", &["power is $x^2 + y_1$ watts"], &[]),
    (
        "infobox",
        &[
            "| Built | 1824 |",
            "| Wheels | two, of oak |",
            "Mill on the river",
        ],
        &[],
    ),
    (
        "tables-layout",
        &[
            "came over the hills in the year of the flood and stayed.\n",
            "| Year | Sacks |\n| --- | --- |\n| 1830 | 400 |\n| 1831 | 500 |\n",
            "\nIn the right half",
        ],
        &["| In the", "stayed. |"],
    ),
];

#[test]
fn probes_say_what_their_pages_mean() {
    let folder = workspace().join("tests/probes");
    for (name, said, unsaid) in SAID {
        let page = format!("{name}.html");
        let ran = trommel(&folder, &["extract", "-f", "markdown", &page], b"");
        let markdown = ran.well();
        for said in *said {
            assert!(markdown.contains(said), "{name}: {said:?} in\n{markdown}");
        }
        for unsaid in *unsaid {
            assert!(
                !markdown.contains(unsaid),
                "{name}: no {unsaid:?} in\n{markdown}"
            );
        }
    }
}

#[test]
fn golden_probes() {
    let folder = workspace().join("tests/probes");
    let (mut texts, mut markdowns) = (BTreeMap::new(), BTreeMap::new());
    for entry in fs::read_dir(&folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some(stem) = name.strip_suffix(".html") else {
            continue;
        };
        let text = trommel(&folder, &["extract", &name], b"");
        texts.insert(format!("{stem}.txt"), text.well().to_owned());
        let markdown = trommel(&folder, &["extract", "-f", "markdown", &name], b"");
        markdowns.insert(format!("{stem}.md"), markdown.well().to_owned());
    }
    assert_eq!(texts.len(), SAID.len());
    compare(&folder, ".txt", &texts);
    compare(&folder, ".md", &markdowns);
}

#[test]
fn formulas_notes_and_scripts_are_given_as_asked() {
    let folder = workspace().join("tests/probes");
    let run = |arguments: &[&str]| trommel(&folder, &[&["extract"], arguments].concat(), b"");
    let plain = run(&["--math", "plain", "-f", "markdown", "math-katex.html"]);
    assert!(plain.well().contains("Let v_0 be"));
    let off = run(&["--math", "off", "math-katex.html"]);
    assert!(off.well().contains("Let be the speed") && !off.well().contains("v_0"));
    let dropped = run(&["--notes", "drop", "notes-links.html"]);
    assert!(
        dropped.well().contains("by monks. Later it burned.")
            && !dropped.well().contains("lower town")
    );
    let kept = run(&["notes-links.html"]);
    assert!(
        kept.well().contains("monks.[1] Later")
            && kept.well().contains("\n\n[1] The abbey of the lower town.")
    );
    let unicode = run(&["--scripts", "unicode", "scripts.html"]);
    assert!(
        unicode
            .well()
            .contains("100² inches at xᵢ weighs 10⁻³ tons")
    );
}

#[test]
fn spans_lead_back_to_the_page() {
    let folder = workspace().join("tests/probes");
    for name in ["lists", "tables", "quotes", "code-divs"] {
        let html = fs::read_to_string(folder.join(name).with_extension("html")).unwrap();
        let page = format!("{name}.html");
        let ran = trommel(&folder, &["extract", "-f", "json", "--spans", &page], b"");
        let json: serde_json::Value = serde_json::from_str(ran.well()).unwrap();
        let text: Vec<char> = json["text"].as_str().unwrap().chars().collect();
        let spans = json["spans"].as_array().unwrap();
        assert!(spans.len() > 3, "{name}");
        for span in spans {
            let number = |at: usize| span[at].as_u64().unwrap() as usize;
            let part: String = text[number(0)..number(0) + number(1)].iter().collect();
            let source = &html[number(2)..number(2) + number(3)];
            // Words of the part stand in the bytes in their order.
            let mut from = 0;
            for word in part
                .split(|c: char| !c.is_alphanumeric())
                .filter(|word| !word.is_empty())
            {
                let found = source[from..].find(word);
                from += found.unwrap_or_else(|| panic!("{name}: {word} of {part:?} in {source:?}"));
            }
        }
    }
    let refused = trommel(&folder, &["extract", "--spans", "lists.html"], b"");
    assert_eq!(refused.code, 2);
}
