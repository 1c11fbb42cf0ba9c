//! Tests pages in scripts that are rare in training: both models must give the whole article and nothing around it.

use crate::program::{trommel, workspace};

/// A page of `tests/languages`.
struct Page {
    name: &'static str,
    lang: &'static str,
    title: &'static str,
    /// The author's name, where the page names one by a word or a tag that is known.
    author: Option<&'static str>,
    /// What begins the first paragraph and ends the last, and what stands between them: lists, quotes, headings.
    kept: &'static [&'static str],
    /// Menus, related stories, readers' comments, footers.
    dropped: &'static [&'static str],
}

const PAGES: [Page; 6] = [
    Page {
        name: "arabic",
        lang: "ar",
        title: "عودة طاحونة الماء القديمة إلى العمل بعد أربعين عاماً",
        author: Some("سلمى الحداد"),
        kept: &[
            "عادت طاحونة الماء الواقعة عند مدخل القرية",
            "«كنت طفلاً حين سمعت صوتها آخر مرة",
            "زيارات مدرسية مجانية كل يوم أربعاء\nورشة لطحن القمح",
            "حتى لا تتعرض العجلة للتلف في عامها الأول.",
        ],
        dropped: &["اتصل بنا", "اقرأ أيضاً", "ارتفاع أسعار القمح", "جميع الحقوق"],
    },
    Page {
        name: "hebrew",
        lang: "he",
        title: "טחנת הקמח הישנה חוזרת לפעול",
        author: Some("נועה ברק"),
        kept: &[
            "אחרי שלוש שנות שיפוץ נפתחו שוב דלתות הטחנה",
            "גלגל העץ של טחנת הקמח שבקצה הכפר",
            "\n\nמה צפוי בהמשך\n\nבחודש הבא",
            "ומספר המבקרים יוגבל לשלושים בכל סיור.",
        ],
        dropped: &["הרשמה לניוזלטר", "הנקראות ביותר", "כל הכבוד למתנדבים", "תנאי שימוש"],
    },
    Page {
        name: "thai",
        lang: "th",
        title: "กังหันน้ำโบราณกลับมาหมุนอีกครั้ง หลังหยุดนิ่งมาสี่สิบปี",
        author: None,
        kept: &[
            "ชาวบ้านริมแม่น้ำพากันมาชมกังหันน้ำไม้",
            "ขั้นตอนการซ่อมแซมมีดังนี้\n\nรื้อใบกังหันเก่าและทำแบบจากไม้อัด\nขุดลอกลำเหมือง",
            "ทำขนมขายในตลาดทุกวันเสาร์",
        ],
        dropped: &["เข้าสู่ระบบ", "ข่าวที่เกี่ยวข้อง", "ราคาข้าวเปลือก", "สงวนลิขสิทธิ์"],
    },
    Page {
        name: "hindi",
        lang: "hi",
        title: "चालीस साल बाद फिर चली पुरानी पनचक्की",
        author: Some("मीना रावत"),
        kept: &[
            "गाँव के किनारे बनी लकड़ी की पनचक्की",
            "\n\nआगे की योजना\n\nसमिति चाहती है",
            "स्कूल के बच्चों के लिए प्रवेश निःशुल्क रहेगा।",
        ],
        dropped: &["ई-पेपर", "ट्रेंडिंग खबरें", "गेहूँ के दाम", "सर्वाधिकार सुरक्षित"],
    },
    Page {
        name: "japanese",
        lang: "ja",
        title: "古い水車が四十年ぶりに回る",
        author: None,
        kept: &["村はずれの小川にかかる木の水車が一日", "\n\n夏からは見学も\n\n保存会は", "問い合わせは村役場まで。"],
        dropped: &["会員登録", "シェアする", "小麦の価格が上昇", "無断転載"],
    },
    Page {
        name: "korean",
        lang: "ko",
        title: "옛 물레방아 40년 만에 다시 돌다",
        author: None,
        kept: &[
            "마을 어귀 개울가에 서 있던 나무 물레방아가",
            "▲ 10일 다시 돌기 시작한 물레방아 앞에 모인 주민들",
            "수익금은 보를 손질하는 데 쓸 계획이다.",
        ],
        dropped: &["로그인", "관련기사", "밀 가격 석 달째 상승", "무단 전재", "청소년보호정책"],
    },
];

#[test]
fn articles_are_whole_in_scripts_that_training_lacks() {
    let folder = workspace().join("tests/languages");
    for page in &PAGES {
        for model in ["fast", "best"] {
            let file = format!("{}.html", page.name);
            let ran = trommel(&folder, &["extract", "--model", model, "-f", "json", &file], b"");
            let document = ran.json();
            assert_eq!(document["lang"], page.lang, "{file}");
            assert_eq!(document["title"], page.title, "{file}");
            let author = document["author"][0].as_str();
            assert_eq!(author, page.author, "{file}");
            let text = document["text"].as_str().unwrap();
            let mut from = 0;
            for kept in page.kept {
                let at = text[from..].find(kept);
                let at = at.unwrap_or_else(|| panic!("{file}, {model}: {kept:?} in\n{text}"));
                from += at + kept.len();
            }
            for dropped in page.dropped {
                assert!(!text.contains(dropped), "{file}, {model}: no {dropped:?} in\n{text}");
            }
        }
    }
}
