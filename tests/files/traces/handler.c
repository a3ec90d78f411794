// The handler is exchanged while it is called.
// RUN: sapa check %s --threads 2
// EXIT: 10
#include <assert.h>
#include <pthread.h>
typedef int (*handler)(int);
static int twice(int n) { return 2 * n; }
static int negate(int n) { return -n; }
handler handlers[] = {twice, negate};
volatile int which;
int results[2];
void *switcher(void *unused) { which = 1; return 0; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, switcher, 0);
    for (int i = 0; i < 2; i++) {
        handler h = handlers[which];
        results[i] = h(i + 1);
    }
    assert(results[0] == 2 && results[1] > results[0]);
}
