// trommel: the main text of web pages, from C.
//
// Pass strings in UTF-8 that end with 0. Free the strings that a function returns with trommel_string_free.
// Never pass a pointer that was freed. Several threads may use an extractor at the same time, but only one
// a session.

#ifndef TROMMEL_H
#define TROMMEL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

// Answer of a session to a part of its page: more is wanted, or the rest is not needed.
enum TrommelVerdict {
  // The session wants more.
  TROMMEL_VERDICT_CONTINUE = 0,
  // The session has its maximum of 16 MiB.
  TROMMEL_VERDICT_FULL = 1,
  // The data is not HTML.
  TROMMEL_VERDICT_NOT_HTML = 2,
  // The page asks not to be indexed.
  TROMMEL_VERDICT_NO_INDEX = 3,
  // The page declares an unwanted language.
  TROMMEL_VERDICT_LANGUAGE = 4,
  // The first 256 KiB of the page have no content.
  TROMMEL_VERDICT_HOPELESS = 5,
  // The page is a block page: a captcha, an error or a consent wall.
  TROMMEL_VERDICT_BLOCK_PAGE = 6,
  // There is no session, or the library had an internal error.
  TROMMEL_VERDICT_ERROR = 7,
};

// The form of the output for a page.
enum TrommelForm {
  // The main text.
  TROMMEL_FORM_TEXT = 0,
  // The main text as Markdown.
  TROMMEL_FORM_MARKDOWN = 1,
  // The document as JSON, with the keys of a JSON line of `trommel run`.
  TROMMEL_FORM_JSON = 2,
};

// Extracts the text of pages with one model and one set of settings.
struct TrommelExtractor;

// A page that arrives in parts.
struct TrommelSession;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of the library. Do not free it.
const char *trommel_version(void);

// Returns an extractor with a built-in model: "fast" (also for null) or "lite". Null if there is no such model.
//
// # Safety
// `model` is null or a string that ends with 0.
struct TrommelExtractor *trommel_extractor_new(const char *model);

// Returns an extractor with settings, a JSON object with their names:
// {"model": "lite", "comments": "include", "blocks": true}. Null if this is no JSON object, or if a setting is
// unknown or invalid. Then *error, unless error is null, is the reason in one line: free it with
// trommel_string_free.
//
// # Safety
// `settings` is null or a string that ends with 0; `error` is null or a place for a pointer.
struct TrommelExtractor *trommel_extractor_with_settings(const char *settings,
                                                         char **error);

// Frees an extractor. Its sessions stay valid.
//
// # Safety
// `extractor` is null or one that has not been freed and is not in use.
void trommel_extractor_free(struct TrommelExtractor *extractor);

// Returns the main text of one whole page: free it with trommel_string_free. The URL, the charset of the HTTP
// header and the date of the capture may be null. `form` is one of enum TrommelForm. Null if `form` is invalid,
// or after an internal error.
//
// # Safety
// `extractor` is one that has not been freed; `length` bytes can be read at `page`; the strings end with 0.
char *trommel_extract(const struct TrommelExtractor *extractor,
                      const uint8_t *page,
                      uintptr_t length,
                      const char *url,
                      const char *charset,
                      const char *date,
                      int form);

// Begins a page that arrives in parts. End it with trommel_session_finish or trommel_session_free. The URL, the
// charset of the HTTP header and the date of the capture may be null. `form` is one of enum TrommelForm. Null if
// `form` is invalid.
//
// # Safety
// `extractor` is null or one that has not been freed; the strings are null or end with 0.
struct TrommelSession *trommel_session_new(const struct TrommelExtractor *extractor,
                                           const char *url,
                                           const char *charset,
                                           const char *date,
                                           int form);

// Makes a session report unwanted pages early: other data than HTML, noindex, other languages than these
// (separated by commas; null for all), pages without content, and block pages.
//
// # Safety
// `session` is null or one that has not ended; `languages` is null or a string that ends with 0.
void trommel_session_stop_early(struct TrommelSession *session, const char *languages);

// Takes the next bytes of the page, cut anywhere.
//
// # Safety
// `session` is null or one that has not ended; `length` bytes can be read at `part`.
enum TrommelVerdict trommel_session_feed(struct TrommelSession *session,
                                         const uint8_t *part,
                                         uintptr_t length);

// Returns the facts about the page so far, as JSON: canonical, robots, next_page, and links with url, block,
// probability, kept and role. Free it with trommel_string_free.
//
// # Safety
// `session` is null or one that has not ended.
char *trommel_session_known(struct TrommelSession *session);

// Ends and frees a session, and returns its page: free it with trommel_string_free. Null after an internal
// error.
//
// # Safety
// `session` is null or one that has not ended.
char *trommel_session_finish(struct TrommelSession *session);

// Ends and frees a session without its page.
//
// # Safety
// `session` is null or one that has not ended.
void trommel_session_free(struct TrommelSession *session);

// Frees a string that the library returned.
//
// # Safety
// `text` is null or such a string, which has not been freed.
void trommel_string_free(char *text);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* TROMMEL_H */
