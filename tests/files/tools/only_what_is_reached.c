// Headers declare much that a program never uses: none of it is in the module, in text or binary.
// RUN: sapa-cc %s -o %t.gir && sapa-cc --binary %s -o %t.girb && sapa-opt -p verify %t.girb -o %t.2.gir && cmp %t.gir %t.2.gir && test "$(wc -l < %t.gir)" -lt 100 && grep -v '^ ' %t.gir
// check: name helper
// nextln: name main
// nextln: name worker
// not: notUsed
// check: struct inner size 4
// not: struct
// check: struct used size 8
// not: struct
// check: global $$counter: i32
// nextln: global $$table: [1 x ptr] = {@helper}
// nextln: global $$all: struct used
// not: global
// not: declare
// check: define @helper
// not: declare
// check: entry @main
// RUN: sapa-cc %d/../../fixtures/goto/pthread_mutex.gb | grep -c '^struct\|^global\|^declare'
// check: 6
// RUN: sapa check --threads 1 %s
// check: VERIFICATION SUCCESSFUL
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct notUsed { int a[100]; };
struct inner { int value; };
struct used { struct inner one, two; };
struct notUsed notUsed;
int notUsedFunction(struct notUsed *p) { return p->a[0]; }
int (*notUsedTable[])(struct notUsed *) = { notUsedFunction };
extern int notUsedElsewhere;

int counter;
int helper(void) { return 1; }
int (*table[1])(void) = { helper };
struct used all;

void *worker(void *argument)
{
    counter = table[0]();
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    assert(counter == 1 && all.two.value == 0);
    return 0;
}
