// The row of the assertion that fails has all that it reads, and nothing of the line's other statements.
// RUN: sapa check %s --threads 1
// EXIT: 10
#include <assert.h>
#include <pthread.h>

int value, table[3] = {1, 2, 3};
void expect(int low, int high) { assert(low <= high); }

void *writer(void *argument) { int *target = &value; *target = (int)(long)argument; return 0; }

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, writer, (void *)3); pthread_join(thread, 0);
    int seen = value; int limit = value + 4; if (seen < limit) expect(seen, limit);
    for (int i = 0; i < 3; i++) assert(table[i] < seen || limit != 7);
}
