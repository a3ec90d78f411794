// covers: struct-arrays
#include "observe.h"

struct item { int key; char tags[2]; struct item *next; };
static struct item pool[3] = { { 1, { 0, 1 }, 0 }, { 2 }, { .key = 3 } };

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        pool[i].next = i ? &pool[i - 1] : 0;
        pool[i].tags[i % 2] = i + 1;
    }
    for (struct item *p = pool; p < pool + 3; p++)
        sum = sum * 10 + p->tags[0] + p->tags[1] + p->key;
    observe(sum);
    observe(pool[2].next->next == &pool[0]);
    observe(&pool[2] - &pool[0]);
    observe_end();
    return 0;
}
