// covers: sorting
#include <stdlib.h>
#include <string.h>
#include "observe.h"

struct item {
    short key;
    const char *name;
};

static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static int by_key(const void *a, const void *b)
{
    return ((const struct item *)a)->key - ((const struct item *)b)->key;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int main(void)
{
    int numbers[] = { 5, -3, 9, 0, 7, 5 };
    qsort(numbers, 6, sizeof *numbers, by_value);
    for (int i = 0; i < 6; i++)
        observe(numbers[i]);
    int wanted = 7, *found = bsearch(&wanted, numbers, 6, sizeof *numbers, by_value);
    observe(found - numbers);
    wanted = 6;
    observe(bsearch(&wanted, numbers, 6, sizeof *numbers, by_value) == 0);
    observe(bsearch(&wanted, numbers, 0, sizeof *numbers, by_value) == 0);

    struct item items[] = { { 3, "c" }, { 1, "a" }, { 2, "b" } };
    qsort(items, 3, sizeof *items, by_key);
    for (int i = 0; i < 3; i++)
        observe(items[i].key + *items[i].name);

    const char *words[] = { "to", "be", "or", "not" };
    qsort(words, 4, sizeof *words, by_text);
    for (int i = 0; i < 4; i++)
        observe(words[i][0]);

    unsigned char bytes[] = { 2, 0, 1, 0, 3, 0 };
    void *untyped = bytes;
    qsort(untyped, 1, 2, by_key);
    observe(bytes[0] + bytes[4]);
    observe_end();
    return 0;
}
