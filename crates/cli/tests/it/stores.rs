//! Implements a server with the protocols of object stores, for the tests of locations.
//!
//! It serves a bucket in memory as Amazon S3, Google Cloud Storage, Azure Blob Storage, the Hugging Face Hub or any web
//! server do. The hub sends readers on to a second server, at 127.0.0.2, which takes no credentials: a request with any fails there.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use url::Url;

use crate::servers::{Request, serve};

/// Number of objects on a page of a list.
const PAGE: usize = 2;
/// Secret key that must not appear in messages.
pub const SECRET: &str = "c2VzYW1lLWh1c2g=";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    S3,
    Google,
    Azure,
    Dataset,
    Bucket,
    Http,
}

/// Fault that the server shows at the next read of an object.
pub enum Fault {
    /// HTTP status that asks the client to send fewer requests.
    Busy,
    /// Connection that is closed in the middle of the body.
    Break,
    /// Body that stops in the middle, until the client gives up.
    Stall,
    /// Redirect to the URL of another server.
    Elsewhere(String),
}

struct State {
    protocol: Protocol,
    /// True if requests without credentials are refused.
    locked: bool,
    /// Port of the second server, which stores the files of the hub.
    files: u16,
    objects: Mutex<BTreeMap<String, Vec<u8>>>,
    parts: Mutex<BTreeMap<String, Vec<u8>>>,
    /// Requests received since the last call of `seen`, with decoded paths.
    seen: Mutex<Vec<Request>>,
    faults: Mutex<VecDeque<Fault>>,
}

/// Store in memory with a server that runs until the process ends.
pub struct Store {
    port: u16,
    root: String,
    state: Arc<State>,
}

struct Answer {
    status: &'static str,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
    /// Number of bytes of the body that are sent.
    sent: usize,
    stalls: bool,
}

impl Answer {
    fn new(status: &'static str, body: impl Into<Vec<u8>>) -> Self {
        let body = body.into();
        Self { status, headers: Vec::new(), sent: body.len(), body, stalls: false }
    }

    fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

impl Store {
    pub fn start(protocol: Protocol, locked: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let elsewhere = TcpListener::bind("127.0.0.2:0").unwrap();
        let state = Arc::new(State {
            protocol,
            locked,
            files: elsewhere.local_addr().unwrap().port(),
            objects: Mutex::default(),
            parts: Mutex::default(),
            seen: Mutex::default(),
            faults: Mutex::default(),
        });
        let [port, _] = [listener, elsewhere].map(|listener| {
            let state = Arc::clone(&state);
            serve(listener, move |request, stream| state.serve(request, stream))
        });
        let root = match protocol {
            Protocol::S3 => "s3://crawl".to_owned(),
            Protocol::Google => "gs://crawl".to_owned(),
            Protocol::Azure => "az://crawl".to_owned(),
            Protocol::Dataset => "hf://datasets/org/crawl".to_owned(),
            Protocol::Bucket => "hf://buckets/org/crawl".to_owned(),
            Protocol::Http => format!("http://127.0.0.1:{port}/crawl"),
        };
        Self { port, root, state }
    }

    /// Returns the URL of the bucket, without a final slash.
    pub fn root(&self) -> &str {
        &self.root
    }

    pub fn url(&self, key: &str) -> String {
        format!("{}/{key}", self.root)
    }

    /// Returns the URL of an object, with credentials if the store reads them only from URLs, as a web server does.
    pub fn url_with_key(&self, key: &str) -> String {
        match self.state.protocol {
            Protocol::Http => self.url(key).replace("://", &format!("://me:{}@", SECRET.replace('=', "%3D"))),
            _ => self.url(key),
        }
    }

    /// Returns the URL of an object on the second server.
    pub fn elsewhere(&self, key: &str) -> String {
        self.state.elsewhere(key)
    }

    /// Returns the environment variables that make a program use this store, with credentials if it requires them.
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        let at = format!("http://127.0.0.1:{}", self.port);
        let mut all = match self.state.protocol {
            Protocol::S3 => vec![("AWS_ENDPOINT", at), ("AWS_ALLOW_HTTP", "true".into())],
            Protocol::Google => vec![("GOOGLE_BASE_URL", at), ("GOOGLE_ALLOW_HTTP", "true".into())],
            Protocol::Azure => vec![
                ("AZURE_STORAGE_ACCOUNT_NAME", "account".into()),
                ("AZURE_STORAGE_ENDPOINT", at),
                ("AZURE_ALLOW_HTTP", "true".into()),
            ],
            Protocol::Dataset | Protocol::Bucket => vec![("HF_ENDPOINT", at)],
            Protocol::Http => vec![],
        };
        all.extend(match (self.state.protocol, self.state.locked) {
            (Protocol::S3, false) => vec![("AWS_SKIP_SIGNATURE", "true".into())],
            (Protocol::S3, true) => {
                vec![("AWS_ACCESS_KEY_ID", "key".into()), ("AWS_SECRET_ACCESS_KEY", SECRET.into())]
            }
            (Protocol::Google, false) => vec![("GOOGLE_SKIP_SIGNATURE", "true".into())],
            (Protocol::Google, true) => vec![("GOOGLE_BEARER_TOKEN", SECRET.into())],
            (Protocol::Azure, false) => vec![("AZURE_SKIP_SIGNATURE", "true".into())],
            (Protocol::Azure, true) => vec![("AZURE_STORAGE_ACCOUNT_KEY", SECRET.into())],
            (Protocol::Http, _) | (_, false) => vec![],
            (_, true) => vec![("HF_TOKEN", SECRET.into())],
        });
        all
    }

    pub fn put(&self, key: &str, body: &[u8]) {
        self.state.objects.lock().unwrap().insert(key.to_owned(), body.to_owned());
    }

    pub fn get(&self, key: &str) -> Option<Vec<u8>> {
        self.state.objects.lock().unwrap().get(key).cloned()
    }

    /// Makes the next reads of objects fail with these faults.
    pub fn fail(&self, faults: impl IntoIterator<Item = Fault>) {
        self.state.faults.lock().unwrap().extend(faults);
    }

    /// Returns the requests that the store received since the last call.
    pub fn seen(&self) -> Vec<Request> {
        std::mem::take(&mut self.state.seen.lock().unwrap())
    }
}

impl State {
    fn serve(&self, request: Request, stream: &mut TcpStream) -> std::io::Result<()> {
        let answer = self.answer(&request);
        self.seen.lock().unwrap().push(Request { path: decoded(&request.path), ..request });
        let mut head = format!(
            "HTTP/1.1 {}\r\nConnection: close\r\nContent-Length: {}\r\n\
             ETag: \"1\"\r\nLast-Modified: Sat, 21 Nov 2026 00:00:00 GMT\r\n",
            answer.status,
            answer.body.len()
        );
        for (name, value) in &answer.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        stream.write_all(format!("{head}\r\n").as_bytes())?;
        stream.write_all(&answer.body[..answer.sent])?;
        if answer.stalls {
            // Until the client goes away.
            stream.read_exact(&mut [0])?;
        }
        Ok(())
    }

    fn answer(&self, request: &Request) -> Answer {
        let has_key = request.headers.contains_key("authorization");
        let url = Url::parse("http://store").unwrap().join(&request.path).unwrap();
        let query: HashMap<String, String> = url.query_pairs().into_owned().collect();
        let segments: Vec<String> = url.path_segments().unwrap().map(decoded).collect();
        let key = segments[1..].join("/");
        if request.host == "127.0.0.2" {
            // What stores files answers to the address alone.
            return match has_key || !query.contains_key("Signature") {
                true => Answer::new("400 Bad Request", ""),
                false => self.object(&key, request),
            };
        }
        if self.locked && !has_key {
            return Answer::new("401 Unauthorized", "").with("X-Error-Code", "RepoNotFound");
        }
        match self.protocol {
            Protocol::S3 | Protocol::Google | Protocol::Azure if segments[0] != "crawl" => {
                Answer::new("404 Not Found", "")
            }
            Protocol::S3 | Protocol::Google => self.bucket(key, &query, request),
            Protocol::Azure => self.azure(key, &query, request),
            Protocol::Dataset | Protocol::Bucket => self.hub(&segments, &query, &request.path),
            Protocol::Http => self.object(&key, request),
        }
    }

    /// Answers a read of an object, with the next fault if there is one.
    fn object(&self, key: &str, Request { headers, .. }: &Request) -> Answer {
        let fault = self.faults.lock().unwrap().pop_front();
        let objects = self.objects.lock().unwrap();
        let Some(object) = objects.get(key) else { return Answer::new("404 Not Found", "") };
        let range = headers.get("range").or(headers.get("x-ms-range"));
        let mut answer = match range.and_then(|range| range.strip_prefix("bytes=")?.split_once('-')) {
            Some((first, last)) => {
                let (first, last): (usize, usize) = (first.parse().unwrap(), last.parse().unwrap());
                let end = (last + 1).min(object.len());
                if first >= end {
                    return Answer::new("416 Range Not Satisfiable", "");
                }
                let place = format!("bytes {first}-{}/{}", end - 1, object.len());
                Answer::new("206 Partial Content", &object[first..end]).with("Content-Range", place)
            }
            None => Answer::new("200 OK", object.clone()),
        };
        match fault {
            Some(Fault::Busy) => Answer::new("503 Slow Down", "").with("Retry-After", "0"),
            Some(Fault::Elsewhere(url)) => Answer::new("307 Temporary Redirect", "").with("Location", url),
            Some(fault @ (Fault::Break | Fault::Stall)) => {
                answer.sent /= 2;
                answer.stalls = matches!(fault, Fault::Stall);
                answer
            }
            None => answer,
        }
    }

    /// Returns a page of the keys below a prefix, and the position where the next page begins.
    fn page(&self, prefix: &str, from: Option<&String>) -> (Vec<(String, usize)>, Option<usize>) {
        let objects = self.objects.lock().unwrap();
        let all = objects.iter().filter(|(key, _)| key.starts_with(prefix));
        let from = from.map_or(0, |from| from.parse().unwrap());
        let all: Vec<(String, usize)> = all.map(|(key, body)| (key.clone(), body.len())).collect();
        let next = (from + PAGE < all.len()).then_some(from + PAGE);
        (all.into_iter().skip(from).take(PAGE).collect(), next)
    }

    /// Answers a request to the XML interface that S3 and Google Cloud Storage share.
    fn bucket(&self, key: String, query: &HashMap<String, String>, request: &Request) -> Answer {
        let body = request.body.clone();
        let part = |number: &str| format!("{key}?{number:0>6}");
        match request.method.as_str() {
            "GET" if key.is_empty() => {
                let prefix = query.get("prefix").map_or("", String::as_str);
                let (keys, next) = self.page(prefix, query.get("continuation-token"));
                let contents = keys.iter().map(|(key, size)| {
                    format!(
                        "<Contents><Key>{key}</Key><Size>{size}</Size><ETag>1</ETag>\
                         <LastModified>2026-11-21T00:00:00.000Z</LastModified></Contents>"
                    )
                });
                let next = next.map(|next| format!("<NextContinuationToken>{next}</NextContinuationToken>"));
                let contents: String = contents.chain(next).collect();
                Answer::new("200 OK", format!("<ListBucketResult>{contents}</ListBucketResult>"))
            }
            "GET" => self.object(&key, request),
            "POST" if query.contains_key("uploads") => {
                let id = "<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>";
                Answer::new("200 OK", id)
            }
            "POST" if query.contains_key("delete") => {
                let text = String::from_utf8(body).unwrap();
                let named = text.split("<Key>").nth(1).and_then(|rest| rest.split("</Key>").next());
                self.objects.lock().unwrap().remove(named.unwrap());
                Answer::new("200 OK", "<DeleteResult><Deleted><Key>k</Key></Deleted></DeleteResult>")
            }
            "POST" => {
                let start = format!("{key}?");
                let names =
                    self.parts.lock().unwrap().keys().filter(|name| name.starts_with(&start)).cloned().collect();
                self.assemble(&key, names);
                let done = "<CompleteMultipartUploadResult><ETag>1</ETag></CompleteMultipartUploadResult>";
                Answer::new("200 OK", done)
            }
            "PUT" => {
                match query.get("partNumber") {
                    Some(number) => self.parts.lock().unwrap().insert(part(number), body),
                    None => self.objects.lock().unwrap().insert(key, body),
                };
                Answer::new("200 OK", "")
            }
            // An upload that is given up.
            "DELETE" if query.contains_key("uploadId") => {
                self.parts.lock().unwrap().retain(|name, _| !name.starts_with(&format!("{key}?")));
                Answer::new("204 No Content", "")
            }
            "DELETE" => {
                self.objects.lock().unwrap().remove(&key);
                Answer::new("204 No Content", "")
            }
            other => panic!("{other}"),
        }
    }

    fn azure(&self, key: String, query: &HashMap<String, String>, request: &Request) -> Answer {
        let body = request.body.clone();
        match (request.method.as_str(), query.get("comp").map(String::as_str)) {
            ("GET", Some("list")) => {
                let prefix = query.get("prefix").map_or("", String::as_str);
                let (keys, next) = self.page(prefix, query.get("marker"));
                let blobs: String = keys
                    .iter()
                    .map(|(key, size)| {
                        format!(
                            "<Blob><Name>{key}</Name><Properties><Last-Modified>Sat, 21 Nov 2026 00:00:00 GMT\
                             </Last-Modified><Etag>1</Etag><Content-Length>{size}</Content-Length><Content-Type>a/b\
                             </Content-Type></Properties></Blob>"
                        )
                    })
                    .collect();
                let next = next.map_or(String::new(), |next| next.to_string());
                let list = format!(
                    "<EnumerationResults><Blobs>{blobs}</Blobs><NextMarker>{next}</NextMarker></EnumerationResults>"
                );
                Answer::new("200 OK", list)
            }
            ("GET", None) => self.object(&key, request),
            ("PUT", Some("block")) => {
                self.parts.lock().unwrap().insert(format!("{key}?{}", query["blockid"]), body);
                Answer::new("201 Created", "")
            }
            ("PUT", Some("blocklist")) => {
                // The names of blocks are random: the list gives their order.
                let list = String::from_utf8(body).unwrap();
                let ids = list.split("<Uncommitted>").skip(1).map(|rest| rest.split('<').next().unwrap());
                self.assemble(&key, ids.map(|id| format!("{key}?{id}")).collect());
                Answer::new("201 Created", "")
            }
            ("PUT", None) => {
                self.objects.lock().unwrap().insert(key, body);
                Answer::new("201 Created", "")
            }
            ("POST", Some("batch")) => {
                let text = String::from_utf8(body).unwrap();
                let path = text.lines().find_map(|line| line.strip_prefix("DELETE /crawl/")).unwrap();
                self.objects.lock().unwrap().remove(&decoded(path.split(['?', ' ']).next().unwrap()));
                let part = "--b\r\nContent-Type: application/http\r\nContent-ID: 0\r\n\r\n\
                            HTTP/1.1 202 Accepted\r\nx-ms-request-id: 1\r\n\r\n--b--\r\n";
                Answer::new("202 Accepted", part).with("Content-Type", "multipart/mixed; boundary=b")
            }
            other => panic!("{other:?}"),
        }
    }

    fn hub(&self, segments: &[String], query: &HashMap<String, String>, path: &str) -> Answer {
        let words: Vec<&str> = segments.iter().map(String::as_str).collect();
        match (self.protocol, words.as_slice()) {
            (Protocol::Dataset, ["api", "datasets", "org", "crawl", "tree", "main", prefix @ ..])
            | (Protocol::Bucket, ["api", "buckets", "org", "crawl", "tree", prefix @ ..]) => {
                assert_eq!(query["recursive"], "true");
                let folder = match (prefix, self.protocol) {
                    ([], _) => String::new(),
                    // Of a bucket, any beginning of names.
                    ([prefix], Protocol::Bucket) => (*prefix).to_owned(),
                    ([prefix], _) => format!("{prefix}/"),
                    other => panic!("{other:?}"),
                };
                let (keys, next) = self.page(&folder, query.get("cursor"));
                if keys.is_empty() && !folder.is_empty() && self.protocol == Protocol::Dataset {
                    return Answer::new("404 Not Found", "").with("X-Error-Code", "EntryNotFound");
                }
                let mut entries = vec![r#"{"type":"directory","oid":"0","size":0,"path":"a"}"#.to_owned()];
                entries.extend(keys.iter().map(|(key, size)| {
                    format!(r#"{{"type":"file","oid":"1","size":{size},"path":"{key}","lfs":null}}"#)
                }));
                let answer = Answer::new("200 OK", format!("[{}]", entries.join(",")));
                match next {
                    Some(next) => {
                        let page = path.split("&cursor").next().unwrap();
                        answer.with("Link", format!("<{page}&cursor={next}>; rel=\"next\""))
                    }
                    None => answer,
                }
            }
            (Protocol::Dataset, ["datasets", "org", "crawl", "resolve", "main", key @ ..])
            | (Protocol::Bucket, ["buckets", "org", "crawl", "resolve", key @ ..]) => {
                if !self.objects.lock().unwrap().contains_key(&key.join("/")) {
                    return Answer::new("404 Not Found", "").with("X-Error-Code", "EntryNotFound");
                }
                let place = self.elsewhere(&key.join("/"));
                Answer::new("302 Found", "").with("Location", place).with("X-Linked-Etag", "\"other\"")
            }
            _ => Answer::new("404 Not Found", "").with("X-Error-Code", "RepoNotFound"),
        }
    }

    fn elsewhere(&self, key: &str) -> String {
        format!("http://127.0.0.2:{}/x/{key}?Signature=hush", self.files)
    }

    /// Joins the uploaded parts with these names, in order, into an object.
    fn assemble(&self, key: &str, names: Vec<String>) {
        let mut parts = self.parts.lock().unwrap();
        let whole: Vec<u8> = names.iter().flat_map(|name| parts.remove(name).unwrap()).collect();
        self.objects.lock().unwrap().insert(key.to_owned(), whole);
    }
}

fn decoded(segment: &str) -> String {
    percent_encoding::percent_decode_str(segment).decode_utf8().unwrap().into_owned()
}
