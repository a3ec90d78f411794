// precise: SUCCESSFUL --property bounds
// precise: SUCCESSFUL --property bounds,pointers
// precise: FAILED --property bounds -DBEHIND
// precise: FAILED --property bounds -DSHORT
// A pointer to an array within an object may leave it where it is no longer one to elements: it comes back to the structure around
// them, is one to the structure that begins with them, or to another member of a union, and from the first row it comes to the others. Of
// arrays of one element or none at the end of a structure there is more.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
struct link {
    int before[2];
};
struct item {
    int number;
    struct link link;
    char text[4];
    int last;
} item;
struct first {
    char bytes[4];
    int more;
} first;
union {
    char bytes[4];
    int numbers[3];
} both;
struct tail {
    int length;
    int data[1];
};
struct {
    int rows[2][3];
    int last;
} table;

static struct item *around(char *text) { return (struct item *)(text - offsetof(struct item, text)); }

static void clear(void *object, size_t size) {
    for (size_t i = 0; i < size; i++)
        ((char *)object)[i] = 0;
}

static int sum(int *numbers, int count) {
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += numbers[i];
    return sum;
}

int main(void) {
    char *text = item.text;
    struct item *same = (struct item *)(text - offsetof(struct item, text));
    same->last = 1;
    around(item.text)->last = 2;
    clear(around(item.text), sizeof(struct item));
    struct first *whole = (struct first *)first.bytes;
    whole->more = 1;
    char *bytes = both.bytes;
    for (int i = 0; i < 12; i++)
        bytes[i] = 0;
    int count = 3;
    struct tail *tail = malloc(sizeof *tail + 2 * sizeof(int));
    if (!tail)
        return 0;
    int *data = tail->data;
#ifdef BEHIND
    for (int i = 0; i <= count; i++)
#else
    for (int i = 0; i < count; i++)
#endif
        data[i] = tail->data[i] = i;
    count = sum(tail->data, 3);
    free(tail);
    clear(&item, sizeof item);
    clear(&table.rows[1], sizeof table.rows[1]);
    clear(table.rows, sizeof table.rows);
    char *end = item.text + 4;
    for (char *p = item.text; p != end; p++)
        *p = 1;
#ifdef SHORT
    return sum(table.rows[1], 4);
#else
    return sum(table.rows[1], 3) + sum(&table.rows[0][0], 6) + count;
#endif
}
