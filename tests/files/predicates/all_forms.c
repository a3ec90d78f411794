// A file of predicates may have every form of the language, and what is made of them is printed so
// that it is read again.
// RUN: sapa check %s --predicates %d/all_forms.predicates --iterations 1 --dump-dir %t.d | tail -1
// RUN: grep -v '^//' %t.d/0001-iteration-1-predicates.txt
// RUN: sapa-cc %s | sapa-opt -p 'inline,mem2reg' | sapa-abstract --predicates %d/all_forms.predicates | grep -c '^decl' | sed 's/[1-9].*/some/'
// check: VERIFICATION
// nextln: count == worker::my + 1 && !(small < 0 || flag)
// nextln: (unsigned)worker::my < 10u
// nextln: (unsigned _BitInt(24))count == 5
// nextln: (_BitInt(8))small + (_BitInt(8))1 < 0
// check: (long)count << 2 == 0x10 // a comment
// check: some
#include <assert.h>
#include <pthread.h>

struct point { int x, y; } point = {3, 'a'};
int count, table[3];
signed char small;
_Bool flag;
void *head = &point;

void *worker(void *argument)
{
    int my = count;
    if (flag && my >= 0 && my < 3 && head && small < 100)
        count = table[my] + point.x + point.y;
    assert(my * my != 10);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    count += 2;
}
