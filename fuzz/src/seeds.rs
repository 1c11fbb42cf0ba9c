//! Writes the seed corpora: small inputs that reach every part of a target. `seeds FOLDER`.

use std::{
    fs,
    io::{self, Cursor, Write},
    path::Path,
};

use trommel_archive::write::{gzip_member, write_record};
use trommel_model::features::{EMBEDDED_COLUMNS, FeatureGroup, Schema};
use trommel_model::{
    Additive, ColumnWeight, EmbeddedScorer, FORMAT, Linear, Model, ModelFile, PageTypeScorer, Scorer, Selection,
    StepFunction, Training, TreeNode, Trees, VERSION, WeightedScorer,
};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

const PAGE: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>one</p>\r\n\r\n";

fn records() -> io::Result<Vec<Vec<u8>>> {
    [("warcinfo", "software: test\r\n"), ("response", PAGE), ("metadata", "")]
        .iter()
        .map(|(kind, block)| {
            let mut out = Vec::new();
            let fields = [("WARC-Type", *kind), ("WARC-Target-URI", "<http://a.b/>")];
            write_record(&mut out, "1.1", &fields, block.as_bytes())?;
            Ok(out)
        })
        .collect()
}

fn zst(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = zstd::stream::Encoder::new(Vec::new(), 3)?;
    encoder.include_checksum(true)?;
    encoder.write_all(bytes)?;
    encoder.finish()
}

fn lz4(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let info = lz4_flex::frame::FrameInfo::new().block_mode(lz4_flex::frame::BlockMode::Linked).content_checksum(true);
    let mut encoder = lz4_flex::frame::FrameEncoder::with_frame_info(info, Vec::new());
    encoder.write_all(bytes)?;
    encoder.finish().map_err(io::Error::other)
}

fn archives() -> io::Result<Vec<Vec<u8>>> {
    let records = records()?;
    let all = records.concat();
    let arc = b"filedesc://a.arc 0.0.0.0 20080430204825 text/plain 8\n1 0 Test\n\n\
        http://a.b/x y 1.2.3.4 20080430204826 text/html 41\nHTTP/1.1 200 OK\r\nA: b\r\n\r\n<p>page one</p>\n\n";
    let each = |pack: &dyn Fn(&[u8]) -> io::Result<Vec<u8>>| -> io::Result<Vec<u8>> {
        Ok(records.iter().map(|record| pack(record)).collect::<io::Result<Vec<_>>>()?.concat())
    };
    let gz = |bytes: &[u8]| gzip_member(bytes, 0);
    let dictionary = [&[0x5d, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 0x37, 0xa4, 0x30, 0xec][..], &zst(&all)?].concat();
    let lines = b"WARC/0.18\nwarc-type: RESPONSE\nX: a\n b\nContent-Length: 3\n\nabc\n\nWARC/1.0\nA: b\n\nlong\n\n";
    let bodies = vec![
        all.clone(),
        each(&gz)?,
        gz(&all)?,
        all.chunks(60).map(gz).collect::<io::Result<Vec<_>>>()?.concat(),
        each(&zst)?,
        zst(&all)?,
        dictionary,
        each(&lz4)?,
        lz4(&all)?,
        arc.to_vec(),
        gz(arc)?,
        lines.to_vec(),
    ];
    // Limits, and the item to resume before.
    Ok(bodies.into_iter().map(|body| [&[0, 1][..], &body].concat()).collect())
}

fn messages() -> io::Result<Vec<Vec<u8>>> {
    let html = b"<html><p>some text, some text, some text</p></html>";
    let message = |fields: &str, body: &[u8]| {
        [format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{fields}\r\n").as_bytes(), body].concat()
    };
    let gz = gzip_member(html, 6)?;
    let deflated = gz.get(10..gz.len().saturating_sub(8)).unwrap_or_default();
    let chunked = b"4\r\nWiki\r\n5;x=y\r\npedia\r\n0\r\nTrailer: a\r\n\r\n";
    Ok(vec![
        message("", html),
        message("Content-Encoding: gzip\r\n", &gz),
        message("Content-Encoding: gzip, gzip\r\n", &gzip_member(&gz, 6)?),
        message("Content-Encoding: deflate\r\n", deflated),
        message("Content-Encoding: zstd\r\n", &zst(html)?),
        message("Content-Encoding: br\r\n", &[0x0b, 2, 0x80, b'h', b'e', b'l', b'l', b'o', 3]),
        message("Transfer-Encoding: chunked\r\n", chunked),
        message("Transfer-Encoding: chunked\r\n", b"4\r\nWiki\r\n3\r\npedia!\r\n2\r\nab\r\n0\r\n\r\n"),
        message("Transfer-Encoding: chunked\r\n", b"ffffffffffffffff\r\nabc\r\n-1\r\n\r\n"),
        b"http/2 404\nA : b\n c\n\nbody".to_vec(),
        gz,
    ])
}

fn pages() -> Vec<Vec<u8>> {
    let pages = [
        "<div class=a>x &amp; y<!-- c --> z<noscript><p>\u{e9}&eacute;</p></noscript><b>\u{65e5}</b></div>&copy",
        "<title>t&lt;</title><script>if(a<b){}</script><p>a<br><br>b<a href='x>y'>c</a><![CDATA[d]]><p",
        "<table><tr><td>1<td>2</table><svg><style><p></style></svg><textarea></p></textarea>end</html>\n x",
        "<pre>\n  a\r\n b</pre><xmp><b>&amp;</b></xmp><select><option>o</select><plaintext><p>&amp;",
        "<meta property=og:title content='A &amp; B'><time datetime=2024-05-01>May</time><i rel=author>N</i>",
        "<script type=application/ld+json>{\"@type\":\"Article\",\"headline\":\"h\"}</script><h1>h</h1><ol start=3><li>a",
    ];
    pages.iter().map(|page| [&[7, 0, 200, 3], page.as_bytes()].concat()).collect()
}

fn charsets() -> Vec<Vec<u8>> {
    vec![
        b"utf-8\n<meta charset=windows-1251>\xd0\xbf\xd1\x80\xd0\xb8".to_vec(),
        b"\n<meta http-equiv=content-type content='text/html; charset=gbk'>\xd6\xd0\xce\xc4".to_vec(),
        b"shift_jis\n<?xml version='1.0' encoding='euc-jp'?>\xa4\xa2".to_vec(),
        b"iso-8859-1\n\xef\xbb\xbfcaf\xc3\xa9".to_vec(),
        b"utf-16\n<\0p\0>\0a\0".to_vec(),
        b"x-user-defined\n\xff\xfe<\0p\0>\0".to_vec(),
        b"a.ru\n\xef\xf0\xe8\xe2\xe5\xf2".to_vec(),
    ]
}

fn models() -> Option<Vec<Vec<u8>>> {
    let groups = vec![FeatureGroup::Shallow, FeatureGroup::Text];
    let columns = Schema::new(&groups, &[], &[], &[]).names().to_vec();
    let linear = Linear { intercept: -1.25, weights: vec![ColumnWeight { column: 1, weight: 1.1, deviation: 1.0 }] };
    let embedded = EmbeddedScorer {
        columns: EMBEDDED_COLUMNS.map(str::to_owned).to_vec(),
        scorer: linear.clone(),
        rows: (12, 5),
        penalty: 1.0,
    };
    let additive = Additive {
        intercept: 0.4,
        step_functions: vec![StepFunction { column: 0, edges: vec![0.01, 2.0], weights: vec![-0.1, 0.2, 0.3] }],
        crosses: vec![],
    };
    let trees = Trees {
        base: 0.1,
        nodes: vec![
            TreeNode::Split { column: 1, threshold: 2.0, left: 1, right: 2 },
            TreeNode::Leaf { value: -1.5 },
            TreeNode::Leaf { value: 1.25 },
        ],
        roots: vec![0],
    };
    let scorers = [Scorer::Linear(linear), Scorer::Additive(additive), Scorer::Trees(trees)];
    let files = scorers.into_iter().map(|scorer| ModelFile {
        format: FORMAT.into(),
        version: VERSION,
        name: "seed".into(),
        created: "2026-01-01".into(),
        groups: groups.clone(),
        columns: columns.clone(),
        parts: vec![WeightedScorer { share: 0.5, scorer }],
        listed: vec![],
        attribute_weights: vec![],
        word_weights: vec![],
        known_words: 0.0,
        page_types: vec![PageTypeScorer { name: "story".into(), sharpness: 1.0, scorer: Additive::default() }],
        embedded: Some(embedded.clone()),
        pooling: 0.0,
        band: None,
        lists: None,
        threads: None,
        few_metadata: false,
        selection: Selection::Threshold(0.5),
        adapted_from: None,
        training: Training::default(),
        scores: vec![],
    });
    files.map(|file| Model::new(file).ok()?.to_bytes().ok()).collect()
}

fn containers() -> io::Result<Vec<Vec<u8>>> {
    const PAGES: &str = "{\"format\":\"json-pages-1.0\",\"id\":\"pages\"}\n{\"url\":\"http://a.b/\",\"title\":\"A\"}\n";
    const DESCRIPTION: &str = "{\"profile\":\"data-package\",\"resources\":[{\"path\":\"archive/a.warc\",\"hash\":\"sha256:00\",\"bytes\":4}]}";
    let archive = records()?.concat();
    let zipped = |method: CompressionMethod, archive: &[u8]| {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default().compression_method(method);
        for (name, bytes) in [
            ("archive/a.warc", archive),
            ("pages/pages.jsonl", PAGES.as_bytes()),
            ("datapackage.json", DESCRIPTION.as_bytes()),
        ] {
            zip.start_file(name, options).map_err(io::Error::other)?;
            zip.write_all(bytes)?;
        }
        Ok::<_, io::Error>(zip.finish().map_err(io::Error::other)?.into_inner())
    };
    let stored = zipped(CompressionMethod::Stored, b"WARC")?;
    // Without its directory, and with two entries of one name.
    let end = stored.windows(4).position(|at| at == b"PK\x01\x02");
    let cut = stored.get(..end.unwrap_or_default()).unwrap_or_default();
    let twice = [&stored[..], cut].concat();
    Ok(vec![stored.clone(), zipped(CompressionMethod::Deflated, &archive)?, cut.to_vec(), twice])
}

fn states() -> io::Result<Vec<Vec<u8>>> {
    let (states, entries) = trommel::run::fuzzing::seeds();
    let archive = records()?.concat();
    let archive = archive.get(..archive.len() / 4 * 4).unwrap_or_default();
    let length = u8::try_from(archive.len() / 4).unwrap_or(u8::MAX);
    let states = states.iter().flat_map(|state| {
        [[&[1, b'W', b'A', b'R', b'C'], &state[..]].concat(), [&[length], archive, &state[..]].concat()]
    });
    let entries = entries.iter().map(|entry| [&[0], &entry[..]].concat());
    Ok(states.chain(entries).collect())
}

fn main() -> io::Result<()> {
    let Some(folder) = std::env::args_os().nth(1) else {
        return Err(io::Error::other("usage: seeds FOLDER"));
    };
    let models = models().ok_or_else(|| io::Error::other("the seed models can't be built"))?;
    let targets = [
        ("archive", archives()?),
        ("http", messages()?),
        ("html", pages()),
        ("charset", charsets()),
        ("model", models),
        ("wacz", containers()?),
        ("state", states()?),
    ];
    for (target, seeds) in targets {
        let folder = Path::new(&folder).join(target);
        fs::create_dir_all(&folder)?;
        for (number, seed) in seeds.iter().enumerate() {
            fs::write(folder.join(format!("{number:02}")), seed)?;
        }
    }
    Ok(())
}
