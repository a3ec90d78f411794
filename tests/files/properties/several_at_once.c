// precise: SUCCESSFUL --property all
// precise: FAILED --property all -DKEPT
// precise: FAILED --property all -DLOCAL
// What a thread returns is on the heap. Each property is proved at once; together they are not in half a minute.
#include <pthread.h>
#include <stdlib.h>
#include <stdio.h>

struct result {
    int lines;
    int words;
};

static void *count(void *arg)
{
    const char *s = arg;
#ifdef LOCAL
    struct result on_stack, *r = &on_stack;
#else
    struct result *r = malloc(sizeof *r);
#endif
    if (!r)
        return NULL;
    r->lines = 0;
    r->words = 1;
    for (; *s; s++) {
        if (*s == '\n')
            r->lines++;
        else if (*s == ' ')
            r->words++;
    }
    return r;
}

int main(void)
{
    pthread_t t;
    void *p;
    char text[] = "a b\nc";
    pthread_create(&t, NULL, count, text);
    pthread_join(t, &p);
    struct result *r = p;
    if (r)
        printf("%d %d\n", r->lines, r->words);
#if !defined KEPT && !defined LOCAL
    free(r);
#endif
    return 0;
}
