// precise: SUCCESSFUL --property bounds
// precise: FAILED --property bounds -DBROKEN
// Two threads fill a table from both ends; the broken one goes one too far.
#include <pthread.h>
#ifdef BROKEN
#define END 8
#else
#define END 7
#endif
int table[8];
int next;

void *fill(void *number) {
    while (1) {
        int mine = __sync_fetch_and_add(&next, 1);
        if (mine > END || mine < 0)
            return 0;
        table[mine] = 1;
    }
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, fill, 0);
    pthread_create(&b, 0, fill, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
