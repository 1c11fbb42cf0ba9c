// Feeds a page to a session in parts, as a crawler would, and prints its text.
//
//     session PAGE [URL]

#include <stdio.h>
#include <stdlib.h>

#include "trommel.h"

int main(int count, char **arguments) {
    if (count < 2) {
        fprintf(stderr, "usage: session PAGE [URL]\n");
        return 2;
    }
    FILE *file = fopen(arguments[1], "rb");
    if (file == NULL) {
        perror(arguments[1]);
        return 2;
    }
    const char *url = count > 2 ? arguments[2] : NULL;
    struct TrommelExtractor *extractor = trommel_extractor_new(NULL);
    struct TrommelSession *session =
        trommel_session_new(extractor, url, NULL, NULL, TROMMEL_FORM_TEXT);
    // A session has all it needs of its extractor.
    trommel_extractor_free(extractor);
    trommel_session_stop_early(session, "en,de,fr");

    unsigned char part[1400];
    size_t length;
    while ((length = fread(part, 1, sizeof part, file)) > 0) {
        enum TrommelVerdict verdict = trommel_session_feed(session, part, length);
        if (verdict != TROMMEL_VERDICT_CONTINUE) {
            fprintf(stderr, "stopped: %d\n", verdict);
            trommel_session_free(session);
            fclose(file);
            return 1;
        }
    }
    fclose(file);

    char *known = trommel_session_known(session);
    fprintf(stderr, "%s\n", known);
    trommel_string_free(known);

    char *text = trommel_session_finish(session);
    if (text == NULL) {
        return 2;
    }
    printf("%s\n", text);
    trommel_string_free(text);
    return 0;
}
