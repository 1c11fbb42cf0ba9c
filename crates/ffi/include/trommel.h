// trommel: the main text of web pages, from C.
//
// Strings that are given are UTF-8 and end with 0; those that a function returns are to be freed by
// trommel_string_free. No function may be called with a pointer that was freed. Extractors may be used by
// several threads at a time, each session by one.

#ifndef TROMMEL_H
#define TROMMEL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

// Whether a session wants more of its page.
enum TrommelVerdict {
  // It does.
  TROMMEL_VERDICT_CONTINUE = 0,
  // It has as much as it keeps, 16 MiB.
  TROMMEL_VERDICT_FULL = 1,
  // The page is no HTML.
  TROMMEL_VERDICT_NOT_HTML = 2,
  // The page says that it is not to be indexed.
  TROMMEL_VERDICT_NO_INDEX = 3,
  // The page declares a language that is not wanted.
  TROMMEL_VERDICT_LANGUAGE = 4,
  // A long beginning of the page has no content.
  TROMMEL_VERDICT_HOPELESS = 5,
  // The page stands in the way of another one.
  TROMMEL_VERDICT_BLOCK_PAGE = 6,
  // There is no session, or the library has a fault.
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

// Takes the text out of pages with one model, in each form that a caller may ask for.
struct TrommelExtractor;

// A page that arrives in parts.
struct TrommelSession;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of the library. Not to be freed.
const char *trommel_version(void);

// An extractor with a built-in model: "fast" (also for null), "best" or "lite". Null if there is none of that name.
//
// # Safety
// `model` is null or a string that ends with 0.
struct TrommelExtractor *trommel_extractor_new(const char *model);

// An extractor under settings: a JSON object of settings by their names, as in
// {"model": "best", "comments": "include", "blocks": true}. Null if it is none, or a setting is unknown or wrong; then
// *error, unless error is null, is one line that says why, to be freed with trommel_string_free.
//
// # Safety
// `settings` is null or a string that ends with 0; `error` is null or a place for a pointer.
struct TrommelExtractor *trommel_extractor_with_settings(const char *settings,
                                                         char **error);

// Frees an extractor; sessions that were begun with it go on.
//
// # Safety
// `extractor` is null or one that has not been freed and is not in use.
void trommel_extractor_free(struct TrommelExtractor *extractor);

// The main text of one whole page, to be freed with trommel_string_free. URL, charset of the HTTP header and
// date of the capture may be null; `form` is one of enum TrommelForm. Null if it is none, and if the library
// has a fault.
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

// Begins a page that arrives in parts, to be ended by trommel_session_finish or trommel_session_free. URL,
// charset of the HTTP header and date of the capture may be null; `form` is one of enum TrommelForm. Null if it
// is none.
//
// # Safety
// `extractor` is null or one that has not been freed; the strings are null or end with 0.
struct TrommelSession *trommel_session_new(const struct TrommelExtractor *extractor,
                                           const char *url,
                                           const char *charset,
                                           const char *date,
                                           int form);

// Has a session tell early of pages that are not wanted: no HTML, noindex, another language than these
// (divided by commas; null for all), without content, in the way of other pages.
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

// Facts about the page up to here, as JSON: canonical, robots, next_page, and links with url, block,
// probability, kept and role. To be freed with trommel_string_free.
//
// # Safety
// `session` is null or one that has not ended.
char *trommel_session_known(struct TrommelSession *session);

// Ends a session and gives its page, to be freed with trommel_string_free. The session is freed. Null if the
// library has a fault.
//
// # Safety
// `session` is null or one that has not ended.
char *trommel_session_finish(struct TrommelSession *session);

// Ends a session whose page is not wanted.
//
// # Safety
// `session` is null or one that has not ended.
void trommel_session_free(struct TrommelSession *session);

// Frees a string that the library gave.
//
// # Safety
// `text` is null or such a string, which has not been freed.
void trommel_string_free(char *text);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* TROMMEL_H */
