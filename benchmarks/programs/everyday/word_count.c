// Two threads count the words of a line each; a word begins where a letter follows a space or the beginning.
//
// Safe: "the quick brown fox" has four words and "  lazy   dog " two, whatever spaces there are.
// Broken: spaces are counted instead of beginnings of words.
#include <assert.h>
#include <ctype.h>
#include <pthread.h>

struct line {
    const char *text;
    int words;
};

static void *count(void *arg)
{
    struct line *line = arg;
    int words = 0;
#ifdef BROKEN
    words = 1;
    for (const char *s = line->text; *s != '\0'; s++)
        if (isspace((unsigned char)*s))
            words++;
#else
    int inside = 0;
    for (const char *s = line->text; *s != '\0'; s++) {
        if (isspace((unsigned char)*s)) {
            inside = 0;
        } else if (!inside) {
            inside = 1;
            words++;
        }
    }
#endif
    line->words = words;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    struct line first = { "the quick brown fox", 0 };
    struct line second = { "  lazy   dog ", 0 };
    pthread_create(&a, NULL, count, &first);
    pthread_create(&b, NULL, count, &second);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(first.words == 4);
    assert(second.words == 2);
    return 0;
}
